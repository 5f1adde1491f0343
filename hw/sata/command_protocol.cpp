// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/command_protocol.h"

#include <algorithm>
#include <vector>

#include "hw/sata/dsm.h"
#include "hw/sata/health_pages.h"

namespace solidtlm::hw {
namespace {

constexpr const char* kCommandReport = "/ssd/sata";

/// A Register FIS that ends a command.
FisHeader status_fis(std::uint8_t status, std::uint8_t error, hal::Lba lba, std::uint16_t count) {
    RegisterD2h answer;
    answer.interrupt = true;
    answer.status = status;
    answer.error = error;
    answer.lba = lba;
    answer.device = ata::kDeviceLba;
    answer.count = count;
    return encode(answer);
}

/// Gives the host its ledger back.
void return_ledger(Slot& slot) {
    if (slot.host_ledger != nullptr) {
        *slot.host_ledger = slot.own_ledger;
        slot.host_ledger = nullptr;
    }
}

}  // namespace

void DeviceStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("device.accepted", "commands",
                    "commands accepted, those included that the device answers itself", accepted);
    metrics.counter("device.completed", "commands", "commands completed with good status", completed);
    metrics.counter("device.failed", "commands", "commands completed with error status", failed);
    metrics.counter("device.aborted", "commands",
                    "commands aborted by the error of another command or by a reset", aborted);
    metrics.counter("device.set_device_bits", "frames", "Set Device Bits FISes that completed commands",
                    set_device_bits);
    metrics.counter("device.read_bytes", "B", "bytes read by completed commands", read_bytes);
    metrics.counter("device.written_bytes", "B", "bytes written by completed commands", written_bytes);
    metrics.maximum("device.max_outstanding", "commands", "most commands outstanding at once",
                    max_outstanding);
}

CommandProtocol::CommandProtocol(const SataConfig& config, FrameSender& sender, DataPath& data_path)
    : config_(config),
      sender_(sender),
      data_path_(data_path),
      pages_(sender),
      identify_state_{config.write_cache, config.auto_activate, true} {}

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
            if (pages_.by_dma()) {
                sender_.send(status_fis(ata::kStatusOk, 0, hal::Lba{0}, 0));
            }
        }
        return true;
    }
    return false;
}

