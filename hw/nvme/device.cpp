// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/device.h"

#include <algorithm>
#include <utility>

#include "hw/tlm/little_endian.h"
#include "hw/tlm/register_access.h"

namespace solidtlm::hw {

using hal::Stage;
using nvme::Word;

namespace {

constexpr unsigned kOffsetShift = 32;  // of doorbell_came()
constexpr std::uint64_t kMessage = 0;  // of memory_answered(): no nvme::Access is there

/// Of host memory, at once: each command has one access, or a message; each vector has a message.
std::size_t most_accesses(const NvmeConfig& config) {
    return 2 * std::size_t{NvmeDevice::command_slots(config)} + config.vectors + nvme::Controller::kFetches +
           nvme::DataPath::kMostAccesses;
}

}  // namespace

void NvmeStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("nvme.doorbells", "", "doorbells received", doorbells);
    metrics.counter("nvme.fetches", "", "fetches of one or more entries of a submission queue", fetches);
    metrics.counter("nvme.prp_lists", "", "PRP lists fetched", prp_lists);
    metrics.counter("nvme.completions", "", "entries written to completion queues", completions);
    metrics.counter("nvme.messages", "", "MSI-X messages sent", messages);
    metrics.counter("nvme.commands", "commands", "commands handed to firmware", firmware);
    metrics.counter("nvme.failed", "commands", "commands handed to firmware that failed", failed);
    metrics.counter("nvme.transfer_errors", "commands",
                    "commands during whose transfer an access to memory failed", transfer_errors);
    metrics.counter("nvme.read_bytes", "B", "bytes of read commands that succeeded", read_bytes);
    metrics.counter("nvme.written_bytes", "B", "bytes of write commands that succeeded", written_bytes);
}

NvmeDevice::NvmeDevice(const sc_core::sc_module_name& name, const NvmeConfig& config, const PcieConfig& link)
    : AgendaModule(name),
      dma_init("dma_init", agenda(), most_accesses(config)),
      dram_init("dram_init", 1),
      config_(config),
      state_(config),
      link_(link),
      data_path_(*this, config.content, command_slots(config), link_, dma_init, dram_init),
      controller_(std::in_place, config, static_cast<nvme::Surroundings&>(*this)) {
    register_target.register_b_transport(this, &NvmeDevice::b_transport);
}

void NvmeDevice::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    payload.set_response_status(register_refusal(payload, sizeof(Word), nvme::kBarBytes));
    if (!payload.is_response_ok()) {
        return;
    }
    if (delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    for (unsigned at = 0; at < payload.get_data_length(); at += sizeof(Word)) {
        const auto offset = static_cast<std::uint32_t>(payload.get_address()) + at;
        const std::span word(data + at, sizeof(Word));
        if (payload.is_read()) {
            put_little_endian(word, load(offset));
        } else {
            delay = to_sc_time(store(offset, static_cast<Word>(get_little_endian(word))));
        }
    }
}

Ps NvmeDevice::store(std::uint32_t offset, Word value) {
    if (offset < nvme::kDoorbells || offset >= nvme::kMsixTable) {
        controller_->write(offset, value);
        return Ps{0};
    }
    const Ps end = link_.register_write(now(), 0, sizeof(Word));
    at<&NvmeDevice::doorbell_came>(end, std::uint64_t{offset} << kOffsetShift | value);
    return end - now();
}

void NvmeDevice::doorbell_came(std::uint64_t offset_and_value) {
    ++statistics_.doorbells;
    controller_->write(static_cast<std::uint32_t>(offset_and_value >> kOffsetShift),
                       static_cast<Word>(offset_and_value));
}

/// The command is in `stage` from now on. The first time, what the host has marked so far comes with it.
void NvmeDevice::take_ledger(nvme::Slot& slot, Stage stage) {
    if (!slot.has_ledger) {
        slot.has_ledger = true;
        slot.host_ledger =
            ledgers_ && !controller_->own(slot) ? ledgers_(slot.queue, slot.entry.id) : nullptr;
        if (slot.host_ledger != nullptr) {
            slot.own_ledger = *slot.host_ledger;
        } else {
            slot.own_ledger.start(stage, now());
        }
    }
    slot.own_ledger.enter(stage, now());
}

void NvmeDevice::start(nvme::Access& access) {
    using Kind = nvme::Access::Kind;
    if (access.kind == Kind::fetch) {
        ++statistics_.fetches;
    } else {
        take_ledger(controller_->slot(access.owner), access.kind == Kind::prp_list ? Stage::prp_fetch
                                                     : access.kind == Kind::data   ? Stage::link_transfer
                                                                                   : Stage::completion);
        statistics_.prp_lists += access.kind == Kind::prp_list ? 1 : 0;
        statistics_.completions += access.kind == Kind::completion ? 1 : 0;
    }
    if (access.write) {
        at<&NvmeDevice::written>(link_.write(now(), access.address, access.bytes.size()), &access);
    } else {
        at<&NvmeDevice::requested>(link_.request(now(), access.address, access.bytes.size()), &access);
    }
}

/// The root has the request, or the bytes of a write.
void NvmeDevice::use_memory(nvme::Access& access) {
    const std::uint64_t id = detail::word_of(&access);
    const std::optional<bool> ended = dma_init.access({.write = access.write,
                                                       .order = nvme::MemoryRequest::Order::strict,
                                                       .address = access.address,
                                                       .bytes = access.bytes,
                                                       .client = this,
                                                       .id = id});
    if (ended) {
        memory_answered(id, *ended);
    }
}

