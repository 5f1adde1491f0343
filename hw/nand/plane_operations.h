// SPDX-License-Identifier: Apache-2.0
//
// The effects of a flash operation on the array of its die, page by page: first checks the rules of all pages
// together, then does the work, and sets the statuses of the operation. It has no time, so that the timed Die
// can use it as well as the flash that ages a drive without simulating time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "fw/hal/flash.h"
#include "fw/hal/xor_onto.h"
#include "hw/nand/array.h"

namespace solidtlm::hw {

/// Worst status of the operation's pages or blocks: rule_violation before failures, failures before the
/// results that a read may have.
[[nodiscard]] inline hal::FlashStatus combined_status(const hal::FlashOp& op) {
    hal::FlashStatus worst = hal::FlashStatus::ok;
    for (std::size_t slot = 0; slot < op.slots(); ++slot) {
        if (op.plane_status[slot] != hal::FlashStatus::ok) {
            worst = hal::worse(worst, op.plane_status[slot]);
        }
    }
    return worst;
}

class PlaneOperations {
  public:
    explicit PlaneOperations(NandArray& array) : array_(array) {}

    /// Calls `place(piece, offset)` for the address of a piece's content, which may be null; `offset` is the
    /// position of the piece in the contents of all pieces, one after the other. False if the operation was
    /// refused; then nothing was done. `level`: of the read-retry table.
    template <class Place>
    bool read(hal::FlashOp& op, const Place& place, std::uint32_t level = 0) {
        if (refuse_planes(op, false)) {
            return false;
        }
        for (std::size_t slot = 0; slot < op.planes; ++slot) {
            // Without content no data is copied.
            if (array_.content_mode() != hal::ContentMode::none || array_.faults() != nullptr) {
                collect(op, slot, place, read_slices_);
            }
            op.plane_status[slot] =
                array_.read(op.address[slot], read_slices_, spare_of(op, slot), {level, op.slc});
            if (array_.faults() != nullptr && op.plane_status[slot] == hal::FlashStatus::ok) {
                op.corrected_bits =
                    std::max(op.corrected_bits, static_cast<std::uint16_t>(array_.corrected_bits()));
            }
        }
        op.status = combined_status(op);
        return true;
    }
    template <class Place>
    bool program(hal::FlashOp& op, const Place& place) {
        if (refuse_word_line(op)) {
            return false;
        }
        for (std::size_t slot = 0; slot < op.slots(); ++slot) {
            if (op.xor_sources == 1) {
                collect(op, slot, place, program_slices_[slot]);
            } else {
                collect_sum(op, slot, place);
            }
            if (array_.breaks_program_rules(op.address[slot], program_slices_[slot], op.slc)) {
                refuse(op);
                return false;
            }
        }
        for (std::size_t slot = 0; slot < op.slots(); ++slot) {
            op.plane_status[slot] = array_.program_allowed(op.address[slot], program_slices_[slot],
                                                           spare_of(op, slot), op.slc, slot < op.planes);
        }
        op.status = combined_status(op);
        return true;
    }
    bool erase(hal::FlashOp& op);
    /// First half of a copy-back: returns whether the pages may be copied.
    bool check_copy_back(hal::FlashOp& op);
    /// Second half. REQUIRES: check_copy_back() has returned true.
    bool copy_back(hal::FlashOp& op);
    /// Sets every status to rule_violation.
    static void refuse(hal::FlashOp& op);

  private:
    /// Refuses the operation, in every status, if its addresses do not fit together. True if it was refused.
    bool refuse_planes(hal::FlashOp& op, bool ignore_page);
    /// As above, for a program; also refuses it if the part needs whole word lines and some pages are
    /// missing.
    bool refuse_word_line(hal::FlashOp& op);
    /// The part of op.spare that belongs to a page.
    [[nodiscard]] std::span<std::byte> spare_of(const hal::FlashOp& op, std::size_t slot) const {
        const std::size_t bytes = op.spare.size() / op.slots();
        return op.spare.empty() ? op.spare : op.spare.subspan(slot * bytes, bytes);
    }
    /// Fills `slices` with the pieces of one page.
    template <class Slice, class Place>
    void collect(const hal::FlashOp& op, std::size_t slot, const Place& place,
                 std::vector<Slice>& slices) const {
        slices.clear();
        std::size_t offset = 0;
        for (const hal::FlashPiece& piece : op.pieces) {
            if (piece.plane_slot == slot) {
                const bool padding = piece.dram.value == hal::FlashPiece::kPadding;
                slices.push_back(
                    Slice{piece.column_bytes, piece.length_bytes, padding ? nullptr : place(piece, offset)});
            }
            offset += hal::content_bytes(array_.content_mode(), piece.length_bytes);
        }
    }

    /// As above, for a program whose groups of pieces are XORed.
    template <class Place>
    void collect_sum(const hal::FlashOp& op, std::size_t slot, const Place& place) {
        const std::size_t run = op.pieces.size() / op.xor_sources;
        std::vector<std::byte>& sum = sums_[slot];
        sum.assign(hal::content_bytes(array_.content_mode(), array_.geometry().page_bytes), std::byte{0});
        std::size_t offset = 0;
        for (const hal::FlashPiece& piece : op.pieces) {
            const std::size_t bytes = hal::content_bytes(array_.content_mode(), piece.length_bytes);
            if (piece.plane_slot == slot && piece.dram.value != hal::FlashPiece::kPadding) {
                hal::xor_onto(sum.data() + hal::content_bytes(array_.content_mode(), piece.column_bytes),
                              place(piece, offset), bytes);
            }
            offset += bytes;
        }
        program_slices_[slot].clear();
        for (const hal::FlashPiece& piece : op.pieces.first(run)) {
            if (piece.plane_slot == slot) {
                program_slices_[slot].push_back(
                    {piece.column_bytes, piece.length_bytes,
                     sum.data() + hal::content_bytes(array_.content_mode(), piece.column_bytes)});
            }
        }
    }

    NandArray& array_;
    std::vector<ReadSlice> read_slices_;
    std::array<std::vector<ProgramSlice>, hal::kMaxPagesPerOp> program_slices_;
    std::array<std::vector<std::byte>, hal::kMaxPagesPerOp> sums_;
};

}  // namespace solidtlm::hw
