// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/die_scheduler.h"

#include <algorithm>
#include <utility>

#include "hw/nand/plane_reads.h"

namespace solidtlm::hw {

using hal::FlashOpcode;
using hal::Stage;

namespace {

/// Ends the request's wait for its die.
void end_wait(const FlashRequest& request, const hal::HolderClock& die, Stage next) {
    request.end_wait(Stage::die_wait, request.die_asked, request.die_before, die, next, now());
}

}  // namespace

DieScheduler::DieScheduler(const NandConfig& config, const FlashTrace& trace, Ps suspend_time)
    : config_(config.controller),
      plane_reads_(plane_reads_of(config)),
      trace_(trace),
      suspend_time_(suspend_time) {
    for (std::uint32_t i = 0; i < config.geometry.dies; ++i) {
        dies_.emplace_back(hal::Die{static_cast<std::uint16_t>(i)}, config_.reads_overtake);
    }
}

void DieScheduler::add(FlashRequest& request) {
    DieState& die = of(request);
    request.die_asked = now();
    request.planes = planes_taken(plane_reads_, *request.op);
    mark_dirty(die);
    ++die.pending;
    die.queue.push(request);
    max_queued_ = std::max(max_queued_, die.queue.size());
}

void DieScheduler::unguard_block(FlashRequest& request) {
    DieState& die = of(request);
    std::erase(die.decoding, &request);
    if (std::exchange(die.withheld, false)) {
        die.shares.release(now());
        trace_.die_released(now(), die.index, hal::kAllPlanes);
    }
    mark_dirty(die);
}

void DieScheduler::requeue_for_retry(FlashRequest& request) {
    DieState& die = of(request);
    request.die_asked = now();
    request.planes = hal::kAllPlanes;
    mark_dirty(die);
    die.queue.push_first(request);
}

void DieScheduler::release_after_retry(FlashRequest& request) {
    give_back(of(request), request);
}

void DieScheduler::give_back(DieState& die, const FlashRequest& request) {
    trace_.die_released(now(), die.index, die.shares.give_back(request, now()));
    mark_dirty(die);
}

void DieScheduler::remove(FlashRequest& request) {
    DieState& die = of(request);
    if (die.shares.has(request)) {
        give_back(die, request);
    }
    --die.pending;
}

/// True if `next` is an erase and a page of its block may have to be read again: the die is withheld until
/// then.
bool DieScheduler::keeps_from(DieState& die, const FlashRequest& next) {
    const auto of_block = [&next](const FlashRequest* read) { return share_block(*next.op, *read->op); };
    const auto read = std::ranges::find_if(die.decoding, of_block);
    if (next.op->opcode != FlashOpcode::erase || read == die.decoding.end()) {
        return false;
    }
    if (!die.withheld) {
        die.shares.keep_for(*(*read)->op, now());
        trace_.die_taken(*(*read)->op, hal::kAllPlanes);
        die.withheld = true;
    }
    return true;
}

void DieScheduler::mark_dirty(DieState& die) {
    if (!die.dirty) {
        die.dirty = true;
        changed_.dies.push_back(&die);
    }
}

DieScheduler::DieState* DieScheduler::next_changed() {
    if (changed_.next == changed_.dies.size()) {
        changed_.dies.clear();
        changed_.next = 0;
        return nullptr;
    }
    DieState* die = changed_.dies[changed_.next++];
    die->dirty = false;
    return die;
}

void DieScheduler::note_waits(const DieState& die) {
    for (FlashRequest* request : die.queue.waiting()) {
        if (request->die_asked == now() && request->op->ledger != nullptr) {
            request->op->ledger->enter(Stage::die_wait, now());
            request->die_before = die.shares.clock().snapshot(now());
        }
    }
}

DieScheduler::Turn DieScheduler::schedule(DieState& die) {
    die.shares.settle(now());
    Turn turn;
    if (die.queue.empty() && die.suspended == nullptr) {
        return turn;
    }
    if (die.shares.taken() != hal::kAllPlanes) {
        turn.holder = die.suspended != nullptr ? after_suspension(die) : next_holder(die);
        if (turn.holder != nullptr) {
            if (turn.holder->planes != hal::kAllPlanes && !die.queue.empty()) {
                mark_dirty(die);  // another read may begin, too
            }
            return turn;
        }
    }
    if (die.shares.next_free() != PlaneShares::kNever) {
        if (die.wake_at != die.shares.next_free()) {
            die.wake_at = turn.look_at = die.shares.next_free();
        }
    } else if (die.shares.oldest() != nullptr) {
        turn.preempting_read = die.preempting_read == nullptr ? preempting_read(die) : nullptr;
        die.preempting_read = turn.preempting_read != nullptr ? turn.preempting_read : die.preempting_read;
    }
    return turn;
}

FlashRequest* DieScheduler::next_holder(DieState& die) {
    FlashRequest* next =
        die.shares.taken() == 0 ? die.queue.next() : die.queue.next_beside(die.shares.taken());
    const bool waits = next == nullptr || (!die.decoding.empty() && keeps_from(die, *next));
    return waits ? nullptr : grant(die, *next);
}

/// The request gets its planes, which are free.
FlashRequest* DieScheduler::take(DieState& die, FlashRequest& request) {
    if (std::exchange(die.withheld, false)) {
        trace_.die_released(now(), die.index, hal::kAllPlanes);
    }
    die.shares.take(request, now());
    trace_.die_taken(*request.op, request.planes);
    end_wait(request, die.shares.clock(), Stage::channel_wait);
    return &request;
}

FlashRequest* DieScheduler::grant(DieState& die, FlashRequest& request) {
    die.queue.remove(request);
    return take(die, request);
}

/// The read that paused an operation has left its planes, or other operations want planes: another host read
/// gets them, or the paused operation gets the die back when it is free.
FlashRequest* DieScheduler::after_suspension(DieState& die) {
    FlashRequest& paused = *die.suspended;
    FlashRequest* read = paused.suspends < config_.max_suspends
                             ? die.queue.preempting_read(*paused.op, die.shares.taken())
                             : nullptr;
    if (read != nullptr) {
        ++paused.suspends;
        return grant(die, *read);
    }
    if (die.shares.taken() != 0) {
        return nullptr;
    }
    die.suspended = nullptr;
    return take(die, paused);
}

/// The waiting host read that may pause the program or erase on its die, or null.
FlashRequest* DieScheduler::preempting_read(DieState& die) const {
    const FlashRequest& running = *die.shares.oldest();
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
    FlashRequest& running = *die.shares.oldest();
    die.preempting_read = nullptr;
    if (running.ready_at <= now() + suspend_time_) {
        return nullptr;
    }
    die.queue.remove(read);
    end_wait(read, die.shares.clock(), Stage::channel_transfer);
    ++running.suspends;
    running.working = false;
    ++suspends_;
    die.suspended = &running;
    die.shares.replace(read);
    return &running;
}

void DieScheduler::pausing(FlashRequest& read) {
    DieState& die = of(read);
    FlashRequest& paused = *die.suspended;
    die.shares.hand_over(now());
    trace_.die_released(now(), die.index, hal::kAllPlanes);
    trace_.die_taken(*read.op, hal::kAllPlanes);
    read.enter(Stage::array, now());
    paused.enter(Stage::die_wait, now());
    paused.die_before = die.shares.clock().snapshot(now());
}

void DieScheduler::paused(FlashRequest& read) {
    DieState& die = of(read);
    if (const hal::PlaneSet others = die.shares.narrow(read); others != 0) {
        trace_.die_released(now(), die.index, others);
        mark_dirty(die);
    }
}

void DieScheduler::release_at(FlashRequest& request, Ps end) {
    DieState& die = of(request);
    trace_.die_released(end, die.index, die.shares.leave(request, end));
}

void DieScheduler::power_cut() {
    for (DieState& die : dies_) {
        die.shares.settle(now());
        if (die.shares.clock().held()) {
            trace_.die_released(now(), die.index, die.withheld ? hal::kAllPlanes : die.shares.taken());
        }
        die.shares.power_cut(now());
        die = DieState(die.index, config_.reads_overtake, die.shares);
    }
    changed_ = {};
}

hal::HolderTimes DieScheduler::times(hal::Die die) const {
    return dies_[die.value].shares.times(now());
}

std::vector<PendingOperation> DieScheduler::pending_operations(hal::Die die) const {
    const DieState& state = dies_[die.value];
    std::vector<PendingOperation> operations;
    for (const PlaneShares::Share& share : state.shares.all()) {
        if (share.request != nullptr) {
            operations.push_back({share.request->op, true, false, share.since, share.request->at});
        }
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
    for (const DieState& die : dies_) {
        const TimeByCause held = die.shares.held(now());
        for (std::size_t cause = 0; cause < held.size(); ++cause) {
            statistics.die_held[cause] += held[cause];
        }
    }
}

}  // namespace solidtlm::hw
