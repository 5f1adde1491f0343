// SPDX-License-Identifier: Apache-2.0
//
// Garbage collection: what becomes of a superpage's worth of units that were gathered from victims.
#include <algorithm>
#include <utility>

#include "fw/media/gc/collector_parts.h"

namespace solidtlm::fw {

Task<void> GarbageCollector::read_units(Move& move, bool metadata_only) {
    const CycleCosts& cycles = environment_.config.cycles;
    move.read_list.clear();
    const std::uint32_t sectors = metadata_only ? 0 : environment_.layout.sectors_per_unit();
    for (const Move::Unit& unit : move.units) {
        move.read_list.push_back(UnitRead{unit.from, unit.dram, 0, sectors});
    }
    move.reads.prepare(move.read_list, move.cause, true);
    co_await environment_.executor.spend(move.reads.operations() * cycles.flash_issue, nullptr, move.cause);
    move.reads.start(move.join, nullptr, true);
    co_await move.join.wait();
    co_await environment_.executor.spend(
        move.reads.operations() * cycles.flash_complete + move.units.size() * cycles.gc_unit, nullptr,
        move.cause);
    for (std::size_t i = 0; i < move.units.size(); ++i) {
        Move::Unit& unit = move.units[i];
        if (move.reads.readable(i)) {
            unit.lpn = move.reads.lpn(i);
            if (!is_shared(unit.lpn)) {
                parts_.map.prefetch(unit.lpn);
            }
        } else {
            unit.keep = false;  // stays where it is, and its superblock with it
            unit.victim->unreadable = true;
            ++counters_.unreadable_units;
        }
    }
}

/// Units that were overwritten or trimmed since they were gathered, or whose newer version is on its way.
/// Those that are shared go under the name of their virtual block.
void GarbageCollector::drop_stale(Move& move) {
    for (Move::Unit& unit : move.units) {
        unit.keep = unit.keep && parts_.table.is_valid(unit.from) && !parts_.buffer.programming(unit.lpn);
        if (unit.keep && parts_.shared != nullptr && !is_shared(unit.lpn)) {
            if (const auto block = parts_.shared->find(unit.from); block) {
                // That it is shared is not on flash yet, if that came while the others' names were noted.
                unit.keep = !move.noted;
                unit.lpn = name_of(*block);
            }
        }
    }
}

/// Before a shared page is programmed under the name of its virtual block, flash must know of that: else the
/// name might, after a loss of power, be taken for that of an earlier one.
bool GarbageCollector::must_note(const Move& move) const {
    return parts_.shared != nullptr && !move.noted && parts_.log->pending() &&
           std::any_of(move.units.begin(), move.units.end(),
                       [](const Move::Unit& unit) { return unit.keep && is_shared(unit.lpn); });
}

Task<bool> GarbageCollector::program_move(Move& move, SuperpageAddress at, bool copy_back) {
    const MediaLayout& layout = environment_.layout;
    if (!copy_back && parts_.map.wants_order()) {
        std::sort(move.units.begin(), move.units.end(),
                  [](const Move::Unit& a, const Move::Unit& b) { return a.lpn < b.lpn; });
    }
    move.write_list.assign(layout.units_per_superpage(), UnitWrite{});
    std::size_t slot = 0;
    for (const Move::Unit& unit : move.units) {
        if (unit.keep) {
            move.write_list[slot++] = UnitWrite{unit.lpn, unit.dram};
        }
    }
    counters_.padded_units += move.write_list.size() - slot;
    const SpareHeader header{parts_.allocator.next_sequence(), PageKind::gc,
                             parts_.table.info(at.pu, at.superblock).erases};
    move.program.prepare(environment_, at, move.write_list, header, move.cause);
    hal::FlashOp& op = move.program.op();
    if (copy_back) {
        op.opcode = hal::FlashOpcode::copy_back;
        op.pieces = {};  // the data stay inside; the metadata are new, because a boot relies on them
        const SuperpageAddress source = layout.superpage_of(move.units.front().from);
        for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
            op.source[plane] = layout.address(source, plane);
        }
        ++counters_.copied_back_superpages;
    }
    co_await environment_.executor.spend(
        environment_.config.cycles.allocate + environment_.config.cycles.flash_issue, nullptr, move.cause);
    FlashAwaiter programmed(environment_, op);
    const hal::FlashStatus status = co_await programmed;
    environment_.executor.charge(environment_.config.cycles.flash_complete);
    if (status != hal::FlashStatus::ok) {
        co_await environment_.executor.spend(0, nullptr, move.cause);
    }
    co_return status == hal::FlashStatus::ok;
}

