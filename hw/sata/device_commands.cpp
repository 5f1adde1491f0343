// SPDX-License-Identifier: Apache-2.0
//
// The command layer of SataDevice.
#include <algorithm>

#include "hw/sata/device.h"
#include "hw/sata/dsm.h"

namespace solidtlm::hw {
namespace {

constexpr std::uint32_t kAllTags = ~std::uint32_t{0};

std::uint32_t bit_of(std::uint8_t tag) {
    return std::uint32_t{1} << tag;
}

}  // namespace

void SataDevice::control_received(const RegisterH2d& fis) {
    if ((fis.control & ata::kSoftReset) != 0) {
        abort_all();
        halted_ = false;
        error_.reset();
        in_reset_ = true;
    } else if (in_reset_) {
        in_reset_ = false;
        send_signature();
    }
}

void SataDevice::command_received(const RegisterH2d& fis, hal::Ledger* ledger) {
    if (ledger != nullptr) {
        ledger->enter(hal::Stage::command_queue, now());
    }
    if (in_reset_) {
        return;  // the device looks at nothing but SRST
    }
    const DecodedCommand command = decode_command(fis, config_);
    const bool reads_error_log =
        command.action == Action::read_log && command.log_address == ata::kLogNcqError;
    if (halted_ && !reads_error_log) {
        ++statistics_.failed;
        send_status(ata::kStatusError, ata::kAbort, fis.lba, fis.count);
        return;
    }
    if (conflicts(command)) {
        reject(fis, command, ata::kAbort);
        return;
    }
    if (command.action == Action::reject) {
        reject(fis, command, command.error);
        return;
    }
    ++statistics_.accepted;
    if (command.action == Action::firmware || command.action == Action::trim) {
        accept(fis, command, ledger);
    } else {
        answer_itself(fis, command);
    }
    statistics_.max_outstanding = std::max(statistics_.max_outstanding, outstanding());
}

// Commands that may not be outstanding together (ACS-3 4.16.1).
bool SataDevice::conflicts(const DecodedCommand& command) const {
    if (by_tag_[ata::kNoTag] != nullptr || pio_active_) {
        return true;
    }
    if (!command.ncq) {
        return sactive_ != 0;
    }
    return command.tag >= config_.queue_depth || (sactive_ & bit_of(command.tag)) != 0;
}

void SataDevice::reject(const RegisterH2d& fis, const DecodedCommand& command, std::uint8_t error) {
    ++statistics_.failed;
    if (command.ncq || sactive_ != 0) {
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
    RegisterD2h status;
    status.interrupt = true;
    status.status = ata::kStatusError;
    status.error = error;
    status.lba = fis.lba;
    status.device = ata::kDeviceLba;
    status.count = fis.count;
    send_when_drained(encode(status));
}

void SataDevice::accept(const RegisterH2d& fis, const DecodedCommand& command, hal::Ledger* ledger) {
    Slot& slot = take_slot();
    slot.opcode = command.opcode;
    slot.tag = command.tag;
    slot.queued = command.ncq;
    slot.fua = command.fua;
    slot.enable = command.enable;
    slot.lba = command.lba;
    slot.sectors = command.sectors;
    slot.data_bytes = command.data_bytes;
    slot.host_ledger = ledger;
    if (ledger != nullptr) {
        slot.own_ledger = *ledger;
    } else {
        slot.own_ledger.start(hal::Stage::command_queue, now());
    }
    slot.id = next_id_++;
    slot.own_ledger.set_flow(slot.id);
    by_tag_[command.tag] = &slot;
    sactive_ |= command.ncq ? bit_of(command.tag) : 0;
    if (probe_ != nullptr) {
        probe_->command_accepted(now(), slot);
    }
    tell_outstanding();
    if (command.ncq) {
        RegisterD2h released;  // BSY=0, no interrupt: the host may send the next command
        released.status = ata::kStatusOk;
        released.device = ata::kDeviceLba;
        released.lba = fis.lba;
        send_fis(encode(released), nullptr, 0);
    }
    slot.complete = command.action != Action::trim;
    const bool first = to_fetch_.empty();
    to_fetch_.push(&slot);
    if (!slot.complete) {
        slot.ledger->enter(hal::Stage::link_wait, now());
        data_path_.begin_internal(slot);
    } else if (first) {
        tell_firmware();
    }
}

/// The oldest command not fetched has become complete.
void SataDevice::tell_firmware() {
    if (!to_fetch_.empty() && to_fetch_.front()->complete && arrived_) {
        arrived_();
    }
}

/// Firmware is not to see this command, which it has not fetched yet.
void SataDevice::withdraw(const Slot& slot) {
    for (std::size_t left = to_fetch_.size(); left > 0; --left) {
        Slot* entry = to_fetch_.pop();
        if (entry != &slot) {
            to_fetch_.push(entry);
        }
    }
    tell_firmware();
}

void SataDevice::internal_data_arrived(Slot& slot) {
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
    if (to_fetch_.front() == &slot) {
        tell_firmware();
    }
}

void SataDevice::answer_itself(const RegisterH2d& fis, const DecodedCommand& command) {
    switch (command.action) {
        case Action::identify:
            pio_pages_.assign(1, identify_data(config_, identify_state_));
            pio_next_ = 0;
            pio_active_ = true;
            send_pio_block();
            break;
        case Action::read_log:
            read_log(fis, command);
            break;
        case Action::power_mode:
            ++statistics_.completed;
            send_status(ata::kStatusOk, 0, fis.lba, ata::kPowerActive);
            break;
        case Action::auto_activate:
            if (command.enable && !config_.auto_activate) {
                ++statistics_.failed;
                send_status(ata::kStatusError, ata::kAbort, fis.lba, fis.count);
                break;
            }
            identify_state_.auto_activate = command.enable;
            data_path_.set_auto_activate(command.enable);
            [[fallthrough]];
        default:
            ++statistics_.completed;
            send_status(ata::kStatusOk, 0, fis.lba, fis.count);
            break;
    }
}

void SataDevice::read_log(const RegisterH2d& fis, const DecodedCommand& command) {
    pio_pages_.clear();
    for (std::uint32_t i = 0; i < fis.count; ++i) {
        pio_pages_.push_back(command.log_address == ata::kLogNcqError
                                 ? ncq_error_log(error_)
                                 : general_log(command.log_address, command.log_page + i,
                                               identify_data(config_, identify_state_)));
    }
    if (halted_) {  // the host forgets what was outstanding
        SetDeviceBits forget;
        forget.status = ata::kReady;
        forget.sactive = kAllTags;
        halted_ = false;
        send_fis(encode(forget), nullptr, 0);
    }
    pio_next_ = 0;
    pio_active_ = true;
    send_pio_block();
}

void SataDevice::send_pio_block() {
    const bool last = pio_next_ + 1 == pio_pages_.size();
    PioSetup setup;
    setup.interrupt = true;
    setup.device_to_host = true;
    setup.status = ata::kStatusOk | ata::kDrq;
    setup.device = ata::kDeviceLba;
    setup.end_status = last ? ata::kStatusOk : std::uint8_t{ata::kStatusOk | ata::kBusy};
    setup.transfer_bytes = hal::kSectorBytes;
    send_fis(encode(setup), nullptr, 0);
    send_fis(encode_data(), pio_pages_[pio_next_].data(), hal::kSectorBytes);
    pio_data_in_link_ = true;
    ++pio_next_;
}

void SataDevice::pio_block_sent() {
    if (pio_next_ < pio_pages_.size()) {
        send_pio_block();
        return;
    }
    pio_active_ = false;
    ++statistics_.completed;
}

void SataDevice::transfer_asked(Slot* slot) {
    if (slot != nullptr) {
        if (!slot->transfers.empty()) {  // not aborted in this very instant
            data_path_.transfer_asked(*slot);
        }
        return;
    }
    hal::HostTransfer& transfer = *late_transfers_.pop();
    transfer.aborted = true;
    mark_from(*transfer.ledger, hal::Stage::firmware_wait, now());
    transfer.done();
}

void SataDevice::command_completed(Slot& slot, hal::HostStatus status) {
    if (!slot.transfers.empty()) {
        SC_REPORT_FATAL(kReport, "a command completes with a transfer under way");
    }
    if (slot.aborted) {
        free_slot(slot);
        return;
    }
    switch (status) {
        case hal::HostStatus::ok:
            finish_ok(slot);
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

void SataDevice::finish_ok(Slot& slot) {
    if (!slot.internal && slot.transfers.retired() != slot.data_bytes) {
        SC_REPORT_FATAL(kReport, "a command completes before its data have moved");
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
    const std::uint8_t tag = slot.tag;
    const hal::Lba lba = slot.lba;
    free_slot(slot);
    if (tag != ata::kNoTag) {
        completed_tags_.push(tag);
        send_completions(false);
    } else {
        send_status(ata::kStatusOk, 0, lba, 0);
    }
}

void SataDevice::finish_error(Slot& slot, std::uint8_t status, std::uint8_t error, hal::Lba lba) {
    ++statistics_.failed;
    if (slot.ledger->current() != hal::Stage::completion) {
        slot.ledger->enter(hal::Stage::completion, now());
    }
    return_ledger(slot);
    NcqError cause{
        false, slot.tag, status, error, lba, ata::kDeviceLba, static_cast<std::uint16_t>(slot.sectors)};
    const bool queued = slot.queued;
    free_slot(slot);
    if (!queued) {
        data_path_.reset();
        RegisterD2h answer;
        answer.interrupt = true;
        answer.status = status;
        answer.error = error;
        answer.lba = lba;
        answer.device = ata::kDeviceLba;
        send_when_drained(encode(answer));
        return;
    }
    sactive_ &= ~bit_of(cause.tag);
    halt(cause);
    SetDeviceBits bits;
    bits.status = status;
    bits.error = error;
    send_when_drained(encode(bits));
}

void SataDevice::halt(const NcqError& error) {
    send_completions(true);
    abort_all();
    halted_ = true;
    error_ = error;
}

// One FIS at a time, so that completions behind it can share the next one.
void SataDevice::send_completions(bool all) {
    while (!completed_tags_.empty() && (all || !sdb_in_link_)) {
        SetDeviceBits bits;
        bits.status = ata::kReady;
        for (std::uint32_t i = 0; i < config_.coalesce_completions && !completed_tags_.empty(); ++i) {
            bits.sactive |= bit_of(completed_tags_.pop());
        }
        sactive_ &= ~bits.sactive;
        tell_outstanding();
        sdb_in_link_ = true;
        ++statistics_.set_device_bits;
        send_fis(encode(bits), nullptr, 0);
    }
}

void SataDevice::send_status(std::uint8_t status, std::uint8_t error, hal::Lba lba, std::uint16_t count) {
    RegisterD2h answer;
    answer.interrupt = true;
    answer.status = status;
    answer.error = error;
    answer.lba = lba;
    answer.device = ata::kDeviceLba;
    answer.count = count;
    send_fis(encode(answer), nullptr, 0);
}

void SataDevice::abort_all() {
    for (Slot*& entry : by_tag_) {
        if (entry == nullptr) {
            continue;
        }
        Slot& slot = *entry;
        entry = nullptr;
        ++statistics_.aborted;
        return_ledger(slot);
        data_path_.abort(slot);
        if (slot.owner == SlotOwner::device) {
            free_slot(slot);
        }
    }
    sactive_ = 0;
    tell_outstanding();
    to_fetch_.clear();
    completed_tags_.clear();
    pio_active_ = false;
    data_path_.reset();
}

// ACS-3 table 206, signature of an ATA device after reset: status 50h, error 01h (diagnostics passed),
// count 1, LBA 1.
void SataDevice::send_signature() {
    RegisterD2h signature;
    signature.status = ata::kStatusOk;
    signature.error = 1;
    signature.lba = hal::Lba{1};
    signature.count = 1;
    send_when_drained(encode(signature));
}

Slot& SataDevice::take_slot() {
    if (free_slots_.empty()) {
        slots_.push_back(std::make_unique<Slot>());
        free_slots_.push_back(slots_.back().get());
    }
    Slot* slot = free_slots_.back();
    free_slots_.pop_back();
    slot->reset();
    return *slot;
}

void SataDevice::free_slot(Slot& slot) {
    if (by_tag_[slot.tag] == &slot) {
        by_tag_[slot.tag] = nullptr;
    }
    free_slots_.push_back(&slot);
    tell_outstanding();
}

void SataDevice::tell_outstanding() {
    if (probe_ != nullptr) {
        probe_->outstanding(now(), sactive_, by_tag_[ata::kNoTag] != nullptr);
    }
}

void SataDevice::return_ledger(Slot& slot) {
    if (slot.host_ledger != nullptr) {
        *slot.host_ledger = slot.own_ledger;
        slot.host_ledger = nullptr;
    }
}

}  // namespace solidtlm::hw
