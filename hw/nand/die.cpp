// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/die.h"

#include <algorithm>

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
      channel_(channel),
      die_(die),
      array_(config, channel, die),
      operations_(array_) {
    if (timing_.read.empty() || timing_.program.empty()) {
        SC_REPORT_FATAL("/ssd/nand", "array timing without read or program times");
    }
    channel_target.register_nb_transport_fw(this, &Die::nb_transport_fw);
    channel_target.register_transport_dbg(this, &Die::transport_dbg);
}

Ps Die::read_time(hal::Page page) const {
    return timing_.read[page.value % timing_.read.size()];
}

Ps Die::program_time(hal::Page page) const {
    return timing_.program[page.value % timing_.program.size()];
}

std::uint8_t Die::status_register(Ps at) const {
    unsigned status = kStatusUnprotected;
    status |= fail_ ? kStatusFail : 0U;
    status |= fail_before_ ? kStatusFailBefore : 0U;
    status |= at >= ready_at_ ? kStatusReady : 0U;
    status |= at >= array_ready_at_ ? kStatusArrayReady : 0U;
    return static_cast<std::uint8_t>(status);
}

tlm::tlm_sync_enum Die::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_FATAL("/ssd/nand", "unknown phase at a die");
    }
    auto* command = payload.get_extension<NandExtension>();
    if (command == nullptr || command->op == nullptr) {
        SC_REPORT_FATAL("/ssd/nand", "a die got a payload without a NAND command");
        return tlm::TLM_COMPLETED;
    }
    const Ps at = now() + to_ps(delay);
    execute(*command, reinterpret_cast<std::byte*>(payload.get_data_ptr()), at);
    if (command->command != NandCommand::status) {
        delay = to_sc_time(std::max(ready_at_, at) - now());
    }
    command->array_delay = std::max(array_ready_at_, at) - now();
    command->status = status_register(at);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

/// Step 1 of every command: is the die ready for it?
bool Die::refuse(NandExtension& command, Ps at) {
    const NandCommand code = command.command;
    if (code == NandCommand::status || code == NandCommand::reset) {
        return false;
    }
    const bool cached = code == NandCommand::cache_read || code == NandCommand::program ||
                        code == NandCommand::cache_program || code == NandCommand::program_plane ||
                        code == NandCommand::cache_read_end || code == NandCommand::suspend;
    const bool wrong_time = code == NandCommand::suspend ? suspended_ || at >= array_ready_at_
                            : cached                     ? at < ready_at_
                                                         : at < array_ready_at_ || at < ready_at_;
    const bool writes = code == NandCommand::program || code == NandCommand::cache_program ||
                        code == NandCommand::erase || code == NandCommand::copy_back_program;
    if (wrong_time || (suspended_ && writes) || (code == NandCommand::resume && !suspended_)) {
        array_.violations().report(Violation::die_busy, command.op->address[0], "command to a busy die");
        PlaneOperations::refuse(*command.op);
        return true;
    }
    return false;
}

void Die::execute(NandExtension& command, std::byte* content, Ps at) {
    if (refuse(command, at)) {
        return;
    }
    switch (command.command) {
        case NandCommand::read:
        case NandCommand::cache_read:
            return read(command, content, at, command.command == NandCommand::cache_read);
        case NandCommand::program:
        case NandCommand::cache_program:
            return program(command, content, at, command.command == NandCommand::cache_program);
        case NandCommand::read_plane:
        case NandCommand::program_plane:
            return finish_at(at + timing_.plane_busy, array_ready_at_);
        case NandCommand::cache_read_end:
            return finish_at(std::max(at, array_ready_at_) + timing_.cache_busy, array_ready_at_);
        case NandCommand::erase:
            return erase(command, at);
        case NandCommand::copy_back_read:
            return copy_back_read(command, at);
        case NandCommand::copy_back_program:
            return copy_back_program(command, at);
        case NandCommand::reset:
            return reset(at);
        case NandCommand::suspend:
            return suspend(at);
        case NandCommand::resume:
            return resume(at);
        case NandCommand::status:
            return;
    }
    SC_REPORT_FATAL("/ssd/nand", "unknown command at a die");
}

void Die::finish_at(Ps ready, Ps array_ready) {
    ready_at_ = ready;
    array_ready_at_ = array_ready;
}

void Die::remember(const FlashOp& op, bool erase) {
    running_[1] = running_[0];
    running_[0] = Running{erase, op.planes, op.address, array_ready_at_};
}

