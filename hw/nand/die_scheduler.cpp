// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/die_scheduler.h"

#include <algorithm>
#include <utility>

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashStatus;
using hal::Stage;

namespace {

/// What the bus brings the die first.
Step first_phase(const FlashRequest& request) {
    return request.level > 0 ? Step::feature : Step::command;
}

/// The request's wait for its die ends now.
void end_die_wait(const FlashRequest& request, const hal::HolderClock& die, Stage next) {
    request.end_wait(Stage::die_wait, request.die_asked, request.die_before, die, next, now());
}

}  // namespace

DieScheduler::DieScheduler(const NandConfig& config, BusSequencer& bus, DataMover& data, FlashAgenda& agenda,
                           const FlashTrace& trace)
    : config_(config.controller), bus_(bus), data_(data), agenda_(agenda), trace_(trace) {
    for (std::uint32_t i = 0; i < config.geometry.dies; ++i) {
        dies_.emplace_back(hal::Die{static_cast<std::uint16_t>(i)}, config_.reads_overtake);
    }
}

void DieScheduler::add(FlashRequest& request) {
    DieState& die = begin_wait(request);
    ++die.pending;
    die.queue.push(request);
    max_queued_ = std::max(max_queued_, die.queue.size());
}

DieScheduler::DieState& DieScheduler::begin_wait(FlashRequest& request) {
    DieState& die = die_of(request);
    request.die_asked = now();
    mark_dirty(die);
    return die;
}

void DieScheduler::decodes(FlashRequest& request) {
    die_of(request).decoding.push_back(&request);
}

void DieScheduler::decoded(FlashRequest& request) {
    DieState& die = die_of(request);
    std::erase(die.decoding, &request);
    if (std::exchange(die.kept, false)) {
        release(die, now());
    }
    mark_dirty(die);
}

void DieScheduler::again(FlashRequest& request) {
    request.step = Step::queued;
    begin_wait(request).queue.push_first(request);
}

void DieScheduler::leave(FlashRequest& request) {
    DieState& die = die_of(request);
    die.active = nullptr;
    release(die, now());
    mark_dirty(die);
}

/// An erase must not begin while a page of its block may have to be read again: the die is kept for that.
bool DieScheduler::keeps_from(DieState& die, const FlashRequest& next) {
    const auto of_block = [&next](const FlashRequest* read) { return share_block(*next.op, *read->op); };
    const auto read = std::ranges::find_if(die.decoding, of_block);
    if (next.op->opcode != FlashOpcode::erase || read == die.decoding.end()) {
        return false;
    }
    if (!die.clock.held()) {
        hold(die, **read);
        die.kept = true;
    }
    return true;
}

void DieScheduler::remove(FlashRequest& request) {
    DieState& die = die_of(request);
    if (die.active == &request) {
        die.active = nullptr;
        release(die, now());
        mark_dirty(die);
    }
    --die.pending;
}

void DieScheduler::mark_dirty(DieState& die) {
    if (!die.dirty) {
        die.dirty = true;
        dirty_.push_back(&die);
    }
}

// Granting a die never makes another die free, but may ask for the bus.
void DieScheduler::schedule() {
    for (std::size_t i = 0; i < dirty_.size(); ++i) {
        dirty_[i]->dirty = false;
        schedule(*dirty_[i]);
        note_waits(*dirty_[i]);
    }
    dirty_.clear();
}

/// Of those that asked for the die at this instant one may have it: the others' waits begin.
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
    if (die.leaving && die.free_at <= now()) {
        die.leaving = false;
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
    if (at >= now()) {  // else empties() has told it ahead of time
        trace_.die_released(at, die.index);
    }
}

void DieScheduler::schedule(DieState& die) {
    settle(die);
    const bool wanted = !die.queue.empty() || die.suspended != nullptr;
    if (die.leaving) {
        if (wanted && die.wake_at != die.free_at) {
            die.wake_at = die.free_at;
            agenda_.push_die_free(die.free_at, die.index.value);
        }
        return;
    }
    if (!wanted) {
        return;
    }
    if (die.active != nullptr) {
        try_interrupt(die);
    } else if (die.suspended != nullptr) {
        go_on_after_suspension(die);
    } else {
        FlashRequest& next = *die.queue.next();
        if (die.decoding.empty() || !keeps_from(die, next)) {
            grant(die, next);
        }
    }
}

void DieScheduler::grant(DieState& die, FlashRequest& request) {
    die.queue.remove(request);
    die.active = &request;
    die.kept = false;
    hold(die, request);
    end_die_wait(request, die.clock, Stage::channel_wait);
    if (request.op->opcode == FlashOpcode::program && !data_.ready(request)) {
        data_.wait_for(request);
    } else {
        bus_.ask(request, first_phase(request));
    }
}

