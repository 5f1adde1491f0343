// SPDX-License-Identifier: Apache-2.0
//
// Bus phases of the flash controller: how long each is, what it makes the die do, and what comes after it.
#include <algorithm>

#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashStatus;
using hal::Stage;

/// From now on the ledger counts a wait for the bus.
void FlashController::wait_for_bus(FlashRequest& request) {
    if (request.waits_for_bus) {
        return;
    }
    request.waits_for_bus = true;
    if (request.op->ledger != nullptr) {
        request.op->ledger->enter(Stage::channel_wait, now());
        request.bus_before = bus_.snapshot(now());
    }
}

void FlashController::ask_bus(FlashRequest& request, Step step) {
    request.step = step;
    wait_for_bus(request);
    if (request.ahead != nullptr) {
        wait_for_bus(*request.ahead);
    }
    bus_.ask(request, step == Step::data_out || (step == Step::command && is_program(*request.op)));
}

/// The bus is the request's for `duration`.
void FlashController::occupy_bus(FlashRequest& request, Ps duration) {
    const auto close = [this](FlashRequest& waiter) {
        if (waiter.op->ledger != nullptr) {
            waiter.op->ledger->close_wait(Stage::channel_wait, waiter.bus_before, bus_.snapshot(now()),
                                          Stage::channel_transfer, now());
        }
        waiter.waits_for_bus = false;
    };
    if (request.waits_for_bus) {
        close(request);
    }
    if (request.ahead != nullptr) {
        close(*request.ahead);
    }
    bus_.take(*request.op, now(), duration);
}

void FlashController::grant_bus(FlashRequest& request) {
    switch (request.step) {
        case Step::command:
            return grant_command(request);
        case Step::suspending:
            return grant_suspend(request);
        case Step::resume:
            return grant_resume(request);
        case Step::cache_end:
            return grant_cache_end(request);
        case Step::data_out:
            return grant_data_out(request);
        case Step::status:
            return grant_status(request);
        default:
            SC_REPORT_FATAL("/ssd/flash_controller", "the bus was given to a request that cannot use it");
    }
}

/// Sends a command whose cycles take `duration` from now. Returns when R/B# rises, and when ARDY does.
Ps FlashController::send(FlashRequest& request, NandCommand code, Ps duration, Ps& array_ready) {
    NandTransaction transaction{code, request.op, request.content.empty() ? nullptr : request.content.data()};
    sc_core::sc_time delay = to_sc_time(duration);
    const std::uint16_t index = request.op->address[0].die.value;
    die_init[index]->b_transport(transaction, delay);
    const Ps ready = now() + to_ps(delay);
    array_ready = std::max(now() + transaction.array_delay, ready);
    DieState& die = dies_[index];
    if (probe_ != nullptr) {
        trace_command(request, duration);
        trace_array(request, code, now() + duration, ready, array_ready);
    }
    if (code == NandCommand::suspend) {
        end_array(die, now() + duration);
    }
    count_array(die, ArrayTime{now() + duration, array_ready, request.op->cause});
    return ready;
}

/// Adds the part of `time` for which the array was not known to be busy anyway.
void FlashController::count_array(DieState& die, const ArrayTime& time) {
    const Ps from = std::max(time.from, die.array[0].until);
    if (time.until > from) {
        statistics_.array_busy[static_cast<std::size_t>(time.cause)] += time.until - from;
        die.array[1] = die.array[0];
        die.array[0] = ArrayTime{from, time.until, time.cause};
    }
}

/// The array works no longer than until `at`.
void FlashController::end_array(DieState& die, Ps at) {
    for (ArrayTime& time : die.array) {
        if (time.until > at) {
            const Ps end = std::max(time.from, at);
            statistics_.array_busy[static_cast<std::size_t>(time.cause)] -= time.until - end;
            time = ArrayTime{};
        }
    }
}

/// Data cycles of the request's current plane with the address before and the confirm after them.
Ps FlashController::data_in_phase(const FlashRequest& request, bool copy_back) const {
    Ps time = timing_.program_address();
    bool first = !copy_back;  // 85h-5A of a copy-back addresses the page; its data come after a second 85h
    for (const Burst& burst : request.bursts) {
        if (burst.plane_slot == request.slot) {
            time += first ? timing_.t_adl : timing_.column_change_in();
            time += timing_.data_in(burst.bytes);
            first = false;
        }
    }
    return time + timing_.program_confirm();
}