/// The root has the data of a read; a write has its place in the order of writes.
void NvmeDevice::memory_answered(std::uint64_t id, bool ok) {
    if (id == kMessage) {
        state_.without_place.pop_front();
        return;
    }
    auto& access = *reinterpret_cast<nvme::Access*>(static_cast<std::uintptr_t>(id));
    access.ok = ok;
    if (access.write) {
        ended(&access);
    } else {
        at<&NvmeDevice::ended>(link_.data(now(), access.address, access.bytes.size()), &access);
    }
}

void NvmeDevice::written(nvme::Access* access) {
    if (access->kind == nvme::Access::Kind::completion) {
        nvme::Slot& slot = controller_->slot(access->owner);
        slot.own_ledger.enter(Stage::completion, now());
        if (slot.host_ledger != nullptr) {
            *slot.host_ledger = slot.own_ledger;
        }
    }
    use_memory(*access);
}

void NvmeDevice::ended(nvme::Access* access) {
    controller_->ended(*access, access->ok);
}

void NvmeDevice::submit(nvme::Slot& slot) {
    take_ledger(slot, Stage::command_queue);
    slot.own_ledger.set_command_id(slot.id);
    ++statistics_.firmware;
    if (probe_ != nullptr) {
        probe_->command_accepted(now(), slot);
    }
    count_under_way(1);
    state_.to_fetch.push(&slot);
    if (state_.to_fetch.size() == 1 && state_.arrived) {
        state_.arrived();
    }
}

void NvmeDevice::count_under_way(std::int32_t more) {
    state_.under_way += static_cast<std::uint32_t>(more);
    if (probe_ != nullptr) {
        probe_->under_way(now(), state_.under_way);
    }
}

void NvmeDevice::tell(hal::Metrics& metrics) const {
    statistics_.tell(metrics);
    metrics.counter("nvme.refused_writes", "",
                    "posted writes that memory refused after their commands had gone on",
                    dma_init.refused_writes());
}

void NvmeDevice::set_probe(hal::Probe* probe) {
    probe_ = probe;
    link_.set_probe(probe);
}

void NvmeDevice::power_on() {
    if (link_up_) {
        at<&NvmeDevice::link_came_up>(now());
    }
}

void NvmeDevice::transfer(hal::HostTransfer& transfer) {
    auto& slot = static_cast<nvme::Slot&>(*transfer.command);
    SOLIDTLM_CHECK(slot.transfers.refuse(transfer) == nullptr, "a transfer that continues its command");
    const bool waits = slot.transfers.claimable() > 0;
    slot.transfers.push(transfer);
    mark_from(*transfer.ledger, Stage::link_wait, now());
    if (!waits) {
        at<&NvmeDevice::transfer_asked>(now(), &slot);
    }
}

void NvmeDevice::complete(hal::HostCommand& command, hal::HostStatus status) {
    auto& slot = static_cast<nvme::Slot&>(command);
    slot.own_ledger.enter(Stage::completion, now());
    slot.firmware_status = status;
    at<&NvmeDevice::completed>(now(), &slot);
}

void NvmeDevice::completed(nvme::Slot* slot) {
    count_under_way(-1);
    if (slot->firmware_status != hal::HostStatus::ok) {
        ++statistics_.failed;
    } else if (!slot->moved_all) {
        ++statistics_.transfer_errors;
    } else if (slot->opcode == hal::HostOpcode::read) {
        statistics_.read_bytes += slot->host_bytes;
    } else if (slot->opcode == hal::HostOpcode::write) {
        statistics_.written_bytes += slot->host_bytes;
    }
    controller_->completed(*slot, slot->firmware_status);
}

void NvmeDevice::message(std::uint64_t address, Word data) {
    ++statistics_.messages;
    state_.messages.push({address, data});
    at<&NvmeDevice::sent_message>(link_.write(now(), address, sizeof(Word)));
}

/// A message that nothing answers is lost.
void NvmeDevice::sent_message() {
    const Message message = state_.messages.pop();
    auto& bytes = state_.without_place.emplace_back();
    put_little_endian(bytes, message.data);
    if (dma_init.access({.write = true,
                         .order = nvme::MemoryRequest::Order::strict,
                         .address = message.address,
                         .bytes = bytes,
                         .client = this,
                         .id = kMessage})) {
        state_.without_place.pop_back();
    }
}

void NvmeDevice::pin(bool level) {
    state_.level = level;
    at<&NvmeDevice::drive_interrupt>(now());
}

void NvmeDevice::drive_interrupt() {
    interrupt.write(state_.level);
}

void NvmeDevice::power_cut() {
    drop_work();
    alarm_.disarm();
    dma_init.forget();
    data_path_.power_cut();
    link_.power_cut();
    controller_.emplace(config_, static_cast<nvme::Surroundings&>(*this));
    const Volatile lost = std::exchange(state_, Volatile(config_));
    if (lost.under_way > 0) {
        count_under_way(0);
    }
    if (lost.level) {
        pin(false);
    }
}

const hal::HostCommand* NvmeDevice::command(std::uint16_t id) const {
    const auto slots = controller_->slots();
    const auto found = std::ranges::find_if(slots, [id](const nvme::Slot& slot) {
        return slot.state == nvme::Slot::State::firmware && slot.queue > 0 && slot.entry.id == id;
    });
    return found == slots.end() ? nullptr : &*found;
}

}  // namespace solidtlm::hw
