// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/die_scheduler.h"

#include <algorithm>
#include <utility>

namespace solidtlm::hw {

using hal::FlashOpcode;
using hal::Stage;

namespace {

/// The request's wait for its die ends now.
void end_wait(const FlashRequest& request, const hal::HolderClock& die, Stage next) {
    request.end_wait(Stage::die_wait, request.die_asked, request.die_before, die, next, now());
}

}  // namespace

DieScheduler::DieScheduler(const NandConfig& config, const FlashTrace& trace, Ps suspend_time)
    : config_(config.controller), trace_(trace), suspend_time_(suspend_time) {
    for (std::uint32_t i = 0; i < config.geometry.dies; ++i) {
        dies_.emplace_back(hal::Die{static_cast<std::uint16_t>(i)}, config_.reads_overtake);
    }
}

void DieScheduler::add(FlashRequest& request) {
    DieState& die = of(request);
    request.die_asked = now();
    mark_dirty(die);
    ++die.pending;
    die.queue.push(request);
    max_queued_ = std::max(max_queued_, die.queue.size());
}

void DieScheduler::unguard_block(FlashRequest& request) {
    DieState& die = of(request);
    std::erase(die.decoding, &request);
    if (std::exchange(die.withheld, false)) {
        release(die, now());
    }
    mark_dirty(die);
}

void DieScheduler::requeue_for_retry(FlashRequest& request) {
    DieState& die = of(request);
    request.die_asked = now();
    mark_dirty(die);
    die.queue.push_first(request);
}

void DieScheduler::release_after_retry(FlashRequest& request) {
    DieState& die = of(request);
    die.active = nullptr;
    release(die, now());
    mark_dirty(die);
}

void DieScheduler::remove(FlashRequest& request) {
    DieState& die = of(request);
    if (die.active == &request) {
        release_after_retry(request);
    }
    --die.pending;
}

/// An erase must not begin while a page of its block may have to be read again: the die is withheld for that.
bool DieScheduler::keeps_from(DieState& die, const FlashRequest& next) {
    const auto of_block = [&next](const FlashRequest* read) { return share_block(*next.op, *read->op); };
    const auto read = std::ranges::find_if(die.decoding, of_block);
    if (next.op->opcode != FlashOpcode::erase || read == die.decoding.end()) {
        return false;
    }
    if (!die.clock.held()) {
        hold(die, **read);
        die.withheld = true;
    }
    return true;
}

void DieScheduler::mark_dirty(DieState& die) {
    if (!die.dirty) {
        die.dirty = true;
        dirty_.push_back(&die);
    }
}

DieScheduler::DieState* DieScheduler::next_changed() {
    if (next_dirty_ == dirty_.size()) {
        dirty_.clear();
        next_dirty_ = 0;
        return nullptr;
    }
    DieState* die = dirty_[next_dirty_++];
    die->dirty = false;
    return die;
}

void DieScheduler::note_waits(const DieState& die) {
    for (FlashRequest* request : die.queue.waiting()) {
        if (request->die_asked == now() && request->op->ledger != nullptr) {
            request->op->ledger->enter(Stage::die_wait, now());
            request->die_before = die.clock.snapshot(now());
        }
    }
}

/// A die whose last data left at free_at has been free since then.
void DieScheduler::settle(DieState& die) {
    if (die.release_pending && die.free_at <= now()) {
        die.release_pending = false;
        release(die, die.free_at);
    }
}

void DieScheduler::hold(DieState& die, const FlashRequest& request) {
    if (die.clock.held()) {
        release(die, now());
    }
    die.clock.take(holder_of(*request.op), now());
    die.cause = request.op->cause;
    die.held_since = now();
    trace_.die_taken(*request.op);
}

void DieScheduler::release(DieState& die, Ps at) {
    die.clock.release(at);
    held_[static_cast<std::size_t>(die.cause)] += at - die.held_since;
    if (at >= now()) {  // else release_at() has reported it ahead of time
        trace_.die_released(at, die.index);
    }
}

DieScheduler::Turn DieScheduler::schedule(DieState& die) {
    settle(die);
    Turn turn;
    if (die.queue.empty() && die.suspended == nullptr) {
        return turn;
    }
    if (die.release_pending) {
        if (die.wake_at != die.free_at) {
            die.wake_at = turn.look_at = die.free_at;
        }
    } else if (die.active != nullptr) {
        turn.preempting_read = die.preempting_read == nullptr ? preempting_read(die) : nullptr;
        die.preempting_read = turn.preempting_read != nullptr ? turn.preempting_read : die.preempting_read;
    } else if (die.suspended != nullptr) {
        turn.holder = after_suspension(die);
    } else {
        FlashRequest& next = *die.queue.next();
        turn.holder = die.decoding.empty() || !keeps_from(die, next) ? grant(die, next) : nullptr;
    }
    return turn;
}

FlashRequest* DieScheduler::grant(DieState& die, FlashRequest& request) {
    die.queue.remove(request);
    die.active = &request;
    die.withheld = false;
    hold(die, request);
    end_wait(request, die.clock, Stage::channel_wait);
    return &request;
}

/// The read that paused an operation is done with the die: the next one, or the operation itself.
FlashRequest* DieScheduler::after_suspension(DieState& die) {
    FlashRequest& paused = *die.suspended;
    FlashRequest* read =
        paused.suspends < config_.max_suspends ? die.queue.preempting_read(*paused.op) : nullptr;
    if (read != nullptr) {
        ++paused.suspends;
        return grant(die, *read);
    }
    die.suspended = nullptr;
    die.active = &paused;
    hold(die, paused);
    end_wait(paused, die.clock, Stage::channel_wait);
    return &paused;
}

/// The read of the host that waits and may pause the program or erase that holds its die, or null.
FlashRequest* DieScheduler::preempting_read(DieState& die) const {
    const FlashRequest& running = *die.active;
    const bool allowed = (config_.suspend_program && running.op->opcode == FlashOpcode::program) ||
                         (config_.suspend_erase && running.op->opcode == FlashOpcode::erase);
    if (!allowed || die.suspended != nullptr || !running.working || running.ready_at <= now() ||
        running.suspends >= config_.max_suspends) {
        return nullptr;
    }
    return die.queue.preempting_read(*running.op);
}

FlashRequest* DieScheduler::preempt(FlashRequest& read) {
    DieState& die = of(read);
    FlashRequest& running = *die.active;
    die.preempting_read = nullptr;
    if (running.ready_at <= now() + suspend_time_) {
        return nullptr;
    }
    die.queue.remove(read);
    end_wait(read, die.clock, Stage::channel_transfer);
    ++running.suspends;
    running.working = false;
    ++suspends_;
    die.suspended = &running;
    die.active = &read;
    return &running;
}

void DieScheduler::pausing(FlashRequest& read) {
    DieState& die = of(read);
    FlashRequest& paused = *die.suspended;
    hold(die, read);
    read.enter(Stage::array, now());
    paused.enter(Stage::die_wait, now());
    paused.die_before = die.clock.snapshot(now());
}

void DieScheduler::release_at(FlashRequest& request, Ps end) {
    DieState& die = of(request);
    die.active = nullptr;  // nothing more is to be done for it at the die
    die.release_pending = true;
    die.free_at = end;
    trace_.die_released(end, die.index);
}

void DieScheduler::power_cut() {
    for (DieState& die : dies_) {
        if (die.clock.held()) {
            release(die, die.held_until(now()));
        }
        die.queue.clear();
        die.active = die.suspended = die.preempting_read = nullptr;
        die.release_pending = die.withheld = false;
        die.decoding.clear();
        die.wake_at = Ps{-1};
        die.pending = 0;
    }
}

hal::HolderTimes DieScheduler::times(hal::Die die) const {
    const DieState& state = dies_[die.value];
    return state.clock.snapshot(state.held_until(now()));
}

std::vector<PendingOperation> DieScheduler::pending_operations(hal::Die die) const {
    const DieState& state = dies_[die.value];
    std::vector<PendingOperation> operations;
    if (state.active != nullptr) {
        operations.push_back({state.active->op, true, false, state.held_since, state.active->at});
    }
    if (state.suspended != nullptr) {
        operations.push_back({state.suspended->op, false, true, Ps{0}, ""});
    }
    for (const FlashRequest* request : state.queue.waiting()) {
        operations.push_back({request->op, false, false, Ps{0}, ""});
    }
    return operations;
}

void DieScheduler::report(FlashControllerStatistics& statistics) const {
    statistics.suspends = suspends_;
    statistics.max_queued = max_queued_;
    statistics.die_held = held_;
    for (const DieState& die : dies_) {
        if (die.clock.held()) {
            statistics.die_held[static_cast<std::size_t>(die.cause)] +=
                die.held_until(now()) - die.held_since;
        }
    }
}

}  // namespace solidtlm::hw
