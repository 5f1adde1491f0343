// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/move.h"

#include <algorithm>

namespace solidtlm::fw {

bool Move::whole_superpage() const {
    const MediaLayout& layout = environment_.layout;
    const Ppa first = units_.front().from;
    return units_.size() == layout.units_per_superpage() && layout.slot_of(first) == 0 &&
           layout.superpage_of(first) == layout.superpage_of(units_.back().from);
}

std::size_t Move::prepare_read(bool metadata_only) {
    read_list_.resize(units_.size());
    const std::uint32_t sectors = metadata_only ? 0 : environment_.layout.sectors_per_unit();
    for (std::size_t i = 0; i < units_.size(); ++i) {
        read_list_[i].ppa = units_[i].from;
        read_list_[i].dram = units_[i].dram;
        read_list_[i].sectors = sectors;
    }
    reads_.prepare(read_list_, cause_, true);
    return reads_.operations();
}

std::size_t Move::end_read() {
    for (std::size_t i = 0; i < units_.size(); ++i) {
        units_[i].name = reads_.readable(i) ? reads_.lpn(i) : kNoLpn;
    }
    relocator_.check_names(units_);
    for (MovedUnit& unit : units_) {
        if (unit.name == kNoLpn) {
            unit.keep = false;  // stays where it is, and its superblock with it
            unit.victim->unreadable = true;
            ++counters_.unreadable_units;
        }
    }
    return reads_.operations();
}

std::size_t Move::drop_stale() {
    for (MovedUnit& unit : units_) {
        unit.keep = unit.keep && table_.is_valid(unit.from);
    }
    relocator_.keep_wanted(units_, noted_);
    std::size_t kept = 0;
    for (const MovedUnit& unit : units_) {
        kept += unit.keep ? 1 : 0;
    }
    return kept;
}

hal::FlashOp& Move::prepare_program(SuperpageAddress at, bool copy_back) {
    const MediaLayout& layout = environment_.layout;
    if (!copy_back && relocator_.wants_order()) {
        std::ranges::sort(units_, {}, &MovedUnit::name);
    }
    programming_ = true;
    write_list_.assign(layout.units_per_superpage(), UnitWrite{});
    std::size_t slot = 0;
    for (const MovedUnit& unit : units_) {
        if (unit.keep) {
            write_list_[slot].lpn = unit.name;
            write_list_[slot++].dram = unit.dram;
        }
    }
    counters_.padded_units += write_list_.size() - slot;
    const SpareHeader header{allocator_.next_sequence(), PageKind::gc,
                             table_.info(at.pu, at.superblock).erases};
    program_.prepare(environment_, at, write_list_, header, cause_);
    hal::FlashOp& op = program_.op();
    if (copy_back) {
        op.opcode = hal::FlashOpcode::copy_back;
        op.pieces = {};  // the data stay inside; the metadata are new, because a boot relies on them
        const SuperpageAddress source = layout.superpage_of(units_.front().from);
        for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
            op.source[plane] = layout.address(source, plane);
        }
        ++counters_.copied_back_superpages;
    }
    return op;
}

Task<void> Move::remap(SuperpageAddress at, Charge& charge) {
    updates_.clear();
    Ppa fresh = environment_.layout.ppa(at, 0);
    for (const MovedUnit& unit : units_) {
        if (unit.keep) {
            MapUpdate& update = updates_.emplace_back();
            update.lpn = unit.name;
            update.fresh = fresh;
            update.expected = unit.from;
            ++fresh;
        }
    }
    not_mapped_ = updates_.size();
    return relocator_.remap(updates_, *this, cause_, charge);
}

void Move::end_remap() {
    for (const MovedUnit& unit : not_mapped_ > 0 ? std::span(units_) : std::span<MovedUnit>()) {
        if (unit.keep && table_.is_valid(unit.from)) {  // nothing of that name lies there: ECC was wrong
            unit.victim->unreadable = true;
            ++counters_.unreadable_units;
        }
    }
}

void Move::applied(std::span<const MapUpdate> updates, Charge& /*charge*/) {
    table_.mark_moved(updates);
    relocator_.moved(updates);
    counters_.moved_units += updates.size();
    not_mapped_ -= updates.size();
}

void Move::end(const Victims& victims, bool failed) {
    const bool left_none = !failed && updates_.size() == units_.size() && not_mapped_ == 0;
    for (const MovedUnit& unit : units_) {
        if (left_none) {
            --unit.victim->outstanding;
        } else {
            victims.release(*unit.victim, unit.from);
        }
        if (failed) {
            unit.victim->cursor = 0;
        }
    }
    units_.clear();
    updates_.clear();
    busy_ = false;
}

bool Move::programming(Ppa place) const {
    return programming_ && std::ranges::any_of(units_, [place](const MovedUnit& unit) {
               return unit.keep && unit.from == place;
           });
}

}  // namespace solidtlm::fw