/// The read that paused an operation is done with the die: the next one, or the operation itself.
void DieScheduler::go_on_after_suspension(DieState& die) {
    FlashRequest& paused = *die.suspended;
    FlashRequest* read =
        paused.suspends < config_.max_suspends ? die.queue.interrupting_read(*paused.op) : nullptr;
    if (read != nullptr) {
        ++paused.suspends;
        grant(die, *read);
        return;
    }
    die.suspended = nullptr;
    die.active = &paused;
    hold(die, paused);
    end_die_wait(paused, die.clock, Stage::channel_wait);
    bus_.ask(paused, Step::resume);
}

/// Lets a waiting host read pause the program or erase that holds its die.
void DieScheduler::try_interrupt(DieState& die) {
    const FlashRequest& running = *die.active;
    const bool allowed = (config_.suspend_program && running.op->opcode == FlashOpcode::program) ||
                         (config_.suspend_erase && running.op->opcode == FlashOpcode::erase);
    if (!allowed || die.interrupter != nullptr || die.suspended != nullptr || running.step != Step::array ||
        !running.confirmed || running.ready_at <= now() || running.suspends >= config_.max_suspends) {
        return;
    }
    if (FlashRequest* read = die.queue.interrupting_read(*running.op)) {
        die.interrupter = read;
        bus_.ask_to_suspend(*read);
    }
}

bool DieScheduler::suspends(FlashRequest& read) {
    DieState& die = die_of(read);
    FlashRequest& running = *die.active;
    die.interrupter = nullptr;
    if (running.ready_at <= now() + bus_.suspend_time()) {
        read.step = Step::queued;
        return false;
    }
    die.queue.remove(read);
    end_die_wait(read, die.clock, Stage::channel_transfer);
    ++running.token;  // its R/B# does not rise when it would have
    ++running.suspends;
    running.step = Step::suspended;
    ++suspends_;
    die.suspended = &running;
    die.active = &read;
    return true;
}

void DieScheduler::pausing(FlashRequest& read) {
    DieState& die = die_of(read);
    FlashRequest& paused = *die.suspended;
    hold(die, read);
    read.enter(Stage::array, now());
    paused.enter(Stage::die_wait, now());
    paused.die_before = die.clock.snapshot(now());
}

bool DieScheduler::ready(FlashRequest& request) {
    FlashOp& op = *request.op;
    DieState& die = die_of(request);
    if (request.step == Step::suspending) {
        bus_.ask(request, first_phase(request));
        return false;
    }
    if (request.step == Step::feature) {
        request.slot = 0;
        request.confirmed = false;
        bus_.ask(request, Step::command);
        return false;
    }
    if (die.interrupter != nullptr) {  // there is nothing to pause any more
        bus_.withdraw(*die.interrupter);
        die.interrupter = nullptr;
    }
    if (!request.confirmed) {
        ++request.slot;
        bus_.ask(request, Step::command);
        return false;
    }
    if (op.status == FlashStatus::rule_violation) {
        return true;
    }
    switch (op.opcode) {
        case FlashOpcode::read:
            bus_.ask(request, Step::data_out);
            break;
        case FlashOpcode::copy_back:
            if (request.copy_source_read) {
                bus_.ask(request, Step::status);
            } else {
                request.copy_source_read = true;
                request.slot = 0;
                bus_.ask(request, Step::command);
            }
            break;
        case FlashOpcode::program:
        case FlashOpcode::erase:
            bus_.ask(request, Step::status);
            break;
    }
    return false;
}

void DieScheduler::empties(FlashRequest& request, Ps end) {
    DieState& die = die_of(request);
    die.active = nullptr;  // nothing more is to be done for it at the die
    die.leaving = true;
    die.free_at = end;
    trace_.die_released(end, die.index);
}

void DieScheduler::power_cut() {
    for (DieState& die : dies_) {
        if (die.clock.held()) {
            release(die, die.held_until(now()));
        }
        die.queue.clear();
        die.active = die.suspended = die.interrupter = nullptr;
        die.leaving = die.kept = false;
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
        operations.push_back(PendingOperation{state.active->op, true, state.held_since, state.active->step});
    }
    if (state.suspended != nullptr) {
        operations.push_back(PendingOperation{state.suspended->op, false, Ps{0}, Step::suspended});
    }
    for (const FlashRequest* request : state.queue.waiting()) {
        operations.push_back(PendingOperation{request->op, false, Ps{0}, request->step});
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
