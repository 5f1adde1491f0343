// SPDX-License-Identifier: Apache-2.0
//
// Memory of a host with an NVMe drive: queues, lists of pages, and a page for the driver's own commands. All
// of it lies above 4 GiB. Each command slot also has consecutive page addresses for the data of the largest
// command, and a list of these pages that never changes; the data itself is the contents of the slot's
// command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/nvme/registers.h"

namespace solidtlm::testbench {

class NvmeMemory {
  public:
    static constexpr std::uint32_t kAdminEntries = 64;
    /// interrupt messages are written to this address
    static constexpr std::uint32_t kMessages = 0xFEE00000;
    /// `queues` pairs of I/O queues with `entries` entries each, and `slots` command slots.
    NvmeMemory(std::uint32_t queues, std::uint32_t entries, std::uint32_t slots);

    // Addresses of the queues. Queue 0 is the admin queue.
    [[nodiscard]] std::uint64_t submission(std::uint32_t queue) const {
        return queue == 0 ? kBase : pairs_ + (queue - 1) * pair_bytes_;
    }
    [[nodiscard]] std::uint64_t completion(std::uint32_t queue) const {
        return queue == 0 ? kBase + hw::nvme::kPageBytes : submission(queue) + submission_bytes_;
    }
    /// Address of the page for the driver's own commands.
    [[nodiscard]] static std::uint64_t own_page() { return kBase + 2 * std::uint64_t{hw::nvme::kPageBytes}; }
    [[nodiscard]] std::uint64_t list(std::uint32_t slot) const { return lists_ + slot * kListBytes; }
    [[nodiscard]] static std::uint64_t data(std::uint32_t slot) {
        return kData + std::uint64_t{slot} * hw::nvme::kMostBytes;
    }

    /// The queue whose completions are at `address`, if there is one.
    [[nodiscard]] std::optional<std::uint32_t> completion_queue_at(std::uint64_t address) const;
    struct Place {
        std::uint32_t slot = 0;
        std::uint32_t offset = 0;  ///< offset in the data of its command
    };
    /// The place in a command's data at `address`, if there is one.
    [[nodiscard]] static std::optional<Place> data_at(std::uint64_t address);

    /// The memory at `address`; empty if the address is not memory.
    [[nodiscard]] std::span<std::byte> find(std::uint64_t address, std::uint64_t bytes);
    /// The memory at `address`. REQUIRES: the address is memory.
    [[nodiscard]] std::span<std::byte> at(std::uint64_t address, std::uint64_t bytes);
    /// Empties the queues, as a driver does before it creates them.
    void clear_queues();

  private:
    static constexpr std::uint64_t kBase = std::uint64_t{1} << 32U;
    static constexpr std::uint64_t kData = std::uint64_t{1} << 40U;
    static constexpr std::uint64_t kListBytes = std::uint64_t{hw::nvme::kMostPages} * 8;

    std::uint64_t submission_bytes_;  ///< size of an I/O queue in whole pages
    std::uint64_t pair_bytes_;
    std::uint64_t pairs_;
    std::uint64_t lists_;
    std::vector<std::byte> bytes_;
};

}  // namespace solidtlm::testbench
