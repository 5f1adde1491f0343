// SPDX-License-Identifier: Apache-2.0
//
// A command between the fetch of its entry and the end of its completion, and what it asks of its
// surroundings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/host.h"
#include "hw/nvme/entries.h"
#include "hw/nvme/prp_walk.h"
#include "hw/tlm/transfer_queue.h"

namespace solidtlm::hw::nvme {

/// Slots beside those of NvmeConfig that only admin commands take; four of them may wait for events.
constexpr std::uint32_t kAdminSlots = 8;

/// One access to host memory. It belongs to the controller and is left alone until Controller::ended().
struct Access {
    enum class Kind : std::uint8_t { fetch, prp_list, data, completion };
    Kind kind = Kind::fetch;
    bool write = false;  ///< from the controller to memory
    std::uint64_t address = 0;
    std::span<std::byte> bytes;
    std::uint16_t owner = 0;  ///< a slot; of a fetch: its number
    bool ok = true;           ///< memory has answered
};

/// To firmware it is a hal::HostCommand.
struct Slot : hal::HostCommand {
    enum class State : std::uint8_t {
        free,
        fetching,
        prp_lists,   ///< fetches them
        moving,      ///< the controller's own data, to or from `data`
        firmware,    ///< firmware has it
        parked,      ///< Asynchronous Event Request; Delete that waits
        held,        ///< its completion waits for room
        completing,  ///< its completion is being written
    };
    /// What a command wants after its fields were looked at.
    enum class Next : std::uint8_t {
        complete,  ///< with `status`
        send,      ///< `data` to the host
        receive,   ///< `data` from the host
        submit,    ///< to firmware, with the pages of its data
        park,
    };

    State state = State::free;
    Next next = Next::complete;
    std::uint16_t index = 0;
    std::uint16_t queue = 0;  ///< submission queue
    Command entry;
    Status result_status = Status::success;
    Word result = 0;
    std::uint32_t host_bytes = 0;  ///< of data in host memory
    PrpWalk pages;
    std::uint32_t moved = 0;      ///< of data
    std::vector<std::byte> data;  ///< the controller's own
    std::vector<hal::TrimRange> trim_ranges;
    hal::HealthReport report;
    TransferQueue transfers;  ///< that firmware asks for
    bool moved_all = true;    ///< memory has answered all of them
    hal::HostStatus firmware_status = hal::HostStatus::ok;
    hal::Ledger own_ledger;  ///< from when the command was fetched until its completion is visible
    hal::Ledger* host_ledger = nullptr;  ///< may be null
    bool has_ledger = false;
    bool named = false;  ///< the controller counts its command id as in use
    Access access;
    std::array<std::byte, PrpWalk::kMostListBytes> list{};
    std::array<std::byte, kCqeBytes> completion{};

    void begin(const Command& command, std::uint16_t from) {
        static_cast<hal::HostCommand&>(*this) = hal::HostCommand{};
        HostCommand::slot = command.id;
        ledger = &own_ledger;
        health = &report;
        report = {};
        entry = command;
        queue = from;
        next = Next::complete;
        result_status = Status::success;
        result = host_bytes = moved = 0;
        data.clear();
        trim_ranges.clear();
        transfers.clear();
        moved_all = true;
        host_ledger = nullptr;
        has_ledger = false;
    }
    /// Ends the look at its fields.
    void refuse(Status why) {
        next = Next::complete;
        result_status = why;
    }
    /// Moves `bytes` of its own data: Next::send or Next::receive.
    void move(Next direction, std::uint32_t bytes) {
        data.resize(bytes);
        host_bytes = bytes;
        next = direction;
    }
    void submit(hal::HostOpcode what) {
        opcode = what;
        next = Next::submit;
    }
};

}  // namespace solidtlm::hw::nvme