Ps FlashController::command_phase(const FlashRequest& request, NandCommand& code) const {
    const FlashOp& op = *request.op;
    const bool last = request.slot + 1 == op.planes;
    switch (op.opcode) {
        case FlashOpcode::read:
        case FlashOpcode::cache_read:
            code = !last                    ? NandCommand::read_plane
                   : request.cached_command ? NandCommand::cache_read
                                            : NandCommand::read;
            return timing_.read_command();
        case FlashOpcode::program:
        case FlashOpcode::cache_program:
            code = !last                               ? NandCommand::program_plane
                   : op.opcode == FlashOpcode::program ? NandCommand::program
                                                       : NandCommand::cache_program;
            return data_in_phase(request, false);
        case FlashOpcode::erase:
            code = NandCommand::erase;
            return timing_.erase_command(op.planes);
        case FlashOpcode::copy_back:
            if (!request.copy_source_read) {
                code = last ? NandCommand::copy_back_read : NandCommand::read_plane;
                return timing_.read_command();
            }
            code = last ? NandCommand::copy_back_program : NandCommand::program_plane;
            return data_in_phase(request, true);
        case FlashOpcode::reset:
            code = NandCommand::reset;
            return timing_.reset_command();
    }
    SC_REPORT_FATAL("/ssd/flash_controller", "unknown flash operation");
    return Ps{0};
}

void FlashController::grant_command(FlashRequest& request) {
    const FlashOp& op = *request.op;
    if (op.opcode == FlashOpcode::erase || op.opcode == FlashOpcode::reset) {
        request.slot = static_cast<std::uint8_t>(op.planes - 1);  // one phase for all planes
    }
    NandCommand code{};
    const Ps duration = command_phase(request, code);
    occupy_bus(request, duration);
    if (is_program(op) || (op.opcode == FlashOpcode::copy_back && request.copy_source_read)) {
        for (const Burst& burst : request.bursts) {
            statistics_.bytes_in += burst.plane_slot == request.slot ? burst.bytes : 0U;
        }
    }
    Ps array_ready{0};
    request.ready_at = send(request, code, duration, array_ready);
    request.step = Step::array;
    request.confirmed = code != NandCommand::read_plane && code != NandCommand::program_plane;
    enter(request, Stage::array, now() + duration);
    if (request.ahead != nullptr) {
        enter(*request.ahead, Stage::array, now() + duration);
    }
    push(request.ready_at, WakeKind::ready, request);
    const bool cached = code == NandCommand::cache_read || code == NandCommand::cache_program;
    if (cached && op.status != FlashStatus::rule_violation) {
        push(array_ready, WakeKind::array_done, request);
    }
    schedule(die_of(request));  // a host read that waits may want to pause it
}

void FlashController::withdraw_interrupter(DieState& die) {
    if (die.interrupter != nullptr) {
        bus_.withdraw(*die.interrupter);
        die.interrupter->step = Step::queued;
        die.interrupter = nullptr;
    }
}

void FlashController::on_ready(FlashRequest& request) {
    FlashOp& op = *request.op;
    DieState& die = die_of(request);
    if (request.step == Step::suspending) {
        return ask_bus(request, Step::command);
    }
    if (request.step == Step::cache_end) {
        return ask_bus(request, Step::data_out);
    }
    withdraw_interrupter(die);
    if (!request.confirmed) {
        ++request.slot;
        return ask_bus(request, Step::command);
    }
    if (request.ahead != nullptr) {  // 31h has moved its page to the cache register
        FlashRequest& ahead = *request.ahead;
        request.ahead = nullptr;
        ask_bus(ahead, Step::data_out);
    }
    if (op.status == FlashStatus::rule_violation) {
        return finish(request);
    }
    switch (op.opcode) {
        case FlashOpcode::read:
            return ask_bus(request, Step::data_out);
        case FlashOpcode::cache_read:
            if (request.cached_command) {
                request.step = Step::sense;
                return;
            }
            request.sensed = true;
            return go_on_with_cache_read(request);
        case FlashOpcode::cache_program:
            request.step = Step::background;
            die.background = &request;
            die.active = nullptr;
            return mark_dirty(die);
        case FlashOpcode::copy_back:
            if (!request.copy_source_read) {
                request.copy_source_read = true;
                request.slot = 0;
                return ask_bus(request, Step::command);
            }
            return ask_bus(request, Step::status);
        case FlashOpcode::program:
        case FlashOpcode::erase:
        case FlashOpcode::reset:
            return ask_bus(request, Step::status);
    }
}

