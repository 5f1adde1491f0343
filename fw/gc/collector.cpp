// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/collector.h"

#include <algorithm>
#include <utility>

#include "fw/drive/host_activity.h"
#include "fw/flash/block_modes.h"
#include "fw/flash/erase_block.h"

namespace solidtlm::fw {

GarbageCollector::GarbageCollector(Services& services, SuperblockTable& table, Allocator& allocator,
                                   Relocator& relocator, DramAddress buffers)
    : services_(services),
      table_(table),
      allocator_(allocator),
      relocator_(relocator),
      policies_{make_victim_policy(services.config.gc.policy, services.config, services.layout),
                make_victim_policy("greedy", services.config, services.layout)},
      idle_look_(services.executor, "something has changed that collection in idle time may look at") {
    const MediaLayout& layout = services.layout;
    const std::uint64_t superpage_bytes = std::uint64_t{layout.units_per_superpage()} * layout.unit_bytes();
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        auto unit = std::make_unique<UnitState>(
            services_, Victims(services_, table_, allocator_, policies_, counters_, Pu{pu}), Pu{pu});
        for (std::uint32_t i = 0; i < services.config.gc.pipeline_depth; ++i) {
            unit->moves.push_back(
                std::make_unique<Move>(services_, table_, allocator_, relocator_, counters_, buffers));
            buffers = DramAddress{buffers.value + superpage_bytes};
        }
        units_.push_back(std::move(unit));
    }
}

void GarbageCollector::start() {
    for (auto& unit : units_) {
        active_ += unit->asleep ? 0 : 1;
        services_.executor.spawn(collect(*unit));
    }
    if (services_.config.collects_in_idle_time()) {
        services_.executor.spawn(look_when_idle());
    }
}

/// When the host is idle, more superblocks should be free, so a sleeping unit may have work to do. A unit
/// that is already working notices by itself that the host is back.
Task<void> GarbageCollector::look_when_idle() {
    while (true) {
        if (!idle_look_due_) {
            co_await idle_look_.wait();
        }
        co_await services_.activity->wait_idle();
        idle_look_due_ = false;
        for (auto& unit : units_) {
            wake_if_wanted(*unit);
        }
    }
}

void GarbageCollector::idle_look_due() {
    if (services_.config.collects_in_idle_time() && !std::exchange(idle_look_due_, true)) {
        idle_look_.notify();
    }
}

void GarbageCollector::tell(hal::Metrics& metrics) const {
    counters_.tell(metrics);
    if (services_.health != nullptr) {
        counters_.tell_reclaimed(metrics);
    }
    if (services_.modes != nullptr) {
        std::uint64_t free = 0;
        for (const auto& unit : units_) {
            free += allocator_.free_for_cache(unit->pu);
        }
        counters_.tell_slc(metrics, free);
    }
}

void GarbageCollector::save_space() {
    for (auto& unit : units_) {
        unit->victims.save_space();
    }
}

void GarbageCollector::stand_down(bool stands_down) {
    stands_down_ = stands_down;
    kick_all();
}

/// After a superblock has been lost, further erases may fail, too. The contents of the write buffer must
/// still find space then.
bool GarbageCollector::may_allocate() const {
    const MediaLayout& layout = services_.layout;
    if (stands_down_) {
        return false;
    }
    if (table_.retired() == 0) {
        return true;
    }
    const std::uint64_t kept =
        std::uint64_t{services_.config.gc.foreground_threshold} * layout.pages() * layout.pus();
    return allocator_.empty_superpages() > std::min(relocator_.superpages_to_come(), kept / 2);
}

/// Leaves a superpage for each of the older moves. Without it no victim might ever become empty, because an
/// older move may hold the rest of each.
std::optional<SuperpageAddress> GarbageCollector::allocate(UnitState& unit, const Move& move) {
    const auto older = std::ranges::find(unit.unplaced, &move) - unit.unplaced.begin();
    if (!may_allocate() || allocator_.gc_room(unit.pu) <= static_cast<std::uint64_t>(older)) {
        return std::nullopt;
    }
    return allocator_.allocate_gc(unit.pu);
}

