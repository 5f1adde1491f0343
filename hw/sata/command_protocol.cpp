// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/command_protocol.h"

#include <algorithm>
#include <utility>

#include "hw/sata/dsm.h"
#include "hw/sata/status_fis.h"

namespace solidtlm::hw {
namespace {

constexpr const char* kCommandReport = "/ssd/sata";

}  // namespace

CommandProtocol::CommandProtocol(AgendaModule& device, const SataConfig& config, FrameSender& sender,
                                 DataPath& data_path)
    : config_(config),
      sender_(sender),
      data_path_(data_path),
      pages_(sender),
      identify_state_{config.write_cache, config.auto_activate, true},
      standby_due_(device, *this, kCall<&CommandProtocol::standby_due>),
      awake_(device, *this, kCall<&CommandProtocol::tell_firmware>) {}

void CommandProtocol::received(const RegisterH2d& fis, hal::Ledger* ledger) {
    if (fis.is_command) {
        command_received(fis, ledger);
    } else {
        control_received(fis);
    }
}

bool CommandProtocol::sent(FisType type) {
    if (type == FisType::set_device_bits) {
        state_.sdb_in_link = false;
        send_completions(false);
        return true;
    }
    if (type == FisType::data && pages_.in_link()) {
        if (pages_.sent()) {
            ++statistics_.completed;
            restart_standby();
            if (pages_.by_dma()) {
                sender_.send(status_fis(ata::kStatusOk, 0, hal::Lba{0}, 0));
            }
        }
        return true;
    }
    return false;
}

hal::HostCommand* CommandProtocol::fetch() {
    if (!may_fetch()) {
        return nullptr;
    }
    Slot* slot = state_.to_fetch.pop();
    slot->owner = SlotOwner::firmware;
    return slot;
}

Slot* CommandProtocol::take_transfer(hal::HostTransfer& transfer) {
    auto& slot = static_cast<Slot&>(*transfer.command);
    mark_from(*transfer.ledger, hal::Stage::link_wait, now());
    if (slot.aborted) {
        state_.late_transfers.push(&transfer);
        return nullptr;
    }
    if (const char* fault = slot.transfers.refuse(transfer); fault != nullptr) {
        SC_REPORT_FATAL(kCommandReport, fault);
    }
    slot.transfers.push(transfer);
    return &slot;
}

void CommandProtocol::end_late_transfer() {
    hal::HostTransfer& transfer = *state_.late_transfers.pop();
    transfer.aborted = true;
    mark_from(*transfer.ledger, hal::Stage::firmware_wait, now());
    transfer.done();
}

void CommandProtocol::comreset() {
    reset();
    identify_state_.auto_activate = config_.auto_activate;
    identify_state_.multiple = ata::kMostMultiple;
    data_path_.set_auto_activate(config_.auto_activate);
    state_.in_reset = false;
    state_.after_comreset = true;
    wake();
    power_.comreset(now());
    arm_standby();
}

void CommandProtocol::power_cut() {
    interrupt_self_test();
    table_.clear();
    pages_.power_cut();
    state_ = {};
    power_.power_cut(now());
    standby_due_.disarm();
    awake_.disarm();
    identify_state_ = IdentifyState{config_.write_cache, config_.auto_activate, identify_state_.smart};
    data_path_.set_auto_activate(config_.auto_activate);
}

void CommandProtocol::control_received(const RegisterH2d& fis) {
    if ((fis.control & ata::kSoftReset) != 0) {
        reset();
        state_.in_reset = true;
        if (power_.asleep()) {  // ACS-3 4.18.4: a software reset wakes it
            power_.enter(PowerModeName::standby, now());
        }
    } else if (state_.in_reset) {
        state_.in_reset = false;
        send_signature();
    }
}

void CommandProtocol::command_received(const RegisterH2d& fis, hal::Ledger* ledger) {
    if (ledger != nullptr) {
        ledger->enter(hal::Stage::command_queue, now());
    }
    if (state_.in_reset || power_.asleep()) {
        return;  // the device only waits for SRST to be cleared, or for a reset
    }
    const DecodedCommand command = decode_command(fis, config_);
    smart_.errors.command(fis, now());
    if (command.action != Action::power_mode) {
        restart_standby();
    }
    const bool reads_error_log =
        command.action == Action::read_log && command.pages.log_address == ata::kLogNcqError;
    if (state_.halted && !reads_error_log) {
        ++statistics_.failed;
        sender_.send(status_fis(ata::kStatusError, ata::kAbort, fis.lba, fis.count));
        return;
    }
    if (sender_.status_waits()) {
        SC_REPORT_ERROR(kCommandReport, "a command while BSY is set");
        return;
    }
    if (conflicts(command)) {
        reject(fis, command, ata::kAbort);
        return;
    }
    const bool switched_off =
        (command.needs_smart && !identify_state_.smart) ||
        (command.protocol == DataProtocol::pio_multiple && identify_state_.multiple == 0);
    if (command.action == Action::reject || switched_off) {
        reject(fis, command, switched_off ? ata::kAbort : command.error);
        return;
    }
    ++statistics_.accepted;
    if (for_firmware(command)) {
        accept(fis, command, ledger);
    } else if (command.action == Action::self_test) {
        execute_off_line(fis, command, ledger);
    } else {
        answer_itself(fis, command);
    }
    statistics_.max_outstanding = std::max(statistics_.max_outstanding, table_.outstanding());
}

// Commands that may not be outstanding together (ACS-3 4.16.1).
bool CommandProtocol::conflicts(const DecodedCommand& command) const {
    if (table_.non_queued() || pages_.active()) {
        return true;
    }
    if (!command.ncq) {
        return table_.sactive() != 0;
    }
    return command.tag >= config_.queue_depth || (table_.sactive() & CommandTable::bit_of(command.tag)) != 0;
}

void CommandProtocol::reject(const RegisterH2d& fis, const DecodedCommand& command, std::uint8_t error) {
    ++statistics_.failed;
    if (command.ncq || table_.sactive() != 0) {
        NcqError cause;
        cause.non_queued = !command.ncq;
        cause.tag = command.ncq ? command.tag : std::uint8_t{0};
        cause.status = ata::kStatusError;
        cause.error = error;
        cause.lba = fis.lba;
        cause.device = fis.device;
        cause.count = command.ncq ? fis.features : fis.count;
        halt(cause);
    } else {
        abort_all();
    }
    sender_.send_when_drained(status_fis(ata::kStatusError, error, fis.lba, fis.count));
}

void CommandProtocol::accept(const RegisterH2d& fis, const DecodedCommand& command, hal::Ledger* ledger) {
    Slot& slot = table_.take();
    slot.opcode = command.opcode;
    slot.slot = command.tag;
    slot.queued = command.ncq;
    slot.fua = command.fua;
    slot.enable = command.enable;
    slot.lba = command.lba;
    slot.sectors = command.sectors;
    slot.data_bytes = command.data_bytes;
    slot.drq_bytes = command.protocol == DataProtocol::dma   ? 0
                     : command.protocol == DataProtocol::pio ? hal::kSectorBytes
                                                             : identify_state_.multiple * hal::kSectorBytes;
    slot.pages = command.pages;
    slot.seen = smart_.errors.latest();
    if (command.action == Action::power) {
        slot.power = command.power;
        stop_self_test();  // a device in Standby or Sleep tests nothing
    }
    enter(slot, ledger);
    if (command.ncq) {
        RegisterD2h released;  // BSY=0, no interrupt: the host may send the next command
        released.status = ata::kStatusOk;
        released.device = ata::kDeviceLba;
        released.lba = fis.lba;
        sender_.send(encode(released));
    }
    if (needs_flash(command.opcode)) {
        wake();
    }
    slot.complete = command.action != Action::trim;
    hand_on(slot);
    if (!slot.complete) {
        slot.ledger->enter(hal::Stage::link_wait, now());
        data_path_.begin_internal(slot);
    }
}

/// The slot's command is outstanding from now on.
void CommandProtocol::enter(Slot& slot, hal::Ledger* ledger) {
    slot.host_ledger = ledger;
    if (ledger != nullptr) {
        slot.own_ledger = *ledger;
    } else {
        slot.own_ledger.start(hal::Stage::command_queue, now());
    }
    slot.id = next_id_++;
    slot.own_ledger.set_command_id(slot.id);
    table_.enter(slot);
}

/// Firmware may fetch the slot when it is complete.
void CommandProtocol::hand_on(Slot& slot) {
    const bool first = state_.to_fetch.empty();
    state_.to_fetch.push(&slot);
    if (first) {
        tell_firmware();
    }
}

bool CommandProtocol::may_fetch() const {
    return !state_.to_fetch.empty() && state_.to_fetch.front()->complete && !awake_.armed();
}

/// Calls firmware if the oldest command that it has not fetched is complete, and the flash is awake.
void CommandProtocol::tell_firmware() {
    if (may_fetch() && state_.arrived) {
        state_.arrived();
    }
}

/// Takes back a command that firmware has not fetched yet.
void CommandProtocol::withdraw(const Slot& slot) {
    for (std::size_t left = state_.to_fetch.size(); left > 0; --left) {
        Slot* entry = state_.to_fetch.pop();
        if (entry != &slot) {
            state_.to_fetch.push(entry);
        }
    }
    tell_firmware();
}

void CommandProtocol::internal_data_arrived(Slot& slot) {
    hal::Lba bad;
    if (!parse_dsm(slot.internal_data, config_.exported_sectors, slot.trim_ranges, bad)) {
        withdraw(slot);
        finish_error(slot, ata::kStatusError, ata::kIdNotFound, bad);
        return;
    }
    if (slot.trim_ranges.empty()) {  // nothing but padding
        slot.ledger->enter(hal::Stage::completion, now());
        withdraw(slot);
        finish_ok(slot);
        return;
    }
    slot.ranges = slot.trim_ranges;
    slot.complete = true;
    if (state_.to_fetch.front() == &slot) {
        tell_firmware();
    }
}

void CommandProtocol::completed(Slot& slot, hal::HostStatus status) {
    if (!slot.transfers.empty()) {
        SC_REPORT_FATAL(kCommandReport, "a command completes with a transfer under way");
    }
    if (slot.own != OwnWork::none) {
        own_completed(slot, status);
        return;
    }
    if (slot.aborted) {
        table_.free(slot);
        return;
    }
    switch (status) {
        case hal::HostStatus::ok:
            if (slot.opcode == hal::HostOpcode::report_health) {
                answer_health(slot);
            } else if (slot.by_pio() && slot.is_read()) {
                slot.owner = SlotOwner::device;
                data_path_.release(slot);
            } else {
                finish_ok(slot);
            }
            return;
        case hal::HostStatus::uncorrectable: {
            // the first sector that did not reach the host
            const hal::Lba lba{slot.lba.value + slot.verified + slot.transfers.retired() / hal::kSectorBytes};
            finish_error(slot, ata::kStatusError, ata::kUncorrectable, lba);
            return;
        }
        case hal::HostStatus::aborted:
            finish_error(slot, ata::kStatusError, ata::kAbort, slot.lba);
            return;
        case hal::HostStatus::write_fault:
            finish_error(slot, ata::kStatusError | ata::kDeviceFault, ata::kAbort, slot.lba);
            return;
    }
}

void CommandProtocol::finish_ok(Slot& slot) {
    if (!slot.internal && slot.transfers.retired() != slot.data_bytes) {
        SC_REPORT_FATAL(kCommandReport, "a command completes before its data have moved");
        return;
    }
    ++statistics_.completed;
    if (slot.opcode == hal::HostOpcode::read) {
        statistics_.read_bytes += slot.data_bytes;
    } else if (slot.opcode == hal::HostOpcode::write) {
        statistics_.written_bytes += slot.data_bytes;
    } else if (slot.opcode == hal::HostOpcode::set_write_cache) {
        identify_state_.write_cache = slot.enable;
    }
    if (slot.power) {
        change_power(*slot.power);
    }
    restart_standby();
    return_ledger(slot);
    const std::uint8_t tag = slot.tag();
    const hal::Lba lba = slot.lba;
    const bool told = slot.released;  // by the last PIO Setup FIS
    table_.free(slot);
    if (tag != ata::kNoTag) {
        state_.completed_tags.push(tag);
        send_completions(false);
    } else if (!told) {
        sender_.send(status_fis(ata::kStatusOk, 0, lba, 0));
    }
}

void CommandProtocol::finish_error(Slot& slot, std::uint8_t status, std::uint8_t error, hal::Lba lba) {
    ++statistics_.failed;
    if (slot.ledger->current() != hal::Stage::completion) {
        slot.ledger->enter(hal::Stage::completion, now());
    }
    return_ledger(slot);
    restart_standby();
    if ((error & ata::kUncorrectable) != 0 || (status & ata::kDeviceFault) != 0) {
        smart_.errors.error(slot.seen, RegisterD2h{false, status, error, lba, ata::kDeviceLba, 0}, now());
    }
    NcqError cause{
        false, slot.tag(), status, error, lba, ata::kDeviceLba, static_cast<std::uint16_t>(slot.sectors)};
    const bool queued = slot.queued;
    table_.free(slot);
    if (!queued) {
        data_path_.reset();
        sender_.send_when_drained(status_fis(status, error, lba, 0));
        return;
    }
    table_.mark_reported(CommandTable::bit_of(cause.tag));
    halt(cause);
    SetDeviceBits bits;
    bits.status = status;
    bits.error = error;
    sender_.send_when_drained(encode(bits));
}

void CommandProtocol::halt(const NcqError& error) {
    send_completions(true);
    abort_all();
    state_.halted = true;
    state_.error = error;
}

// Sends one FIS at a time unless `all`, so that completions that come meanwhile can share the next one.
void CommandProtocol::send_completions(bool all) {
    while (!state_.completed_tags.empty() && (all || !state_.sdb_in_link)) {
        SetDeviceBits bits;
        bits.status = ata::kReady;
        for (std::uint32_t i = 0; i < config_.coalesce_completions && !state_.completed_tags.empty(); ++i) {
            bits.sactive |= CommandTable::bit_of(state_.completed_tags.pop());
        }
        table_.mark_reported(bits.sactive);
        table_.tell();
        state_.sdb_in_link = true;
        ++statistics_.set_device_bits;
        sender_.send(encode(bits));
    }
}

void CommandProtocol::abort_all() {
    table_.forget_all([this](Slot& slot) {
        ++statistics_.aborted;
        return_ledger(slot);
        data_path_.abort(slot);
        if (slot.owner == SlotOwner::device) {
            table_.free(slot);
        }
    });
    for (std::size_t left = state_.to_fetch.size(); left > 0; --left) {
        if (Slot* entry = state_.to_fetch.pop(); entry->own != OwnWork::none) {
            state_.to_fetch.push(entry);
        }
    }
    if (smart_.test.captive()) {  // its command is gone
        smart_.test.end(SelfTest::Result::aborted, now());
    }
    state_.completed_tags.clear();
    pages_.abort();
    data_path_.reset();
    restart_standby();
}

/// The host has reset the device: it expects no status of earlier commands.
void CommandProtocol::reset() {
    interrupt_self_test();
    abort_all();
    sender_.forget_waiting();
    state_.halted = false;
    state_.error.reset();
}

// ACS-3 table 206, signature of an ATA device after reset: status 50h, error 01h (diagnostics passed),
// count 1, LBA 1.
void CommandProtocol::send_signature() {
    if (std::exchange(state_.after_comreset, false)) {
        ++state_.signatures;
    }
    sender_.send_when_drained(signature_fis(false));
}

}  // namespace solidtlm::hw