/// The array has finished with a page of a cache sequence.
void FlashController::on_array_done(FlashRequest& request) {
    DieState& die = die_of(request);
    if (is_read(*request.op)) {
        request.sensed = true;
        if (die.draining == nullptr) {
            go_on_with_cache_read(request);
        } else {
            wait_for_bus(request);  // the cache register is emptied over the bus first
        }
        return;
    }
    die.background = nullptr;
    if (die.active == nullptr) {
        die.active = &request;  // nobody follows: the die stays held until the status is known
    }
    ask_bus(request, Step::status);
}

/// The cache register is empty.
void FlashController::on_drained(DieState& die) {
    die.draining = nullptr;
    if (die.active == nullptr) {
        release(die, now());
        mark_dirty(die);
    } else if (die.active->sensed) {
        go_on_with_cache_read(*die.active);
    }
}

/// The page of a cache read is in the page register and the cache register is empty: 31h if another cache
/// read follows, else 3Fh (not needed when the page came by 30h), then data out.
void FlashController::go_on_with_cache_read(FlashRequest& request) {
    DieState& die = die_of(request);
    FlashRequest* next = die.queue.next();
    if (next != nullptr && next->op->opcode == FlashOpcode::cache_read) {
        die.draining = &request;
        next->cached_command = true;
        next->ahead = &request;
        grant_die(die, *next);
    } else {
        ask_bus(request, request.cached_command ? Step::cache_end : Step::data_out);
    }
}

void FlashController::grant_cache_end(FlashRequest& request) {
    const Ps duration = timing_.cache_read_end();
    occupy_bus(request, duration);
    Ps array_ready{0};
    request.ready_at = send(request, NandCommand::cache_read_end, duration, array_ready);
    enter(request, Stage::array, now() + duration);
    push(request.ready_at, WakeKind::ready, request);
}

void FlashController::grant_suspend(FlashRequest& request) {
    DieState& die = die_of(request);
    FlashRequest& running = *die.active;
    const Ps duration = timing_.suspend_command();
    die.interrupter = nullptr;
    if (running.ready_at <= now() + duration) {  // it ends before it could be paused
        request.step = Step::queued;
        return;
    }
    die.queue.remove(request);
    if (request.op->ledger != nullptr) {
        request.op->ledger->close_wait(Stage::die_wait, request.die_before, die.clock.snapshot(now()),
                                       Stage::channel_transfer, now());
    }
    occupy_bus(request, duration);
    Ps array_ready{0};
    request.ready_at = send(request, NandCommand::suspend, duration, array_ready);
    ++running.token;  // its R/B# does not rise when it would have
    ++running.suspends;
    running.step = Step::suspended;
    ++statistics_.suspends;
    die.suspended = &running;
    die.active = &request;
    push(now() + duration, WakeKind::pausing, request);
    push(request.ready_at, WakeKind::ready, request);
}

/// The suspend command has reached the die: from now on the read holds it.
void FlashController::on_pausing(FlashRequest& request) {
    DieState& die = die_of(request);
    FlashRequest& paused = *die.suspended;
    hold(die, request);
    enter(request, Stage::array, now());
    enter(paused, Stage::die_wait, now());
    paused.die_before = die.clock.snapshot(now());
}

void FlashController::grant_resume(FlashRequest& request) {
    const Ps duration = timing_.suspend_command();
    occupy_bus(request, duration);
    Ps array_ready{0};
    request.ready_at = send(request, NandCommand::resume, duration, array_ready);
    request.step = Step::array;
    enter(request, Stage::array, now() + duration);
    push(request.ready_at, WakeKind::ready, request);
    schedule(die_of(request));
}

