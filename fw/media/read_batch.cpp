// SPDX-License-Identifier: Apache-2.0
#include "fw/media/read_batch.h"

#include "fw/hal/check.h"
#include "fw/media/spare.h"

namespace solidtlm::fw {

std::size_t ReadBatch::metadata_bytes() const {
    return spare_bytes(environment_.layout.units_per_page());
}

/// Index of the operation that reads superpage `at`; a new one if there is none yet.
std::uint32_t ReadBatch::operation_for(const SuperpageAddress& at, Cause cause) {
    for (std::size_t i = used_; i > 0; --i) {
        if (operations_[i - 1]->at == at) {
            return static_cast<std::uint32_t>(i - 1);
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
    return static_cast<std::uint32_t>(used_ - 1);
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
void ReadBatch::add_piece(const UnitRead& unit, Place& place) {
    const MediaLayout& layout = environment_.layout;
    Operation& operation = *operations_[place.operation];
    place.plane = plane_index(operation, layout.plane_of(place.slot));
    place.unit_in_page = static_cast<std::uint8_t>(layout.unit_in_page(place.slot));
    hal::FlashPiece piece;
    piece.plane_slot = place.plane;
    piece.column_bytes = place.unit_in_page * layout.unit_bytes() + unit.first_sector * hal::kSectorBytes;
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

void ReadBatch::add_pieces(std::span<const UnitRead> units) {
    const Operation* last = nullptr;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        Operation& operation = *operations_[places_[unit].operation];
        if (&operation != last) {
            operation.first_piece = pieces_.size();
            last = &operation;
        }
        add_piece(units[unit], places_[unit]);
    }
}

void ReadBatch::add_pieces_by_operation(std::span<const UnitRead> units) {
    for (std::size_t i = 0; i < used_; ++i) {
        operations_[i]->first_piece = pieces_.size();
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
            if (places_[unit].operation == i) {
                add_piece(units[unit], places_[unit]);
            }
        }
    }
}

void ReadBatch::prepare(std::span<const UnitRead> units, Cause cause, bool with_spare) {
    used_ = 0;
    pieces_.clear();
    places_.clear();
    bool in_order = true;  // units of one superpage follow each other
    for (const UnitRead& unit : units) {
        const std::size_t before = used_;
        const std::uint32_t index = operation_for(environment_.layout.superpage_of(unit.ppa), cause);
        in_order = in_order && (used_ > before || index + 1 == used_);
        places_.push_back(Place{index, environment_.layout.slot_of(unit.ppa), 0, 0});
    }
    if (in_order) {
        add_pieces(units);
    } else {
        add_pieces_by_operation(units);
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
        operation.environment = &environment_;
        operation.op.done =
            hal::Completion{[](void* context) { ended(*static_cast<Operation*>(context)); }, &operation};
        environment_.flash->submit(operation.op);
    }
}

void ReadBatch::ended(Operation& operation) {
    tell_if_weak(*operation.environment, operation.op, operation.at);
    operation.join->done(operation.on_trunk ? nullptr : &operation.ledger);
}

bool ReadBatch::ok() const {
    for (std::size_t i = 0; i < used_; ++i) {
        if (operations_[i]->op.status != hal::FlashStatus::ok) {
            return false;
        }
    }
    return true;
}

bool ReadBatch::readable(std::size_t unit) const {
    const Place& place = places_[unit];
    const hal::FlashOp& op = operations_[place.operation]->op;
    return op.status == hal::FlashStatus::ok || op.plane_status[place.plane] == hal::FlashStatus::ok;
}

Lpn ReadBatch::lpn(std::size_t unit) const {
    const Place& place = places_[unit];
    SOLIDTLM_CHECK(!operations_[place.operation]->op.spare.empty(), "the batch was read with spare areas");
    const auto spare = std::span(operations_[place.operation]->spare).subspan(place.plane * metadata_bytes());
    return decode_lpn(spare, place.unit_in_page);
}

}  // namespace solidtlm::fw
