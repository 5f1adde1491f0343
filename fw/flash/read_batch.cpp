// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/read_batch.h"

#include "fw/flash/superblock_table.h"

namespace solidtlm::fw {

/// Index of the operation that reads a row of superpage `at`; adds one if there is none yet.
std::uint32_t ReadBatch::operation_for(const SuperpageAddress& at, std::uint32_t row, Cause cause) {
    for (std::size_t i = used_; i > 0; --i) {
        if (operations_[i - 1]->at == at && operations_[i - 1]->row == row) {
            return static_cast<std::uint32_t>(i - 1);
        }
    }
    if (used_ == operations_.size()) {
        operations_.push_back(std::make_unique<Operation>());
    }
    Operation& operation = *operations_[used_++];
    operation.at = at;
    operation.row = row;
    operation.op.opcode = hal::FlashOpcode::read;
    operation.op.cause = cause;
    operation.op.slc = in_slc_mode(services_, at);
    operation.op.planes = 0;
    operation.op.ledger = nullptr;
    operation.op.status = hal::FlashStatus::ok;
    operation.pieces = 0;
    return static_cast<std::uint32_t>(used_ - 1);
}

std::uint8_t ReadBatch::plane_index(Operation& operation, std::uint32_t page) {
    for (std::uint8_t i = 0; i < operation.op.planes; ++i) {
        if (operation.pages[i] == page) {
            return i;
        }
    }
    const std::uint8_t index = operation.op.planes++;
    operation.pages[index] = static_cast<std::uint8_t>(page);
    operation.op.address[index] = services_.layout.address(operation.at, page, operation.op.slc);
    operation.op.plane_status[index] = hal::FlashStatus::ok;
    return index;
}

/// Appends a piece to the operation's part of pieces_, or extends its last piece.
void ReadBatch::add_piece(Operation& operation, const UnitRead& unit, const Place& place) {
    if (unit.sectors == 0) {
        return;  // only the page's metadata is wanted
    }
    const std::uint32_t column =
        place.unit_in_page * services_.layout.unit_bytes() + unit.first_sector * hal::kSectorBytes;
    const std::uint32_t length = unit.sectors * hal::kSectorBytes;
    if (operation.pieces > 0) {
        hal::FlashPiece& last = pieces_.back();
        if (last.plane_slot == place.plane && last.column_bytes + last.length_bytes == column &&
            last.dram.value + last.length_bytes == unit.dram.value) {
            last.length_bytes += length;
            return;
        }
    }
    pieces_.push_back(hal::FlashPiece{place.plane, column, length, unit.dram});
    ++operation.pieces;
}

void ReadBatch::reset() {
    used_ = 0;
    pieces_.clear();
}

/// Prepares all reads in one pass, row by row and plane by plane. False, with nothing prepared, if the units
/// of a row do not follow each other.
bool ReadBatch::prepare_in_order(std::span<const UnitRead> units, Cause cause) {
    const MediaLayout& layout = services_.layout;
    const std::uint32_t per_page = layout.units_per_page();
    const std::uint32_t per_row = layout.units_per_row();
    Operation* operation = nullptr;
    Ppa first;                      // first unit of the row
    std::uint32_t plane_first = 0;  // first unit of the plane in the row
    Place place;
    places_.resize(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
        std::uint32_t slot = units[i].ppa.value - first.value;
        bool new_plane = slot - plane_first >= per_page;
        if (operation == nullptr || slot >= per_row) {  // a smaller number wraps around
            const SuperpageAddress at = layout.superpage_of(units[i].ppa);
            const std::uint32_t row = layout.row_of(layout.slot_of(units[i].ppa));
            const std::size_t before = used_;
            place.operation = operation_for(at, row, cause);
            if (used_ == before) {
                return false;
            }
            operation = operations_[place.operation].get();
            operation->first_piece = pieces_.size();
            first = layout.ppa(at, row * per_row);
            slot = units[i].ppa.value - first.value;
            new_plane = true;
        }
        if (new_plane) {
            const std::uint32_t plane = layout.page_of(slot);
            place.plane = plane_index(*operation, layout.page_of_row(operation->row, plane));
            plane_first = plane * per_page;
        }
        place.unit_in_page = static_cast<std::uint8_t>(slot - plane_first);
        places_[i].operation = place.operation;
        places_[i].plane = place.plane;
        places_[i].unit_in_page = place.unit_in_page;
        add_piece(*operation, units[i], place);
    }
    return true;
}

void ReadBatch::prepare_by_operation(std::span<const UnitRead> units, Cause cause) {
    const MediaLayout& layout = services_.layout;
    places_.resize(units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        const Ppa ppa = units[unit].ppa;
        places_[unit].operation =
            operation_for(layout.superpage_of(ppa), layout.row_of(layout.slot_of(ppa)), cause);
    }
    for (std::size_t i = 0; i < used_; ++i) {
        operations_[i]->first_piece = pieces_.size();
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
            Place& place = places_[unit];
            if (place.operation == i) {
                const std::uint32_t slot = layout.slot_of(units[unit].ppa);
                place.plane = plane_index(*operations_[i], layout.page_of(slot));
                place.unit_in_page = static_cast<std::uint8_t>(layout.unit_in_page(slot));
                add_piece(*operations_[i], units[unit], place);
            }
        }
    }
}

void ReadBatch::prepare(std::span<const UnitRead> units, Cause cause, bool with_spare) {
    reset();
    if (!prepare_in_order(units, cause)) {
        reset();
        prepare_by_operation(units, cause);
    }
    for (std::size_t i = 0; i < used_; ++i) {  // pieces_ no longer grows
        Operation& operation = *operations_[i];
        operation.op.pieces = std::span(pieces_).subspan(operation.first_piece, operation.pieces);
        operation.op.spare = with_spare
                                 ? std::span(operation.spare).first(operation.op.planes * metadata_bytes())
                                 : std::span<std::byte>{};
    }
}

void ReadBatch::start(Join& join, Ledger* trunk, bool may_mark_parent, std::uint32_t command_id) {
    join.add(static_cast<std::uint32_t>(used_));
    for (std::size_t i = 0; i < used_; ++i) {
        Operation& operation = *operations_[i];
        operation.join = &join;
        operation.op.command_id = command_id;
        operation.marks_parent = trunk == nullptr || (may_mark_parent && used_ == 1);
        if (!operation.marks_parent) {
            operation.ledger.start(Stage::firmware_execute, services_.executor.now());
        }
        operation.op.ledger = operation.marks_parent ? trunk : &operation.ledger;
        operation.services = &services_;
        operation.op.done =
            hal::Completion{[](void* context) { ended(*static_cast<Operation*>(context)); }, &operation};
        services_.flash->submit(operation.op);
    }
}

void ReadBatch::ended(Operation& operation) {
    tell_if_weak(*operation.services, operation.op, operation.at);
    operation.join->done(operation.marks_parent ? nullptr : &operation.ledger);
}

bool ReadBatch::ok() const {
    for (std::size_t i = 0; i < used_; ++i) {
        if (operations_[i]->op.status != hal::FlashStatus::ok) {
            return false;
        }
    }
    return true;
}

}  // namespace solidtlm::fw
