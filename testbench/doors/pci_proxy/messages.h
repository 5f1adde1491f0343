// SPDX-License-Identifier: Apache-2.0
//
// The messages from QEMU's device `x-pci-proxy-dev` to the process that implements the PCI device (QEMU 6.0
// to 7.2, docs/devel/multi-process.rst): structs of a 64-bit host, in its own byte order, on a Unix stream
// socket. Each message is a header and `bytes` of contents; descriptors come along with the header. Accesses
// and resets are answered, one at a time; other messages are not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "testbench/sim/process/descriptor.h"

namespace solidtlm::testbench::pci_proxy {

enum class Kind : std::int32_t {
    /// MemoryRegions and one descriptor per region: all the guest's memory, replacing the previous map
    memory = 0,
    answer = 1,  ///< to QEMU: a std::uint64_t
    config_write = 2,
    config_read = 3,
    bar_write = 4,
    bar_read = 5,
    interrupt = 6,  ///< two eventfds: one raises the interrupt, the other reports end of interrupt
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
    std::array<std::uint64_t, kMostRegions> addresses;  ///< in the guest's address space
    std::array<std::uint64_t, kMostRegions> bytes;
    std::array<std::uint64_t, kMostRegions> offsets;  ///< in the mapped file
};
static_assert(sizeof(MemoryRegions) == 192);

struct ConfigAccess {
    std::uint32_t address;
    std::uint32_t value;  ///< for a write
    std::int32_t bytes;
};
static_assert(sizeof(ConfigAccess) == 12);

struct BarAccess {
    std::uint64_t address;  ///< guest address: the BAR's value plus an offset
    std::uint64_t value;    ///< for a write
    std::uint32_t bytes;
    std::uint8_t is_memory;  ///< 0: I/O space
    std::array<std::uint8_t, 3> padding;
};
static_assert(sizeof(BarAccess) == 24);

struct Message {
    Kind kind{};
    std::vector<std::byte> contents;
    std::vector<Descriptor> descriptors;

    /// REQUIRES: the message's contents have the size of Contents.
    template <typename Contents>
    [[nodiscard]] Contents as() const {
        Contents result;
        std::memcpy(&result, contents.data(), sizeof result);
        return result;
    }
};

}  // namespace solidtlm::testbench::pci_proxy