Task<void> GarbageCollector::remap(Move& move, SuperpageAddress at) {
    move.updates.clear();
    std::uint32_t slot = 0;
    for (const Move::Unit& unit : move.units) {
        if (!unit.keep) {
            continue;
        }
        const Ppa to = environment_.layout.ppa(at, slot++);
        if (is_shared(unit.lpn)) {
            move_shared(block_of(unit.lpn), unit.from, to);
        } else {
            move.updates.push_back(MapUpdate{unit.lpn, to, unit.from});
        }
    }
    co_await parts_.map.update(move.updates, *this, move.cause, nullptr);
}

void GarbageCollector::applied(const MapUpdate& update) {
    moved(update.previous, update.fresh);
}

/// All logical pages follow. Nothing happens if the last of them has gone meanwhile.
void GarbageCollector::move_shared(VirtualBlock block, Ppa from, Ppa to) {
    if (parts_.shared->place(block) == from) {
        parts_.shared->move(block, to);
        environment_.executor.charge(environment_.config.cycles.map_update);
        moved(from, to);
    }
}

void GarbageCollector::moved(Ppa from, Ppa to) {
    parts_.table.mark_invalid(from);
    parts_.table.mark_valid(to);
    if (parts_.dedup != nullptr) {
        parts_.dedup->moved(from, to);
    }
    ++counters_.moved_units;
}

Task<void> GarbageCollector::run_move(UnitState& unit, Move& move) {
    // Inside the die only whole superpages can move, and only where every unit is still wanted.
    bool copy_back = environment_.config.gc.copy_back &&
                     move.units.size() == environment_.layout.units_per_superpage() &&
                     environment_.layout.slot_of(move.units.front().from) == 0 &&
                     environment_.layout.superpage_of(move.units.front().from) ==
                         environment_.layout.superpage_of(move.units.back().from);
    co_await read_units(move, copy_back);
    move.noted = false;
    bool ok = true;
    std::optional<SuperpageAddress> at;
    while (true) {
        drop_stale(move);
        const auto kept = std::count_if(move.units.begin(), move.units.end(),
                                        [](const Move::Unit& moved) { return moved.keep; });
        if (kept == 0) {
            break;
        }
        if (copy_back && kept < static_cast<std::ptrdiff_t>(move.units.size())) {
            copy_back = false;
            co_await read_units(move, false);
            continue;
        }
        if (must_note(move)) {
            move.noted = true;
            co_await parts_.log->persist();
            continue;
        }
        at = may_allocate() ? parts_.allocator.allocate_gc(unit.pu) : std::nullopt;
        if (at) {
            break;
        }
        let_go(unit, move);
        ++unit.waiting;
        rest();  // only an erase, or that there is nothing left to move, gets it going again
        co_await unit.space.wait();
    }
    if (at) {
        move.programming = true;
        ok = co_await program_move(move, *at, copy_back);
        if (ok) {
            co_await remap(move, *at);
        }
        move.programming = false;
        parts_.allocator.program_done(*at, Stream::gc, ok);
    }
    settle(unit, move, !ok);
    const bool handed_over = unit.pipeline.has_waiters();
    unit.pipeline.release(1);
    if (!handed_over) {
        rest();
    }
}

bool GarbageCollector::programming(Ppa place) const {
    const UnitState& unit = *units_[environment_.layout.superpage_of(place).pu.value];
    return std::any_of(unit.moves.begin(), unit.moves.end(), [place](const auto& move) {
        return move->programming &&
               std::any_of(move->units.begin(), move->units.end(),
                           [place](const auto& moved) { return moved.keep && moved.from == place; });
    });
}

/// What a move need not move any more keeps nobody from erasing its victim while the move waits for space.
void GarbageCollector::let_go(UnitState& unit, Move& move) {
    std::erase_if(move.units, [this](const Move::Unit& moved) {
        if (!moved.keep) {
            release(*moved.victim, moved.from);
        }
        return !moved.keep;
    });
    erase_finished_victims(unit);
}

/// The fate of a unit is decided: it was moved, has become invalid, or stays in its victim.
void GarbageCollector::release(Victim& victim, Ppa unit) const {
    --victim.outstanding;
    victim.left_behind |= !victim.unreadable && parts_.table.is_valid(unit);
}

/// Units that could not be moved stay valid in their victim; after a failure the victim is looked through
/// again.
void GarbageCollector::settle(UnitState& unit, Move& move, bool failed) {
    for (const Move::Unit& moved : move.units) {
        release(*moved.victim, moved.from);
        if (failed) {
            moved.victim->cursor = 0;
        }
    }
    move.units.clear();
    move.busy = false;
    erase_finished_victims(unit);
    kick(unit.pu);
}

}  // namespace solidtlm::fw
