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

Task<void> Move::read(bool metadata_only) {
    const CycleCosts& cycles = environment_.config.cycles;
    read_list_.clear();
    const std::uint32_t sectors = metadata_only ? 0 : environment_.layout.sectors_per_unit();
    for (const Victims::Unit& unit : units_) {
        read_list_.push_back(UnitRead{unit.from, unit.dram, 0, sectors});
    }
    reads_.prepare(read_list_, cause_, true);
    co_await environment_.executor.spend(reads_.operations() * cycles.flash_issue, nullptr, cause_);
    reads_.start(join_, nullptr, true);
    co_await join_.wait();
    co_await environment_.executor.spend(
        reads_.operations() * cycles.flash_complete + units_.size() * cycles.gc_unit, nullptr, cause_);
    for (std::size_t i = 0; i < units_.size(); ++i) {
        Victims::Unit& unit = units_[i];
        if (reads_.readable(i) && relocator_.is_name(reads_.lpn(i))) {
            unit.lpn = reads_.lpn(i);
            relocator_.prefetch(unit.lpn);
        } else {
            unit.keep = false;  // stays where it is, and its superblock with it
            unit.victim->unreadable = true;
            ++counters_.unreadable_units;
        }
    }
}

std::size_t Move::drop_stale() {
    for (Victims::Unit& unit : units_) {
        unit.keep = unit.keep && table_.is_valid(unit.from) && relocator_.wanted(unit.from, unit.lpn, noted_);
    }
    return static_cast<std::size_t>(
        std::count_if(units_.begin(), units_.end(), [](const Victims::Unit& unit) { return unit.keep; }));
}

bool Move::must_note() const {
    return !noted_ && std::any_of(units_.begin(), units_.end(), [this](const Victims::Unit& unit) {
        return unit.keep && relocator_.must_note(unit.lpn);
    });
}

Task<bool> Move::note() {
    noted_ = true;
    return relocator_.note();
}

Task<bool> Move::program(SuperpageAddress at, bool copy_back, Charge& charge) {
    const MediaLayout& layout = environment_.layout;
    if (!copy_back && relocator_.wants_order()) {
        std::sort(units_.begin(), units_.end(),
                  [](const Victims::Unit& a, const Victims::Unit& b) { return a.lpn < b.lpn; });
    }
    programming_ = true;
    write_list_.assign(layout.units_per_superpage(), UnitWrite{});
    std::size_t slot = 0;
    for (const Victims::Unit& unit : units_) {
        if (unit.keep) {
            write_list_[slot++] = UnitWrite{unit.lpn, unit.dram};
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
    co_await environment_.executor.spend(
        environment_.config.cycles.allocate + environment_.config.cycles.flash_issue, nullptr, cause_);
    FlashAwaiter programmed(environment_, op);
    const hal::FlashStatus status = co_await programmed;
    charge += environment_.executor.charge(environment_.config.cycles.flash_complete);
    if (status != hal::FlashStatus::ok) {
        co_await environment_.executor.spend(charge, 0, nullptr, cause_);
    }
    co_return status == hal::FlashStatus::ok;
}

Task<void> Move::remap(SuperpageAddress at, Charge& charge) {
    updates_.clear();
    std::uint32_t slot = 0;
    for (const Victims::Unit& unit : units_) {
        if (!unit.keep) {
            continue;
        }
        updates_.push_back(MapUpdate{unit.lpn, environment_.layout.ppa(at, slot++), unit.from});
    }
    co_await relocator_.remap(updates_, *this, cause_, charge);
    for (const Victims::Unit& unit : units_) {
        if (unit.keep && table_.is_valid(unit.from)) {  // nothing of that name lies there: ECC was wrong
            unit.victim->unreadable = true;
            ++counters_.unreadable_units;
        }
    }
}

void Move::applied(const MapUpdate& update, Charge& /*charge*/) {
    table_.mark_invalid(update.previous);
    table_.mark_valid(update.fresh);
    relocator_.moved(update.previous, update.fresh);
    ++counters_.moved_units;
}

bool Move::programming(Ppa place) const {
    return programming_ && std::any_of(units_.begin(), units_.end(), [place](const Victims::Unit& unit) {
               return unit.keep && unit.from == place;
           });
}

}  // namespace solidtlm::fw
