// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/die.h"

#include <algorithm>
#include <cmath>

namespace solidtlm::hw {

using hal::FlashAddress;
using hal::FlashOp;
using hal::FlashPiece;
using hal::FlashStatus;

namespace {

/// The controller's buffer holds the contents of the pieces one after the other.
auto compact(std::byte* content) {
    return [content](const FlashPiece& /*piece*/, std::size_t offset) -> std::byte* {
        return content == nullptr ? nullptr : content + offset;
    };
}

}  // namespace

Die::Die(const sc_core::sc_module_name& name, const NandConfig& config, hal::Channel channel, hal::Die die)
    : sc_module(name),
      timing_(config.timing),
      slc_(config.slc),
      plane_reads_(plane_reads_of(config)),
      word_lines_(config),
      channel_(channel),
      die_(die),
      cycles_before_(config.faults.cycles),
      array_(config, channel, die),
      operations_(array_) {
    const auto fits = [&config](const std::vector<Ps>& times) {
        return times.size() == 1 || times.size() == pages_per_word_line(config);
    };
    if (!fits(timing_.read) || !fits(timing_.program)) {
        SC_REPORT_FATAL("/ssd/nand", "array times are neither one nor one for each page of a word line");
    }
    channel_target.register_b_transport(this, &Die::b_transport);
}

Ps Die::program_time(const FlashOp& op) const {
    const Ps fresh = op.slc ? slc_.program : word_lines_.time_of(op.address[0].page, timing_.program);
    return worn(fresh, timing_.program_wear, op);
}

/// The time that wear leads to; the slowest plane counts.
Ps Die::worn(Ps fresh, double change, const FlashOp& op) const {
    if (change == 0.0) {
        return fresh;
    }
    double most = 0.0;
    for (std::size_t i = 0; i < op.planes; ++i) {
        const double cycles = static_cast<double>(cycles_before_) + array_.cycles(op.address[i]);
        most = std::max(most, 1.0 + change * cycles / 1000.0);
    }
    return std::max(Ps{1}, Ps{std::llround(static_cast<double>(fresh.count()) * most)});
}

std::uint8_t Die::status_register(Ps at) const {
    unsigned status = kStatusUnprotected;
    status |= state_.fail ? kStatusFail : 0U;
    status |= at >= state_.ready_at ? kStatusReady | kStatusArrayReady : 0U;
    return static_cast<std::uint8_t>(status);
}

void Die::b_transport(NandTransaction& command, sc_core::sc_time& delay) {
    const Ps at = now() + to_ps(delay);
    execute(command, at);
    if (command.command != NandCommand::status) {
        delay = to_sc_time(std::max(ready_for(command), at) - now());
    }
    command.status = status_register(at);
}

/// Step 1 of every command: refuses it if the die is not ready for it.
bool Die::refuse(NandTransaction& command, Ps at) {
    const NandCommand code = command.command;
    if (code == NandCommand::status) {
        return false;
    }
    const bool wrong_time = code == NandCommand::suspend ? state_.suspended || at >= state_.running.until
                                                         : at < state_.ready_at && at < ready_for(command);
    const bool writes =
        code == NandCommand::program || code == NandCommand::erase || code == NandCommand::copy_back_program;
    if (wrong_time || (state_.suspended && writes) || (code == NandCommand::resume && !state_.suspended)) {
        array_.violations().report(Violation::die_busy, command.op->address[0], "command to a busy die");
        PlaneOperations::refuse(*command.op);
        return true;
    }
    return false;
}

void Die::execute(NandTransaction& command, Ps at) {
    if (refuse(command, at)) {
        return;
    }
    if (array_.faults() != nullptr) {
        array_.faults()->set_time(at);
    }
    switch (command.command) {
        case NandCommand::read:
            return read(command, at);
        case NandCommand::program:
            return program(command, at);
        case NandCommand::read_plane:
        case NandCommand::program_plane:
            return busy_until(at + timing_.plane_busy);
        case NandCommand::erase:
            return erase(*command.op, at);
        case NandCommand::copy_back_read:
            return copy_back_read(*command.op, at);
        case NandCommand::copy_back_program:
            return copy_back_program(*command.op, at);
        case NandCommand::set_features:
            return set_features(command, at);
        case NandCommand::suspend:
            return suspend(at);
        case NandCommand::resume:
            return resume(at);
        case NandCommand::status:
            return;
    }
    SC_REPORT_FATAL("/ssd/nand", "unknown command at a die");
}

void Die::busy_until(Ps ready) {
    state_.ready_at = ready;
    std::ranges::fill(state_.plane_ready, ready);
}

Ps Die::ready_for(const NandTransaction& command) const {
    const bool alone = command.command == NandCommand::read && reads_alone(plane_reads_, *command.op);
    return alone ? state_.plane_ready[command.op->address[0].plane.value] : state_.ready_at;
}

void Die::remember(const FlashOp& op, bool erase) {
    state_.running = Running{erase, op.slots(), op.address, state_.ready_at};
}

void Die::read(NandTransaction& command, Ps at) {
    FlashOp& op = *command.op;
    if (operations_.read(op, compact(command.content), state_.retry_level)) {
        const Ps ready = at + read_time(op.address[0].page, op.slc);
        if (reads_alone(plane_reads_, op)) {
            state_.plane_ready[op.address[0].plane.value] = ready;
            state_.ready_at = std::max(state_.ready_at, ready);
        } else {
            busy_until(ready);
        }
    }
}

void Die::program(NandTransaction& command, Ps at) {
    FlashOp& op = *command.op;
    if (!operations_.program(op, compact(command.content))) {
        return;
    }
    state_.fail = op.status != FlashStatus::ok;
    busy_until(at + program_time(op));
    remember(op, false);
}

void Die::erase(FlashOp& op, Ps at) {
    const Ps t_bers = worn(timing_.erase, timing_.erase_wear, op);
    if (!operations_.erase(op)) {
        return;
    }
    state_.fail = op.status != FlashStatus::ok;
    busy_until(at + t_bers);
    remember(op, true);
}

void Die::copy_back_read(FlashOp& op, Ps at) {
    if (operations_.check_copy_back(op)) {
        busy_until(at + read_time(op.source[0].page, op.source_slc));
    }
}

void Die::copy_back_program(FlashOp& op, Ps at) {
    if (!operations_.copy_back(op)) {
        return;
    }
    state_.fail = op.status == FlashStatus::program_failed;
    busy_until(at + program_time(op));
    remember(op, false);
}

void Die::set_features(NandTransaction& command, Ps at) {
    state_.retry_level = command.level;
    busy_until(at + timing_.set_features);
}

void Die::suspend(Ps at) {
    state_.suspended = true;
    state_.suspended_rest = state_.running.until - at;
    busy_until(at + timing_.suspend);
}

void Die::resume(Ps at) {
    state_.suspended = false;
    state_.running.until = at + timing_.suspend + state_.suspended_rest;
    busy_until(state_.running.until);
}

CapacitorUse Die::finish_program() {
    if (state_.running.erase || !at_work()) {
        return {};
    }
    const CapacitorUse use{state_.running.slots, state_.suspended ? timing_.suspend + state_.suspended_rest
                                                                  : state_.running.until - now()};
    state_.running = Running{};
    state_.suspended = false;
    return use;
}

void Die::power_cut() {
    const bool open = at_work();
    for (std::size_t slot = 0; slot < state_.running.slots && open; ++slot) {
        if (state_.running.erase) {
            array_.tear_block(state_.running.address[slot]);
        } else {
            array_.interrupt_program(state_.running.address[slot]);
        }
    }
    state_ = {};
}

}  // namespace solidtlm::hw