/// Erases superblocks without valid units, while no data is moved.
void GarbageCollector::erase_empty(UnitState& unit) {
    for (std::uint32_t i = 0; i < services_.layout.superblocks(); ++i) {
        BlockInfo& info = table_.info(unit.pu, Superblock{i});
        if (info.state == BlockState::closed && info.valid == 0 && info.in_flight == 0 && !info.collecting) {
            info.collecting = true;
            ++active_;
            services_.executor.spawn(erase(unit, Superblock{i}, Cause::gc));
        }
    }
}

bool GarbageCollector::erase_empty() {
    for (auto& unit : units_) {
        erase_empty(*unit);
    }
    return active();
}

void GarbageCollector::move_soon(const SuperpageAddress& at) {
    units_[at.pu.value]->victims.move_soon(at.superblock);
    kick(at.pu);
}

void GarbageCollector::kick(Pu pu) {
    UnitState& unit = *units_[pu.value];
    if (unit.victims.count() > 0) {
        erase_finished_victims(unit);
    }
    if (stands_down_) {
        erase_empty(unit);
    }
    wake_moves(unit);  // units that they hold may have become invalid, and their victim empty
    wake_if_wanted(unit);
    idle_look_due();
}

void GarbageCollector::kick_all() {
    for (auto& unit : units_) {
        kick(unit->pu);
    }
}

void GarbageCollector::wake_if_wanted(UnitState& unit) {
    if (unit.asleep && !stands_down_ && unit.victims.wanted()) {
        unit.asleep = false;
        ++active_;
        unit.wake.notify();
    }
}

void GarbageCollector::revisit_deferred_victims() {
    if (!std::exchange(left_behind_, false)) {
        return;
    }
    const std::uint64_t ended = allocator_.host_programs_ended();
    for (auto& unit : units_) {
        left_behind_ |= unit->victims.left_behind();
        // Once for each host program that ended: there may be nothing worth moving.
        if (unit->victims.may_revisit() && std::exchange(unit->revisited_when, ended) != ended) {
            wake_if_wanted(*unit);
        }
    }
}

/// An activity has ended. After the last one, waiters are woken: they see that no space will be freed.
void GarbageCollector::rest() {
    --active_;
    if (!active()) {
        allocator_.progress().notify();
    }
}

Task<void> GarbageCollector::collect(UnitState& unit) {
    while (true) {
        if (unit.asleep) {
            co_await unit.wake.wait();
        }
        if (unit.pipeline.available() == 0) {
            rest();  // each move in the pipeline counts as active itself; the last one hands its count over
        }
        co_await unit.pipeline.acquire(1);
        Move* move = nullptr;
        for (auto& candidate : unit.moves) {
            if (!candidate->busy()) {
                move = candidate.get();
                break;
            }
        }
        const std::size_t victims_before = unit.victims.count();
        if (!stands_down_ && unit.victims.wanted() && move->begin(unit.victims)) {
            if (unit.victims.count() > victims_before) {
                co_await services_.executor.spend(services_.config.cycles.gc_select, nullptr, Cause::gc);
            }
            ++active_;
            unit.unplaced.push_back(move);
            services_.executor.spawn(run(unit, *move));
            continue;
        }
        erase_finished_victims(unit);
        unit.pipeline.release(1);
        unit.asleep = true;
        if (services_.config.collects_in_idle_time() && services_.activity->busy()) {
            idle_look_due();  // it may have stopped for a command; otherwise it has nothing to gain
        }
        rest();
    }
}

/// Wakes the moves that wait for space. They count as active from now on, not only when they run.
void GarbageCollector::wake_moves(UnitState& unit) {
    if (unit.waiting > 0) {
        active_ += std::exchange(unit.waiting, 0);
        unit.space.notify();
    }
}

void GarbageCollector::erase_finished_victims(UnitState& unit) {
    while (const std::optional<Victim> victim = unit.victims.take_finished()) {
        ++active_;
        services_.executor.spawn(erase(unit, victim->superblock, victim->cause));
    }
}

