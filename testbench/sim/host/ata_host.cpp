// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/ata_host.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/sata/dsm.h"

namespace solidtlm::testbench {

namespace ata = hw::ata;
using hw::now;

AtaHost::AtaHost(const sc_core::sc_module_name& name, const HostConfig& config, DevicePort& port,
                 RequestSource& source, const Pacing& pacing, CommandObserver& observer, hw::Agenda& agenda)
    : Host(name, config, source, pacing, observer, agenda, ata::kTags + std::size_t{1}), port_(port) {
    port_.set_user(*this);
}

void AtaHost::go_on() {
    issue();
    check_finished();
}

bool AtaHost::at_rest() const {
    return state_ == State::running && retries_.empty() && pass_through_.empty();
}

void AtaHost::shut_down() {
    standby_.registers.command = static_cast<std::uint8_t>(ata::Opcode::standby_immediate);
    pass_through(standby_);
}

std::optional<bool> AtaHost::is_shut_down() {
    return standby_.ended ? std::optional(standby_.ok()) : std::nullopt;
}

void AtaHost::slot_freed(std::uint16_t slot) {
    if (slot != ata::kNoTag) {
        active_mask_ &= ~(1U << slot);
    }
}

Splitter::Limits AtaHost::limits() const {
    return {std::min(config_.max_sectors, ata::kMaxTransferSectors), std::max(facts_.max_dsm_blocks, 1U)};
}

void AtaHost::pass_through(PassThrough& command) {
    command.ended = false;
    command.data.clear();
    pass_through_.push(&command);
    if (state_ == State::running) {
        at<&AtaHost::go_on>(now());
    }
}

void AtaHost::issue() {
    if (!pass_through_.empty()) {
        if (state_ == State::running && internal_ == Internal::none && !port_.busy() && outstanding() == 0) {
            start_internal(Internal::pass_through);
        }
        return;
    }
    // While the device is accepting a command, the processor may already submit the next one.
    const bool submits_ahead = config_.submit_time > Ps{0};
    while (state_ == State::running && (!port_.busy() || submits_ahead) && active(ata::kNoTag) == nullptr) {
        // Aborted commands go first, then commands of new requests.
        const bool retries = !retries_.empty();
        Job* job = retries ? retries_.front() : next_job();
        if (job == nullptr) {
            return;
        }
        Command& command = job->command;
        if (facts_.queue_depth == 0 || (command.operation == Operation::trim && !queued_trim_)) {
            command.queued = false;
        }
        const std::uint32_t tags = depth_ == ata::kTags ? ~0U : (1U << depth_) - 1U;
        const bool room = command.queued ? (~active_mask_ & tags) != 0 : active_mask_ == 0;
        if (!room || (!port_.keeps_order() && conflicts(command)) || !submitted(*job) || port_.busy()) {
            return;
        }
        if (retries) {
            retries_.pop();
        } else {
            take_next();
        }
        send_command(static_cast<AtaJob&>(*job));
    }
}

void AtaHost::send_command(AtaJob& job) {
    Command& command = job.command;
    PortCommand& wire = job.wire;
    wire.tag = command.queued ? static_cast<std::uint8_t>(std::countr_one(active_mask_)) : ata::kNoTag;
    if (command.queued) {
        active_mask_ |= 1U << wire.tag;
    }
    issue_in(wire.tag, job);
    const bool transfers = command.operation == Operation::read || command.operation == Operation::write;
    wire.to_device = command.operation == Operation::write || command.operation == Operation::trim;
    wire.data_bytes = transfers ? command.sectors * hal::kSectorBytes : 0;
    wire.mode = config_.content;
    wire.content = command.content;
    if (command.operation == Operation::trim) {
        hw::encode_dsm(command.ranges, job.dsm_blocks);
        wire.data_bytes = static_cast<std::uint32_t>(job.dsm_blocks.size());
        wire.mode = hal::ContentMode::bytes;
        wire.content = job.dsm_blocks;
    }
    wire.registers = registers(job);
    wire.ledger = &command.ledger;
    port_.begin(wire);
}

hw::RegisterH2d AtaHost::registers(const AtaJob& job) const {
    const Command& command = job.command;
    hw::RegisterH2d fis;
    fis.device = ata::kDeviceLba;
    fis.lba = command.lba;
    const auto tag_field = static_cast<std::uint16_t>(command.tag << 3U);
    const auto amount = static_cast<std::uint16_t>(
        command.operation == Operation::trim ? job.wire.data_bytes / hw::kDsmBlockBytes : command.sectors);
    ata::Opcode opcode = ata::Opcode::flush_cache_ext;
    switch (command.operation) {
        case Operation::read:
            opcode = command.queued ? ata::Opcode::read_fpdma_queued : ata::Opcode::read_dma_ext;
            break;
        case Operation::write:
            opcode = command.queued ? ata::Opcode::write_fpdma_queued
                     : command.fua  ? ata::Opcode::write_dma_fua_ext
                                    : ata::Opcode::write_dma_ext;
            break;
        case Operation::trim:
            opcode = command.queued ? ata::Opcode::send_fpdma_queued : ata::Opcode::data_set_management;
            fis.auxiliary = command.queued ? ata::kDsmTrim : 0;
            break;
        case Operation::flush:
            break;
    }
    fis.command = static_cast<std::uint8_t>(opcode);
    if (command.queued) {
        fis.features = amount;
        fis.count = tag_field;
        if (command.fua && command.operation != Operation::trim) {
            fis.device = ata::kDeviceLba | ata::kDeviceFua;
        }
    } else {
        fis.count = amount;
        fis.features = command.operation == Operation::trim ? ata::kDsmTrim : 0;
    }
    return fis;
}

void AtaHost::answered(Job& job, std::uint8_t status, std::uint8_t error, Lba error_lba) {
    job.command.failure = ata_failure(status, error);
    job.command.error_lba = error_lba;
    const bool ok = status != 0 && (status & (ata::kErr | ata::kDeviceFault)) == 0;
    job.command.status = ok ? CommandStatus::ok : CommandStatus::failed;
}

void AtaHost::power_cut() {
    state_ = State::no_device;
    port_.power_cut();
    internal_ = Internal::none;
    settle();
    forget_work();
    while (!retries_.empty()) {
        aborted_.push_back(retries_.pop());
    }
    lose(std::exchange(aborted_, {}));
    while (!pass_through_.empty()) {
        pass_through_.front()->answer = {};
        pass_through_done();
    }
}

}  // namespace solidtlm::testbench
