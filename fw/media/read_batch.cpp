// SPDX-License-Identifier: Apache-2.0
#include "fw/media/read_batch.h"

#include "fw/recovery/spare.h"

namespace solidtlm::fw {

std::size_t ReadBatch::metadata_bytes() const {
    return spare_bytes(environment_.layout.units_per_page());
}

ReadBatch::Operation& ReadBatch::operation_for(const SuperpageAddress& at, Cause cause) {
    for (std::size_t i = used_; i > 0; --i) {
        if (operations_[i - 1]->at == at) {
            return *operations_[i - 1];
        }
    }
    if (used_ == operations_.size()) {
        operations_.push_back(std::make_unique<Operation>());
    }
    Operation& operation = *operations_[used_++];
    operation.at = at;
    operation.op.opcode = hal::FlashOpcode::read;
    operation.op.cause = cause;
    operation.op.planes = 0;
    operation.op.ledger = nullptr;
    operation.op.status = hal::FlashStatus::ok;
    operation.pieces = 0;
    return operation;
}

std::uint8_t ReadBatch::plane_index(Operation& operation, std::uint32_t plane_slot) {
    for (std::uint8_t i = 0; i < operation.op.planes; ++i) {
        if (operation.plane_slots[i] == plane_slot) {
            return i;
        }
    }
    const std::uint8_t index = operation.op.planes++;
    operation.plane_slots[index] = static_cast<std::uint8_t>(plane_slot);
    operation.op.address[index] = environment_.layout.address(operation.at, plane_slot);
    operation.op.plane_status[index] = hal::FlashStatus::ok;
    return index;
}

/// Appends to the operation's run of pieces_, or extends its last piece.
void ReadBatch::add_piece(Operation& operation, const UnitRead& unit) {
    const MediaLayout& layout = environment_.layout;
    const std::uint32_t slot = layout.slot_of(unit.ppa);
    hal::FlashPiece piece;
    piece.plane_slot = plane_index(operation, slot / layout.units_per_page());
    piece.column_bytes =
        slot % layout.units_per_page() * layout.unit_bytes() + unit.first_sector * hal::kSectorBytes;
    piece.length_bytes = unit.sectors * hal::kSectorBytes;
    piece.dram = unit.dram;
    if (unit.sectors == 0) {
        return;  // only the page's metadata is wanted
    }
    if (operation.pieces > 0) {
        hal::FlashPiece& last = pieces_.back();
        if (last.plane_slot == piece.plane_slot &&
            last.column_bytes + last.length_bytes == piece.column_bytes &&
            last.dram.value + last.length_bytes == piece.dram.value) {
            last.length_bytes += piece.length_bytes;
            return;
        }
    }
    pieces_.push_back(piece);
    ++operation.pieces;
}

void ReadBatch::prepare(std::span<const UnitRead> units, Cause cause, bool with_spare) {
    used_ = 0;
    pieces_.clear();
    operation_of_unit_.clear();
    for (const UnitRead& unit : units) {
        Operation& operation = operation_for(environment_.layout.superpage_of(unit.ppa), cause);
        std::uint32_t index = 0;
        while (operations_[index].get() != &operation) {
            ++index;
        }
        operation_of_unit_.push_back(index);
    }
    for (std::size_t i = 0; i < used_; ++i) {
        Operation& operation = *operations_[i];
        operation.first_piece = pieces_.size();
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
            if (operation_of_unit_[unit] == i) {
                add_piece(operation, units[unit]);
            }
        }
    }
    for (std::size_t i = 0; i < used_; ++i) {  // pieces_ does not grow any more
        Operation& operation = *operations_[i];
        operation.op.pieces = std::span(pieces_).subspan(operation.first_piece, operation.pieces);
        operation.op.spare = with_spare
                                 ? std::span(operation.spare).first(operation.op.planes * metadata_bytes())
                                 : std::span<std::byte>{};
    }
}

void ReadBatch::start(Join& join, Ledger* trunk, bool single_on_trunk, std::uint32_t flow) {
    join.add(static_cast<std::uint32_t>(used_));
    for (std::size_t i = 0; i < used_; ++i) {
        Operation& operation = *operations_[i];
        operation.join = &join;
        operation.op.flow = flow;
        operation.on_trunk = trunk == nullptr || (single_on_trunk && used_ == 1);
        if (!operation.on_trunk) {
            operation.ledger.start(Stage::firmware_execute, environment_.executor.now());
        }
        operation.op.ledger = operation.on_trunk ? trunk : &operation.ledger;
        operation.op.done = hal::Completion{[](void* context) {
                                                auto* self = static_cast<Operation*>(context);
                                                self->join->done(self->on_trunk ? nullptr : &self->ledger);
                                            },
                                            &operation};
        environment_.flash.submit(operation.op);
    }
}

bool ReadBatch::ok() const {
    for (std::size_t i = 0; i < used_; ++i) {
        if (operations_[i]->op.status != hal::FlashStatus::ok) {
            return false;
        }
    }
    return true;
}

/// The operation that read `ppa` and its plane there.
std::pair<const ReadBatch::Operation*, std::uint8_t> ReadBatch::place_of(Ppa ppa) const {
    const MediaLayout& layout = environment_.layout;
    const SuperpageAddress at = layout.superpage_of(ppa);
    const std::uint32_t plane_slot = layout.slot_of(ppa) / layout.units_per_page();
    for (std::size_t i = 0; i < used_; ++i) {
        const Operation& operation = *operations_[i];
        for (std::uint8_t plane = 0; operation.at == at && plane < operation.op.planes; ++plane) {
            if (operation.plane_slots[plane] == plane_slot) {
                return {&operation, plane};
            }
        }
    }
    return {nullptr, 0};
}

bool ReadBatch::readable(Ppa ppa) const {
    const auto [operation, plane] = place_of(ppa);
    return operation->op.status == hal::FlashStatus::ok ||
           operation->op.plane_status[plane] == hal::FlashStatus::ok;
}

Lpn ReadBatch::lpn_of(Ppa ppa) const {
    const auto [operation, plane] = place_of(ppa);
    const auto spare = std::span(operation->spare).subspan(plane * metadata_bytes(), metadata_bytes());
    return decode_lpn(spare, environment_.layout.slot_of(ppa) % environment_.layout.units_per_page());
}

}  // namespace solidtlm::fw