Task<void> GarbageCollector::erase(UnitState& unit, Superblock superblock, Cause cause) {
    BlockInfo& info = table_.info(unit.pu, superblock);
    table_.begin_erase(unit.pu, superblock);
    unit.victims.erase_begins(superblock);
    hal::FlashOp op = superpage_op(services_.layout, hal::FlashOpcode::erase,
                                   SuperpageAddress{unit.pu, superblock, 0}, cause);
    const auto tell = [this, &unit, superblock](hal::Deed deed, hal::Reason reason) {
        services_.decided({.deed = deed,
                           .reason = reason,
                           .unit = unit.pu.value,
                           .block = superblock.value,
                           .erases = table_.info(unit.pu, superblock).erases,
                           .free = table_.free_count(unit.pu)});
    };
    bool usable = false;
    if (co_await relocator_.may_erase()) {
        usable = co_await erase_block(services_, info, op, cause, tell);
        ++counters_.erased;
        counters_.erased_slc += info.slc ? 1 : 0;
    } else {
        tell(hal::Deed::retire, hal::Reason::log_worn_out);
    }
    unit.victims.erase_ends(superblock, usable);
    rest();
    wake_moves(unit);
    allocator_.space_freed(unit.pu);
    kick(unit.pu);
}

Task<void> GarbageCollector::run(UnitState& unit, Move& move) {
    Executor& executor = services_.executor;
    const CycleCosts& cycles = services_.config.cycles;
    // Only whole superpages can move inside the die, and only if every unit is still wanted. Each uncorrected
    // copy would also be harder to read.
    bool copy_back = copies_back(services_.config, move.from_slc()) && services_.health == nullptr &&
                     !services_.config.reliability.parity() && move.whole_superpage();
    bool was_read = false;
    bool ok = true;
    std::optional<SuperpageAddress> at;
    while (true) {
        if (!was_read) {
            co_await executor.spend(move.prepare_read(copy_back) * cycles.flash_issue, nullptr, move.cause());
            co_await move.read();
            co_await executor.spend(move.end_read() * cycles.flash_complete + move.units() * cycles.gc_unit,
                                    nullptr, move.cause());
            was_read = true;
        }
        const std::size_t kept = move.drop_stale();
        if (kept == 0) {
            break;
        }
        if (copy_back && kept < move.units()) {
            copy_back = was_read = false;
            continue;
        }
        if (move.must_note()) {
            co_await move.note();
            continue;
        }
        at = allocate(unit, move);
        if (at) {
            break;
        }
        let_go(unit, move);
        ++unit.waiting;
        rest();  // only an erase, or the end of all moves, wakes it
        co_await unit.space.wait();
    }
    std::erase(unit.unplaced, &move);
    if (move.shrunk()) {
        allocator_.repay(unit.pu);
    }
    if (at) {
        wake_moves(unit);  // the next waiting move may now get space
        hal::FlashOp& op = move.prepare_program(*at, copy_back);
        co_await executor.spend(cycles.allocate + cycles.flash_issue, nullptr, move.cause());
        FlashAwaiter programmed(services_, op);
        const hal::FlashStatus status = co_await programmed;
        ok = status == hal::FlashStatus::ok;
        Charge charge = executor.charge(cycles.flash_complete);
        if (ok) {
            co_await move.remap(charge);
            move.end_remap();
        } else {
            co_await executor.spend(charge, 0, nullptr, move.cause());
        }
        move.programmed();
        allocator_.gc_program_done(*at, status);
        if (!ok) {
            move_soon(*at);
        }
    }
    settle(unit, move, !ok);
    const bool handed_over = unit.pipeline.has_waiters();
    unit.pipeline.release(1);
    if (!handed_over) {
        rest();
    }
}

bool GarbageCollector::programming(Ppa place) const {
    const UnitState& unit = *units_[services_.layout.pu_of(place).value];
    return std::any_of(unit.moves.begin(), unit.moves.end(),
                       [place](const auto& move) { return move->programming(place); });
}

/// Drops units that the move no longer has to move, so that their victim can be erased while the move waits
/// for space.
void GarbageCollector::let_go(UnitState& unit, Move& move) {
    const bool shrunk = move.shrunk();
    move.let_go(unit.victims);
    if (!shrunk && move.shrunk()) {
        allocator_.owe(unit.pu);
    }
    left_behind_ |= unit.victims.left_behind();
    erase_finished_victims(unit);
}

void GarbageCollector::settle(UnitState& unit, Move& move, bool failed) {
    move.end(unit.victims, failed);
    left_behind_ |= unit.victims.left_behind();
    kick(unit.pu);
}

}  // namespace solidtlm::fw
