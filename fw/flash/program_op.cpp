// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/program_op.h"

#include "fw/flash/superblock_table.h"

namespace solidtlm::fw {

void ProgramOp::prepare(const Services& services, const SuperpageAddress& at,
                        std::span<const UnitWrite> units, const SpareHeader& header, Cause cause,
                        std::span<const std::uint8_t> pages) {
    static constexpr std::array<std::uint8_t, hal::kMaxPagesPerOp> kAllPages{0, 1, 2,  3,  4,  5,  6,  7,
                                                                             8, 9, 10, 11, 12, 13, 14, 15};
    const MediaLayout& layout = services.layout;
    const bool slc = in_slc_mode(services, at);
    const SuperpageShape& shape = layout.shape(slc);
    pages = pages.empty() ? std::span(kAllPages).first(shape.pages) : pages;
    SOLIDTLM_CHECK(shape.rows == 1 || pages.size() == shape.pages,
                   "all pages of a word line are programmed at once");
    const std::uint32_t per_page = layout.units_per_page();
    // Sets every field that the operation uses; entries for further pages keep old values.
    op_.opcode = hal::FlashOpcode::program;
    op_.cause = cause;
    op_.slc = slc;
    op_.planes = static_cast<std::uint8_t>(shape.rows == 1 ? pages.size() : layout.planes_per_pu());
    op_.word_line_pages = static_cast<std::uint8_t>(shape.rows);
    op_.ledger = nullptr;
    op_.command_id = 0;
    // Neighbours on flash and in DRAM are joined into one piece, except if planes are XORed, whose pieces
    // must match.
    const bool join = !services.config.reliability.parity();
    const std::uint32_t unit_bytes = layout.unit_bytes();
    const std::uint32_t page_bytes = per_page * unit_bytes;
    const UnitWrite* unit = units.data();
    std::byte* spare = spare_.data();
    pieces_.resize(units.size());
    hal::FlashPiece* piece = pieces_.data();
    const auto slots = static_cast<std::uint8_t>(pages.size());
    for (std::uint8_t slot = 0; slot < slots; ++slot) {
        op_.address[slot] = layout.address(at, pages[slot], slc);
        spare = encode_header(header, spare);
        std::uint64_t behind = hal::FlashPiece::kPadding;  // DRAM address after the last piece
        for (std::uint32_t column = 0; column < page_bytes; column += unit_bytes, ++unit) {
            const std::uint64_t dram = unit->dram.value;
            const bool padding = dram == hal::FlashPiece::kPadding;
            if (join && column > 0 && dram == behind) {
                (piece - 1)->length_bytes += unit_bytes;
            } else {
                *piece++ = hal::FlashPiece{slot, column, unit_bytes, unit->dram};
            }
            behind = padding ? dram : dram + unit_bytes;
            spare = encode_lpn(unit->lpn, spare);
        }
    }
    op_.pieces = std::span(pieces_.data(), piece);
    op_.spare = std::span(spare_.data(), spare);
}

}  // namespace solidtlm::fw
