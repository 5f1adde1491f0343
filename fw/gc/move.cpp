// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/move.h"

#include <algorithm>

namespace solidtlm::fw {

bool Move::whole_superpage() const {
    const MediaLayout& layout = services_.layout;
    const Ppa first = runs_.front().from;
    return held_ == layout.units_per_superpage() && layout.slot_of(first) == 0 &&
           layout.superpage_of(first) == layout.superpage_of(runs_.back().from);
}

bool Move::from_slc() const {
    return table_.info(services_.layout.superblock_index(runs_.front().from)).slc;
}

std::size_t Move::prepare_read(bool metadata_only) {
    const std::uint32_t sectors = metadata_only ? 0 : services_.layout.sectors_per_unit();
    read_list_.clear();
    for (const MovedRun& run : runs_) {
        const auto units = static_cast<std::uint32_t>(run.names.size());
        read_list_.push_back(UnitRead{run.from, run.dram, 0, units * sectors});
    }
    reads_.prepare(read_list_, cause_, true);
    return reads_.operations();
}

std::size_t Move::end_read() {
    noted_ = false;  // the names are again those that the units had when they were programmed
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        MovedRun& run = runs_[i];
        if (reads_.readable(i)) {
            reads_.read_names(i, run.names);
            if (relocator_.check_names(run.names)) {
                continue;
            }
        } else {
            std::ranges::fill(run.names, kNoLpn);
        }
        run.victim->unreadable = true;
        for (std::uint32_t unit = 0; unit < run.names.size(); ++unit) {
            if (run.names[unit] == kNoLpn) {
                run.drop(unit);  // the unit stays in its place, and its superblock stays in use
                ++counters_.unreadable_units;
            }
        }
    }
    return reads_.operations();
}

std::size_t Move::drop_stale() {
    for (MovedRun& run : runs_) {
        run.keep &= table_.valid_from(run.from);
    }
    relocator_.keep_wanted(runs_, noted_);
    std::size_t kept = held_;
    for (const MovedRun& run : runs_) {
        MovedRun::for_each(run.held & ~run.keep, [&kept](std::uint32_t /*unit*/) { --kept; });
    }
    return kept;
}

/// Orders the units by name. Units that are not to be moved may stand anywhere.
void Move::sort_by_name() {
    std::vector<MovedRun> single;
    for (const MovedRun& run : runs_) {
        MovedRun::for_each(run.held, [&](std::uint32_t unit) {
            const DramAddress dram{run.dram.value + std::uint64_t{unit} * services_.layout.unit_bytes()};
            single.push_back(MovedRun{run.place(unit), dram, run.victim, run.names.subspan(unit, 1), 1,
                                      run.keep >> unit & 1U});
        });
    }
    runs_ = std::move(single);
    std::ranges::sort(runs_, {}, [](const MovedRun& run) { return run.names.front(); });
}

hal::FlashOp& Move::prepare_program(SuperpageAddress at, bool copy_back) {
    const MediaLayout& layout = services_.layout;
    if (!copy_back && relocator_.wants_order()) {
        sort_by_name();
    }
    programming_ = true;
    write_list_.resize(held_);
    updates_.resize(held_);
    UnitWrite* write = write_list_.data();
    MapUpdate* update = updates_.data();
    Ppa fresh = layout.ppa(at, 0);
    const std::uint64_t bytes = layout.unit_bytes();
    for (const MovedRun& run : runs_) {
        MovedRun::for_each(run.keep, [&](std::uint32_t unit) {
            write->lpn = run.names[unit];  // by member: assigning a whole UnitWrite would copy a temporary
            write->dram = DramAddress{run.dram.value + unit * bytes};
            update->lpn = run.names[unit];
            update->fresh = fresh;
            update->expected = run.place(unit);
            update->previous = kUnmapped;
            update->refused = false;
            ++write;
            ++update;
            ++fresh;
        });
    }
    write_list_.resize(static_cast<std::size_t>(write - write_list_.data()));
    updates_.resize(write_list_.size());
    counters_.padded_units += layout.units_per_superpage() - write_list_.size();
    write_list_.resize(layout.units_per_superpage());
    const SpareHeader header{allocator_.next_sequence(), PageKind::gc,
                             table_.info(at.pu, at.superblock).erases};
    program_.prepare(services_, at, write_list_, header, cause_);
    hal::FlashOp& op = program_.op();
    if (copy_back) {
        op.opcode = hal::FlashOpcode::copy_back;
        op.source_slc = from_slc();
        op.pieces = {};  // the data stays inside the die; the metadata is new, because a boot relies on it
        const SuperpageAddress source = layout.superpage_of(runs_.front().from);
        for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
            op.source[plane] = layout.address(source, plane);
        }
        ++counters_.copied_back_superpages;
    }
    return op;
}

Task<void> Move::remap(Charge& charge) {
    not_mapped_ = updates_.size();
    return relocator_.remap(updates_, *this, cause_, charge);
}

void Move::end_remap() {
    if (not_mapped_ == 0) {
        return;
    }
    for (const MovedRun& run : runs_) {  // no unit of the name that was read lies there: ECC was wrong
        const auto left = static_cast<std::uint32_t>(std::popcount(run.keep & table_.valid_from(run.from)));
        run.victim->unreadable |= left > 0;
        counters_.unreadable_units += left;
    }
}

void Move::applied(std::span<const MapUpdate> updates, Charge& /*charge*/) {
    table_.mark_moved(updates);
    relocator_.moved(updates);
    counters_.moved_units += updates.size();
    if (services_.modes != nullptr) {
        counters_.folded_units +=
            static_cast<std::uint64_t>(std::ranges::count_if(updates, [this](auto& update) {
                return table_.info(services_.layout.superblock_index(update.previous)).slc;
            }));
    }
    not_mapped_ -= updates.size();
}

void Move::let_go(const Victims& victims) {
    std::erase_if(runs_, [&](MovedRun& run) {
        MovedRun::for_each(run.held & ~run.keep, [&](std::uint32_t unit) {
            victims.release(*run.victim, run.place(unit));
            --held_;
            shrunk_ = true;
        });
        run.held = run.keep;
        return run.held == 0;
    });
}

void Move::end(const Victims& victims, bool failed) {
    const bool left_none = !failed && updates_.size() == held_ && not_mapped_ == 0;
    for (const MovedRun& run : runs_) {
        MovedRun::for_each(run.held, [&](std::uint32_t unit) {
            left_none ? void(--run.victim->outstanding) : victims.release(*run.victim, run.place(unit));
        });
        if (failed) {
            run.victim->cursor = 0;
        }
    }
    runs_.clear();
    updates_.clear();
    busy_ = false;
}

bool Move::programming(Ppa place) const {
    return (programming_ || noted_) && std::ranges::any_of(runs_, [place](const MovedRun& run) {
               const std::uint32_t unit = place.value - run.from.value;  // wraps below
               return unit < run.names.size() && (run.keep >> unit & 1U) != 0;
           });
}

}  // namespace solidtlm::fw
