// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "testbench/pci_proxy/messages.h"

namespace solidtlm::testbench::pci_proxy {

/// The guest's memory, mapped from the descriptors that QEMU sends. It lacks what is no memory or is
/// read-only for the guest (firmware).
class GuestMemory {
  public:
    /// Replaces what was mapped before. Throws ProxyError; then nothing is mapped.
    void map(const MemoryRegions& regions, std::span<const Descriptor> descriptors);

    /// Copies from `address` on, also across regions. False: not all of it is memory, and only the part
    /// before that was copied.
    [[nodiscard]] bool read(std::uint64_t address, std::span<std::byte> to) const;
    [[nodiscard]] bool write(std::uint64_t address, std::span<const std::byte> data);

    [[nodiscard]] std::size_t regions() const { return regions_.size(); }

  private:
    struct Unmap {
        std::size_t bytes;
        void operator()(std::byte* start) const;
    };
    using Mapping = std::unique_ptr<std::byte, Unmap>;

    /// From `address` to the end of its region; empty if it is in none.
    [[nodiscard]] std::span<std::byte> from(std::uint64_t address) const;

    std::map<std::uint64_t, Mapping> regions_;  ///< by address
};

}  // namespace solidtlm::testbench::pci_proxy