void Die::read(NandExtension& command, std::byte* content, Ps at, bool cache) {
    FlashOp& op = *command.op;
    if (!operations_.read(op, compact(content))) {
        return;
    }
    const Ps t_r = read_time(op.address[0].page);
    if (cache) {
        const Ps copied = std::max(at, array_ready_at_) + timing_.cache_busy;
        finish_at(copied, copied + t_r);
    } else {
        finish_at(at + t_r, at + t_r);
    }
}

void Die::program(NandExtension& command, std::byte* content, Ps at, bool cache) {
    FlashOp& op = *command.op;
    if (!operations_.program(op, compact(content))) {
        return;
    }
    fail_before_ = at < array_ready_at_ || cache ? fail_ : false;
    fail_ = op.status != FlashStatus::ok;
    const Ps t_prog = program_time(op.address[0].page);
    const Ps start = std::max(at, array_ready_at_);
    if (cache) {
        finish_at(start + timing_.cache_busy, start + timing_.cache_busy + t_prog);
    } else {
        finish_at(start + t_prog, start + t_prog);
    }
    remember(op, false);
}

void Die::erase(NandExtension& command, Ps at) {
    FlashOp& op = *command.op;
    if (!operations_.erase(op)) {
        return;
    }
    fail_ = op.status != FlashStatus::ok;
    fail_before_ = false;
    finish_at(at + timing_.erase, at + timing_.erase);
    remember(op, true);
}

void Die::copy_back_read(NandExtension& command, Ps at) {
    FlashOp& op = *command.op;
    if (operations_.check_copy_back(op)) {
        const Ps t_r = read_time(op.source[0].page);
        finish_at(at + t_r, at + t_r);
    }
}

void Die::copy_back_program(NandExtension& command, Ps at) {
    FlashOp& op = *command.op;
    if (!operations_.copy_back(op)) {
        return;
    }
    fail_ = op.status == FlashStatus::program_failed;
    fail_before_ = false;
    const Ps t_prog = program_time(op.address[0].page);
    finish_at(at + t_prog, at + t_prog);
    remember(op, false);
}

void Die::suspend(Ps at) {
    suspended_ = true;
    suspended_rest_ = array_ready_at_ - at;
    finish_at(at + timing_.suspend, at + timing_.suspend);
}

void Die::resume(Ps at) {
    suspended_ = false;
    const Ps done = at + timing_.suspend + suspended_rest_;
    finish_at(done, done);
    running_[0].until = done;
}

void Die::reset(Ps at) {
    tear(at);
    fail_ = fail_before_ = false;
    suspended_ = false;
    finish_at(at + timing_.reset, at + timing_.reset);
}

void Die::tear(Ps at) {
    for (Running& running : running_) {
        const bool open = at < running.until || (suspended_ && &running == &running_[0]);
        for (std::size_t slot = 0; slot < running.planes && open; ++slot) {
            if (running.erase) {
                array_.tear_block(running.address[slot]);
            } else {
                array_.tear_page(running.address[slot]);
            }
        }
        running = Running{};
    }
}

void Die::power_cut() {
    tear(now());
    fail_ = fail_before_ = false;
    suspended_ = false;
    finish_at(now(), now());
}

/// Reads content without time. The address counts bytes of the die: plane, block, page, column.
unsigned Die::transport_dbg(tlm::tlm_generic_payload& payload) {
    const NandGeometry& geometry = array_.geometry();
    const std::uint64_t column = payload.get_address() % geometry.page_bytes;
    const std::uint64_t page = payload.get_address() / geometry.page_bytes;
    const std::uint64_t block = page / geometry.pages;
    if (payload.get_command() != tlm::TLM_READ_COMMAND ||
        block >= std::uint64_t{geometry.planes} * geometry.blocks ||
        column + payload.get_data_length() > geometry.page_bytes || column % hal::kSectorBytes != 0) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return 0;
    }
    const FlashAddress at{channel_, die_, hal::Plane{static_cast<std::uint8_t>(block / geometry.blocks)},
                          hal::Block{static_cast<std::uint32_t>(block % geometry.blocks)},
                          hal::Page{static_cast<std::uint32_t>(page % geometry.pages)}};
    if (payload.get_data_ptr() != nullptr) {
        array_.peek(at, static_cast<std::uint32_t>(column),
                    {reinterpret_cast<std::byte*>(payload.get_data_ptr()),
                     hal::content_bytes(array_.content_mode(), payload.get_data_length())});
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
}

}  // namespace solidtlm::hw
