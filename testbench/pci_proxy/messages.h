// SPDX-License-Identifier: Apache-2.0
//
// What QEMU's device `x-pci-proxy-dev` says to the process that is the PCI device (QEMU 6.0 to 7.2,
// docs/devel/multi-process.rst): structs of a 64-bit host, in its own byte order, on a Unix stream socket.
// Each message is a header and `bytes` of contents; descriptors come along with the header. Accesses and
// resets are answered, one at a time; the rest is not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "testbench/process/descriptor.h"

namespace solidtlm::testbench::pci_proxy {

enum class Kind : std::int32_t {
    memory = 0,  ///< MemoryRegions, a descriptor for each: all the guest's memory, in place of what was
    answer = 1,  ///< from us: a std::uint64_t
    config_write = 2,
    config_read = 3,
    bar_write = 4,
    bar_read = 5,
    interrupt = 6,  ///< two eventfds: one to raise the interrupt, one that tells its end
    reset = 7,
};

struct Header {
    Kind kind;
    std::uint32_t padding;
    std::uint64_t bytes;
};
static_assert(sizeof(Header) == 16);

constexpr std::size_t kMostRegions = 8;
struct MemoryRegions {
    std::array<std::uint64_t, kMostRegions> addresses;  ///< the guest's
    std::array<std::uint64_t, kMostRegions> bytes;
    std::array<std::uint64_t, kMostRegions> offsets;  ///< in the file
};
static_assert(sizeof(MemoryRegions) == 192);

struct ConfigAccess {
    std::uint32_t address;
    std::uint32_t value;  ///< of a write
    std::int32_t bytes;
};
static_assert(sizeof(ConfigAccess) == 12);

struct BarAccess {
    std::uint64_t address;  ///< as the guest sees it: the BAR's value plus an offset
    std::uint64_t value;    ///< of a write
    std::uint32_t bytes;
    std::uint8_t is_memory;  ///< or I/O space
    std::array<std::uint8_t, 3> padding;
};
static_assert(sizeof(BarAccess) == 24);

struct Message {
    Kind kind{};
    std::vector<std::byte> contents;
    std::vector<Descriptor> descriptors;

    /// REQUIRES: contents of that size.
    template <typename Contents>
    [[nodiscard]] Contents as() const {
        Contents result;
        std::memcpy(&result, contents.data(), sizeof result);
        return result;
    }
};

}  // namespace solidtlm::testbench::pci_proxy