/// A burst begins to leave the die at `begin`; returns when its last codeword has left ECC.
Ps FlashController::decode(EccPipeline& decoder, const Burst& burst, Ps begin) const {
    const std::uint32_t least = burst.bytes / burst.codewords;
    const Ps apart = least > timing_.granule
                         ? timing_.data_out(least - timing_.granule) - timing_.out_overhead
                         : Ps{0};  // no two codewords arrive closer, but for the rounding to a picosecond
    if (decoder.free_at() <= begin && apart > decoder.codeword_time() && !decoder.stopped()) {
        return decoder.accept_apart(burst.codewords, begin + timing_.data_out(burst.bytes));
    }
    Ps decoded{0};
    for (std::uint32_t i = 1; i <= burst.codewords; ++i) {
        const auto arrived = static_cast<std::uint32_t>(std::uint64_t{burst.bytes} * i / burst.codewords);
        decoded = decoder.accept(begin + timing_.data_out(arrived));
    }
    return decoded;
}

/// Bus time of a read's data that begins to leave the die at `begin`; `decoded`: when its last codeword has
/// left ECC.
Ps FlashController::data_out_phase(EccPipeline& decoder, const FlashRequest& request, Ps begin,
                                   Ps& decoded) const {
    const bool select = shared_enable_ || request.op->planes > 1;
    Ps at = begin + timing_.t_rr;
    const Burst* before = nullptr;
    decoded = begin;
    for (const Burst& burst : request.bursts) {
        if (before == nullptr || before->plane_slot != burst.plane_slot) {
            at += before != nullptr ? timing_.t_rhw : Ps{0};
            at += select ? timing_.plane_select_out() : Ps{0};
        } else {
            at += timing_.column_change_out();
        }
        if (burst.codewords > 0) {
            decoded = std::max(decoded, decode(decoder, burst, at));
        }
        at += timing_.data_out(burst.bytes);
        before = &burst;
    }
    return at - begin;
}

/// Power is lost at `at`: the codewords that were still to be decoded never are. Those of earlier phases have
/// all arrived; those of the phase that is on the bus are counted once more, up to `at`.
void FlashController::end_decoding(Ps at) {
    if (data_out_.end > at) {
        decoder_ = data_out_.decoder;
    }
    decoder_.stop(at);
    if (data_out_.end > at) {
        Ps ignored{0};
        data_out_phase(decoder_, *data_out_.request, data_out_.begin, ignored);
    }
    decoder_.restart();
    data_out_.end = Ps{0};
}

void FlashController::grant_data_out(FlashRequest& request) {
    DieState& die = die_of(request);
    Ps decoded{0};
    data_out_ = DataOut{&request, now(), now(), decoder_};
    const Ps duration = request.bursts.empty() ? Ps{0} : data_out_phase(decoder_, request, now(), decoded);
    for (const Burst& burst : request.bursts) {
        statistics_.bytes_out += burst.bytes;
    }
    const Ps end = data_out_.end = now() + duration;
    occupy_bus(request, duration);
    if (probe_ != nullptr) {
        trace_data_out(request, duration);
    }
    request.step = Step::data_out;
    if (ecc_on_) {
        enter(request, Stage::ecc, end);
    }
    const bool followed = die.draining == &request;
    if (followed) {
        push(end, WakeKind::drained, request);  // before the request can finish
    }
    push(std::max(decoded, end), WakeKind::decoded, request);
    if (!followed) {
        leave_at(die, end);
        schedule(die);
    }
}

void FlashController::grant_status(FlashRequest& request) {
    const FlashOp& op = *request.op;
    NandTransaction transaction{NandCommand::status, request.op};
    Ps duration = timing_.status(shared_enable_);
    sc_core::sc_time delay = to_sc_time(duration);
    die_init[op.address[0].die.value]->b_transport(transaction, delay);
    if ((transaction.status & (kStatusFail | kStatusFailBefore)) != 0 && op.planes > 1) {
        duration += op.planes * timing_.status(true);  // which plane was it?
    }
    occupy_bus(request, duration);
    if (probe_ != nullptr) {
        trace_status(request, duration);
    }
    push(now() + duration, WakeKind::finished, request);
}

}  // namespace solidtlm::hw
