// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/bus_sequencer.h"

#include <algorithm>

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::Stage;

BusSequencer::BusSequencer(const NandConfig& config, const BusTiming& timing, Dies& dies, FlashAgenda& agenda,
                           const FlashTrace& trace)
    : timing_(timing),
      ecc_on_(config.ecc.codeword_bytes != 0),
      shared_enable_(config.geometry.dies_per_way > 1),
      dies_(dies),
      agenda_(agenda),
      trace_(trace),
      bus_(config.controller.arbitration),
      read_path_(config.ecc, timing, shared_enable_),
      arrays_(config.geometry.dies) {}

void BusSequencer::ask(FlashRequest& request, Step step) {
    request.step = step;
    request.waits_for_bus = true;
    request.bus_asked = now();
    bus_.ask(request,
             step == Step::data_out || (step == Step::command && request.op->opcode == FlashOpcode::program));
}

void BusSequencer::ask_to_suspend(FlashRequest& read) {
    read.step = Step::suspending;
    bus_.ask(read, false);
}

void BusSequencer::withdraw(FlashRequest& read) {
    bus_.withdraw(read);
    read.step = Step::queued;
}

void BusSequencer::wake_when_free() {
    if (!bus_.wanted()) {
        return;
    }
    bus_.note_waits(now());
    if (wake_at_ != bus_.busy_until()) {
        wake_at_ = bus_.busy_until();
        agenda_.push_bus_free(wake_at_);
    }
}

/// The bus is the request's for `duration`.
void BusSequencer::occupy(FlashRequest& request, Ps duration) {
    if (request.waits_for_bus) {
        request.end_wait(Stage::channel_wait, request.bus_asked, request.bus_before, bus_.clock(),
                         Stage::channel_transfer, now());
    }
    request.waits_for_bus = false;
    bus_.take(*request.op, now(), duration);
}

/// Sends a command whose cycles take `duration` from now; R/B# then is low until request.ready_at.
void BusSequencer::send(FlashRequest& request, NandCommand code, Ps duration) {
    NandTransaction transaction{code, request.op, request.content.empty() ? nullptr : request.content.data()};
    transaction.level = request.level;
    sc_core::sc_time delay = to_sc_time(duration);
    const std::uint16_t die = request.op->address[0].die.value;
    dies_[die]->b_transport(transaction, delay);
    const Ps sent = now() + duration;
    request.ready_at = now() + to_ps(delay);
    ArrayClock& array = arrays_[die];
    trace_.command(request, duration);
    trace_.array(*request.op, code, sent, request.ready_at);
    if (code == NandCommand::suspend) {
        array.end(sent, array_busy_);
    }
    array.add(sent, request.ready_at, request.op->cause, array_busy_);
}

/// A command of one phase, after which R/B# is low.
void BusSequencer::send_short(FlashRequest& request, NandCommand code, Ps duration) {
    occupy(request, duration);
    send(request, code, duration);
    if (code != NandCommand::suspend) {
        request.enter(Stage::array, now() + duration);
    }
}

/// Data cycles of the request's current plane with the address before and the confirm after them.
Ps BusSequencer::data_in_phase(const FlashRequest& request, bool copy_back) const {
    Ps time = timing_.program_address();
    bool first = !copy_back;  // 85h-5A of a copy-back addresses the page; its data come after a second 85h
    for (const Burst& burst : request.pages.of_plane(request.slot)) {
        time += first ? timing_.t_adl : timing_.column_change_in();
        time += timing_.data_in(burst.bytes);
        first = false;
    }
    return time + timing_.program_confirm();
}

Ps BusSequencer::command_phase(const FlashRequest& request, NandCommand& code) const {
    const FlashOp& op = *request.op;
    const bool last = request.slot + 1 == op.planes;
    switch (op.opcode) {
        case FlashOpcode::read:
            code = last ? NandCommand::read : NandCommand::read_plane;
            return timing_.read_command();
        case FlashOpcode::program:
            code = last ? NandCommand::program : NandCommand::program_plane;
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
    }
    SC_REPORT_FATAL("/ssd/flash_controller", "unknown flash operation");
    return Ps{0};
}

void BusSequencer::command(FlashRequest& request) {
    const FlashOp& op = *request.op;
    if (op.opcode == FlashOpcode::erase) {
        request.slot = static_cast<std::uint8_t>(op.planes - 1);  // one phase for all planes
    }
    NandCommand code{};
    const Ps duration = command_phase(request, code);
    occupy(request, duration);
    const bool copies_back = op.opcode == FlashOpcode::copy_back && request.copy_source_read;
    if (op.opcode == FlashOpcode::program || copies_back) {
        for (const Burst& burst : request.pages.of_plane(request.slot)) {
            bytes_in_ += burst.bytes;
        }
    }
    send(request, code, duration);
    request.step = Step::array;
    request.confirmed = code != NandCommand::read_plane && code != NandCommand::program_plane;
    request.enter(Stage::array, now() + duration);
    agenda_.push(request.ready_at, WakeKind::ready, request);
}

void BusSequencer::suspend(FlashRequest& read) {
    const Ps duration = suspend_time();
    send_short(read, NandCommand::suspend, duration);
    agenda_.push(now() + duration, WakeKind::pausing, read);
    agenda_.push(read.ready_at, WakeKind::ready, read);
}

void BusSequencer::resume(FlashRequest& request) {
    send_short(request, NandCommand::resume, timing_.suspend_command());
    request.step = Step::array;
    agenda_.push(request.ready_at, WakeKind::ready, request);
}

void BusSequencer::set_features(FlashRequest& request) {
    send_short(request, NandCommand::set_features, timing_.set_features_command());
    agenda_.push(request.ready_at, WakeKind::ready, request);
}

ReadPath::Ends BusSequencer::data_out(FlashRequest& request) {
    const ReadPath::Ends ends = read_path_.begin(request, now());
    for (const Burst& burst : request.pages.bursts) {
        bytes_out_ += burst.bytes;
    }
    occupy(request, ends.left - now());
    trace_.data_out(request, ends.left - now());
    request.step = Step::data_out;
    if (ecc_on_) {
        request.enter(Stage::ecc, ends.left);
    }
    return ends;
}

void BusSequencer::status(FlashRequest& request) {
    const FlashOp& op = *request.op;
    NandTransaction transaction{NandCommand::status, request.op};
    Ps duration = timing_.status(shared_enable_);
    sc_core::sc_time delay = to_sc_time(duration);
    dies_[op.address[0].die.value]->b_transport(transaction, delay);
    if ((transaction.status & kStatusFail) != 0 && op.planes > 1) {
        duration += op.planes * timing_.status(true);  // which plane was it?
    }
    occupy(request, duration);
    trace_.status(op, duration);
    agenda_.push(now() + duration, WakeKind::finished, request);
}

void BusSequencer::power_cut() {
    wake_at_ = Ps{-1};
    bus_.clear(now());
    read_path_.power_cut(now());
    for (ArrayClock& array : arrays_) {
        array.end(now(), array_busy_);
    }
}

void BusSequencer::report(FlashControllerStatistics& statistics) const {
    statistics.bus_busy = bus_.busy();
    statistics.max_bus_waiters = bus_.max_waiters();
    statistics.array_busy = array_busy_;
    statistics.decoder_busy = read_path_.decoder_busy();
    statistics.bytes_out = bytes_out_;
    statistics.bytes_in = bytes_in_;
}

}  // namespace solidtlm::hw
