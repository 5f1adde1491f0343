// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/admin_commands.h"

#include <algorithm>

#include "hw/nvme/identify.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr Word kLow = 0xFFFF;
constexpr unsigned kHigh = 16;

// Dword 11 of Create.
constexpr Word kContiguous = 1U << 0U;
constexpr Word kInterruptsEnabled = 1U << 1U;
constexpr unsigned kPriorityShift = 1;

// Get Log Page.
constexpr Word kRetainEvent = 1U << 15U;

// Features.
constexpr Word kSave = 1U << 31U;
constexpr Word kSelectCapabilities = 3;
constexpr Word kChangeable = 1U << 2U;
constexpr std::uint32_t kTimestampBytes = 8;

constexpr Word kNotAborted = 1;

/// There is an I/O queue with this id.
bool has(const auto& queues, std::uint32_t id) {
    return id > 0 && id < queues.size() && queues[id].exists();
}

}  // namespace

void AdminCommands::begin(Slot& slot) {
    switch (static_cast<AdminOpcode>(slot.entry.opcode)) {
        case AdminOpcode::delete_sq:
            return delete_sq(slot);
        case AdminOpcode::create_sq:
            return create_sq(slot);
        case AdminOpcode::get_log_page:
            return get_log_page(slot);
        case AdminOpcode::delete_cq:
            return delete_cq(slot);
        case AdminOpcode::create_cq:
            return create_cq(slot);
        case AdminOpcode::identify:
            return identify(slot);
        case AdminOpcode::abort: {
            const Word which = slot.entry.dword(10);
            slot.result =
                services_.abort(which & kLow, static_cast<std::uint16_t>(which >> kHigh)) ? 0 : kNotAborted;
            return;
        }
        case AdminOpcode::set_features:
            return set_features(slot);
        case AdminOpcode::get_features:
            return get_features(slot);
        case AdminOpcode::async_event_request:
            if (state_.events.park(slot.index)) {
                slot.next = Slot::Next::park;
            } else {
                slot.refuse(Status::async_limit);
            }
            return;
    }
    slot.refuse(Status::invalid_opcode);
}

void AdminCommands::create_sq(Slot& slot) {
    const std::uint32_t id = slot.entry.dword(10) & kLow;
    const std::uint32_t size = (slot.entry.dword(10) >> kHigh) + 1;
    const Word flags = slot.entry.dword(11) & kLow;
    const std::uint32_t cq = slot.entry.dword(11) >> kHigh;
    Queues& queues = state_.queues;
    if (!has(queues.completion, cq)) {
        slot.refuse(Status::cq_invalid);
    } else if (id == 0 || id > state_.features.granted(true) || queues.submission[id].exists()) {
        slot.refuse(Status::queue_id_invalid);
    } else if (size < 2 || size > config_.queue_entries) {
        slot.refuse(Status::queue_size_invalid);
    } else if (slot.entry.prp1 % kPageBytes != 0) {
        slot.refuse(Status::prp_offset);
    } else if ((flags & kContiguous) == 0) {
        slot.refuse(Status::invalid_field);
    } else {
        queues.create_sq(id, slot.entry.prp1, size, static_cast<std::uint16_t>(cq),
                         static_cast<Priority>(flags >> kPriorityShift & 3));
    }
}

void AdminCommands::create_cq(Slot& slot) {
    const std::uint32_t id = slot.entry.dword(10) & kLow;
    const std::uint32_t size = (slot.entry.dword(10) >> kHigh) + 1;
    const Word flags = slot.entry.dword(11) & kLow;
    const std::uint32_t vector = slot.entry.dword(11) >> kHigh;
    if (id == 0 || id > state_.features.granted(false) || state_.queues.completion[id].exists()) {
        slot.refuse(Status::queue_id_invalid);
    } else if (size < 2 || size > config_.queue_entries) {
        slot.refuse(Status::queue_size_invalid);
    } else if (slot.entry.prp1 % kPageBytes != 0) {
        slot.refuse(Status::prp_offset);
    } else if (vector >= config_.vectors) {
        slot.refuse(Status::vector_invalid);
    } else if ((flags & kContiguous) == 0) {
        slot.refuse(Status::invalid_field);
    } else {
        state_.queues.create_cq(id, slot.entry.prp1, size, static_cast<std::uint16_t>(vector),
                                (flags & kInterruptsEnabled) != 0);
    }
}

void AdminCommands::delete_sq(Slot& slot) {
    const std::uint32_t id = slot.entry.dword(10) & kLow;
    Queues& queues = state_.queues;
    if (!has(queues.submission, id) || queues.submission[id].deleter) {
        slot.refuse(Status::queue_id_invalid);
    } else if (queues.submission[id].outstanding > 0) {
        queues.submission[id].deleter = slot.index;
        slot.next = Slot::Next::park;
    } else {
        queues.delete_sq(id);
    }
}

void AdminCommands::delete_cq(Slot& slot) {
    const std::uint32_t id = slot.entry.dword(10) & kLow;
    Queues& queues = state_.queues;
    if (!has(queues.completion, id)) {
        slot.refuse(Status::queue_id_invalid);
    } else if (queues.completion[id].users > 0) {
        slot.refuse(Status::queue_deletion_invalid);
    } else {
        queues.delete_cq(id);
    }
}