hal::HostCommand* CommandProtocol::fetch() {
    if (state_.to_fetch.empty() || !state_.to_fetch.front()->complete) {
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
    data_path_.set_auto_activate(config_.auto_activate);
    state_.in_reset = false;
}

void CommandProtocol::power_cut() {
    table_.clear();
    pages_.power_cut();
    state_ = {};
    identify_state_ = IdentifyState{config_.write_cache, config_.auto_activate, identify_state_.smart};
    data_path_.set_auto_activate(config_.auto_activate);
}

void CommandProtocol::control_received(const RegisterH2d& fis) {
    if ((fis.control & ata::kSoftReset) != 0) {
        reset();
        state_.in_reset = true;
    } else if (state_.in_reset) {
        state_.in_reset = false;
        send_signature();
    }
}

void CommandProtocol::command_received(const RegisterH2d& fis, hal::Ledger* ledger) {
    if (ledger != nullptr) {
        ledger->enter(hal::Stage::command_queue, now());
    }
    if (state_.in_reset) {
        return;  // the device only waits for SRST to be cleared
    }
    const DecodedCommand command = decode_command(fis, config_);
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
    if (command.action == Action::reject || (command.needs_smart && !identify_state_.smart)) {
        reject(fis, command, command.error);
        return;
    }
    ++statistics_.accepted;
    if (command.action == Action::firmware || command.action == Action::trim ||
        command.action == Action::health) {
        accept(fis, command, ledger);
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
    slot.pages = command.pages;
    slot.host_ledger = ledger;
    if (ledger != nullptr) {
        slot.own_ledger = *ledger;
    } else {
        slot.own_ledger.start(hal::Stage::command_queue, now());
    }
    slot.id = next_id_++;
    slot.own_ledger.set_command_id(slot.id);
    table_.enter(slot);
    if (command.ncq) {
        RegisterD2h released;  // BSY=0, no interrupt: the host may send the next command
        released.status = ata::kStatusOk;
        released.device = ata::kDeviceLba;
        released.lba = fis.lba;
        sender_.send(encode(released));
    }
    slot.complete = command.action != Action::trim;
    const bool first = state_.to_fetch.empty();
    state_.to_fetch.push(&slot);
    if (!slot.complete) {
        slot.ledger->enter(hal::Stage::link_wait, now());
        data_path_.begin_internal(slot);
    } else if (first) {
        tell_firmware();
    }
}

/// Calls firmware if the oldest command that it has not fetched is complete.
void CommandProtocol::tell_firmware() {
    if (!state_.to_fetch.empty() && state_.to_fetch.front()->complete && state_.arrived) {
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

void CommandProtocol::answer_itself(const RegisterH2d& fis, const DecodedCommand& command) {
    switch (command.action) {
        case Action::identify: {
            const LogPage page = identify_data(config_, identify_state_);
            pages_.begin({&page, 1}, false);
            break;
        }
        case Action::read_log:
            read_log(command.pages);
            break;
        case Action::smart:
            identify_state_.smart = command.enable;
            ++statistics_.completed;
            sender_.send(status_fis(ata::kStatusOk, 0, fis.lba, fis.count));
            break;
        case Action::power_mode:
            ++statistics_.completed;
            sender_.send(status_fis(ata::kStatusOk, 0, fis.lba, ata::kPowerActive));
            break;
        case Action::auto_activate:
            if (command.enable && !config_.auto_activate) {
                ++statistics_.failed;
                sender_.send(status_fis(ata::kStatusError, ata::kAbort, fis.lba, fis.count));
                break;
            }
            identify_state_.auto_activate = command.enable;
            data_path_.set_auto_activate(command.enable);
            [[fallthrough]];
        default:
            ++statistics_.completed;
            sender_.send(status_fis(ata::kStatusOk, 0, fis.lba, fis.count));
            break;
    }
}

void CommandProtocol::read_log(const PagesAsked& asked) {
    std::vector<LogPage> pages;
    pages.reserve(asked.count);
    for (std::uint32_t i = 0; i < asked.count; ++i) {
        pages.push_back(
            asked.log_address == ata::kLogNcqError
                ? ncq_error_log(state_.error)
                : general_log(asked.log_address, asked.first + i, identify_data(config_, identify_state_)));
    }
    if (state_.halted) {  // makes the host forget its outstanding commands
        SetDeviceBits forget;
        forget.status = ata::kReady;
        forget.sactive = CommandTable::kAllTags;
        state_.halted = false;
        sender_.send(encode(forget));
    }
    pages_.begin(pages, asked.by_dma);
}

/// Answers the host from the report that firmware has made.
void CommandProtocol::answer_health(Slot& slot) {
    const hal::HealthReport report = slot.report;
    const PagesAsked asked = slot.pages;
    return_ledger(slot);
    table_.free(slot);
    std::vector<LogPage> pages;
    switch (asked.of) {
        case PagesAsked::Of::smart_status: {
            const std::uint64_t signature =
                threshold_exceeded(report) ? ata::kSmartThresholdExceeded : ata::kSmartSignature;
            ++statistics_.completed;
            sender_.send(status_fis(ata::kStatusOk, 0, hal::Lba{signature << 8U}, 0));
            return;
        }
        case PagesAsked::Of::smart_data:
            pages.push_back(smart_data(report));
            break;
        case PagesAsked::Of::log:
            pages.reserve(asked.count);
            for (std::uint32_t i = 0; i < asked.count; ++i) {
                pages.push_back(statistics_page(asked.first + i, report));
            }
            break;
    }
    pages_.begin(pages, asked.by_dma);
}

void CommandProtocol::completed(Slot& slot, hal::HostStatus status) {
    if (!slot.transfers.empty()) {
        SC_REPORT_FATAL(kCommandReport, "a command completes with a transfer under way");
    }
    if (slot.aborted) {
        table_.free(slot);
        return;
    }
    switch (status) {
        case hal::HostStatus::ok:
            if (slot.opcode == hal::HostOpcode::report_health) {
                answer_health(slot);
            } else {
                finish_ok(slot);
            }
            return;
        case hal::HostStatus::uncorrectable: {
            // the first sector that did not reach the host
            const hal::Lba lba{slot.lba.value + slot.transfers.retired() / hal::kSectorBytes};
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
    return_ledger(slot);
    const std::uint8_t tag = slot.tag();
    const hal::Lba lba = slot.lba;
    table_.free(slot);
    if (tag != ata::kNoTag) {
        state_.completed_tags.push(tag);
        send_completions(false);
    } else {
        sender_.send(status_fis(ata::kStatusOk, 0, lba, 0));
    }
}

void CommandProtocol::finish_error(Slot& slot, std::uint8_t status, std::uint8_t error, hal::Lba lba) {
    ++statistics_.failed;
    if (slot.ledger->current() != hal::Stage::completion) {
        slot.ledger->enter(hal::Stage::completion, now());
    }
    return_ledger(slot);
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
    data_path_.catch_up();  // marks data that have moved in the ledgers, before they are returned
    table_.forget_all([this](Slot& slot) {
        ++statistics_.aborted;
        return_ledger(slot);
        data_path_.abort(slot);
        if (slot.owner == SlotOwner::device) {
            table_.free(slot);
        }
    });
    state_.to_fetch.clear();
    state_.completed_tags.clear();
    pages_.abort();
    data_path_.reset();
}

/// The host has reset the device: it expects no status of earlier commands.
void CommandProtocol::reset() {
    abort_all();
    sender_.forget_waiting();
    state_.halted = false;
    state_.error.reset();
}

// ACS-3 table 206, signature of an ATA device after reset: status 50h, error 01h (diagnostics passed),
// count 1, LBA 1.
void CommandProtocol::send_signature() {
    RegisterD2h signature;
    signature.status = ata::kStatusOk;
    signature.error = 1;
    signature.lba = hal::Lba{1};
    signature.count = 1;
    sender_.send_when_drained(encode(signature));
}

}  // namespace solidtlm::hw
