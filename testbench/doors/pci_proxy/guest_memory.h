// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "testbench/doors/pci_proxy/messages.h"

namespace solidtlm::testbench::pci_proxy {

/// The guest's memory, mapped from the descriptors that QEMU sends. Regions that are not memory, or read-only
/// for the guest (firmware), are missing.
class GuestMemory {
  public:
    /// Replaces the previous mapping. If it throws ProxyError, nothing is mapped.
    void map(const MemoryRegions& regions, std::span<const Descriptor> descriptors);

    /// Copies from `address` on, also across regions. False: part of the range is not memory, and only the
    /// bytes before that part were copied.
    [[nodiscard]] bool read(std::uint64_t address, std::span<std::byte> to) const;
    [[nodiscard]] bool write(std::uint64_t address, std::span<const std::byte> data);

    [[nodiscard]] std::size_t regions() const { return regions_.size(); }

  private:
    struct Unmap {
        std::size_t bytes;
        void operator()(std::byte* start) const;
    };
    using Mapping = std::unique_ptr<std::byte, Unmap>;

    /// The memory from `address` to the end of its region; empty if `address` is in no region.
    [[nodiscard]] std::span<std::byte> from(std::uint64_t address) const;

    std::map<std::uint64_t, Mapping> regions_;  ///< by address
};

}  // namespace solidtlm::testbench::pci_proxy