void AdminCommands::identify(Slot& slot) {
    const std::uint32_t nsid = slot.entry.nsid;
    const auto cns = static_cast<Cns>(slot.entry.dword(10) & 0xFF);
    IdentifyPage page{};
    switch (cns) {
        case Cns::controller:
            page = identify_controller(config_);
            break;
        case Cns::active_list:
            if (nsid >= kEveryNamespace - 1) {
                return slot.refuse(Status::invalid_namespace);
            }
            page = active_namespaces(nsid);
            break;
        case Cns::name_space:
        case Cns::descriptors:
            if (nsid != kNamespace) {
                return slot.refuse(Status::invalid_namespace);
            }
            page = cns == Cns::name_space ? identify_namespace(config_) : namespace_descriptors(config_);
            break;
        default:
            return slot.refuse(Status::invalid_field);
    }
    slot.move(Slot::Next::send, kPageBytes);
    std::ranges::copy(page, slot.data.begin());
}

void AdminCommands::fill(Slot& slot, std::span<const std::byte> page) {
    const std::uint64_t offset = slot.entry.dword(12);
    const std::span part = page.subspan(offset);
    std::ranges::copy(part.first(std::min(part.size(), slot.data.size())), slot.data.begin());
}

void AdminCommands::get_log_page(Slot& slot) {
    const auto log = static_cast<LogId>(slot.entry.dword(10) & 0xFF);
    const std::uint64_t dwords =
        (slot.entry.dword(10) >> kHigh | std::uint64_t{slot.entry.dword(11) & kLow} << kHigh) + 1;
    const std::uint64_t offset = slot.entry.dword(12) | std::uint64_t{slot.entry.dword(13)} << 32U;
    if (log != LogId::errors && log != LogId::health && log != LogId::firmware_slots) {
        return slot.refuse(Status::log_page_invalid);
    }
    const std::uint32_t bytes = log == LogId::errors ? kErrorLogBytes : kHealthBytes;
    if (offset > bytes || offset % sizeof(Word) != 0 || dwords > kMostBytes / sizeof(Word)) {
        return slot.refuse(Status::invalid_field);
    }
    if (log == LogId::health && slot.entry.nsid != 0 && slot.entry.nsid != kEveryNamespace) {
        return slot.refuse(Status::invalid_field);  // LPA: not by namespace
    }
    slot.move(Slot::Next::send, static_cast<std::uint32_t>(dwords * sizeof(Word)));
    switch (log) {
        case LogId::errors:
            if ((slot.entry.dword(10) & kRetainEvent) == 0) {
                state_.events.error_log_read();
            }
            fill(slot, state_.errors.page());
            break;
        case LogId::health:
            slot.submit(hal::HostOpcode::report_health);
            break;
        case LogId::firmware_slots:
            fill(slot, firmware_slot_page(config_));
            break;
    }
}

void AdminCommands::reported(Slot& slot) {
    fill(slot, health_page(slot.report, state_.features.temperature(), state_.errors.count()));
    slot.next = Slot::Next::send;
}

void AdminCommands::get_features(Slot& slot) {
    const auto id = static_cast<std::uint8_t>(slot.entry.dword(10));
    const Word select = slot.entry.dword(10) >> 8U & 7;
    if (!Features::known(id) || select > kSelectCapabilities) {
        return slot.refuse(Status::invalid_field);
    }
    if (select == kSelectCapabilities) {
        slot.result = kChangeable;
        return;
    }
    const auto feature = static_cast<Feature>(id);
    if (feature == Feature::timestamp) {
        slot.move(Slot::Next::send, kTimestampBytes);
        put_little_endian(slot.data, select == 0 ? state_.features.timestamp(services_.time()) : 0);
        return;
    }
    const auto value = state_.features.get(feature, slot.entry.dword(11), select != 0);
    if (!value) {
        return slot.refuse(Status::invalid_field);
    }
    slot.result = *value;
}

void AdminCommands::set_features(Slot& slot) {
    const auto id = static_cast<std::uint8_t>(slot.entry.dword(10));
    const Word value = slot.entry.dword(11);
    if ((slot.entry.dword(10) & kSave) != 0) {
        return slot.refuse(Status::not_saveable);
    }
    if (!Features::known(id)) {
        return slot.refuse(Status::invalid_field);
    }
    const auto feature = static_cast<Feature>(id);
    if (feature == Feature::timestamp) {
        return slot.move(Slot::Next::receive, kTimestampBytes);
    }
    if (feature == Feature::queues) {
        const auto created = [](const auto& queues) {
            return std::any_of(queues.begin() + 1, queues.end(),
                               [](const auto& queue) { return queue.exists(); });
        };
        if (created(state_.queues.submission) || created(state_.queues.completion)) {
            return slot.refuse(Status::command_sequence);
        }
    }
    if (!state_.features.set(feature, value)) {
        return slot.refuse(Status::invalid_field);
    }
    if (feature == Feature::queues) {
        slot.result = state_.features[feature];
    } else if (feature == Feature::write_cache) {
        slot.enable = (value & 1) != 0;
        slot.submit(hal::HostOpcode::set_write_cache);
    }
}

void AdminCommands::received(Slot& slot) {
    state_.features.set_timestamp(get_little_endian(slot.data), services_.time());
    slot.next = Slot::Next::complete;
}

}  // namespace solidtlm::hw::nvme
