// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/pci_proxy/config_space.h"

#include <bit>
#include <span>

#include "fw/hal/check.h"

namespace solidtlm::testbench::pci_proxy {
namespace {

// Register offsets (PCI Local Bus 3.0, figure 6-1).
constexpr std::size_t kVendor = 0x00;
constexpr std::size_t kDevice = 0x02;
constexpr std::size_t kCommand = 0x04;
constexpr std::size_t kRevision = 0x08;
constexpr std::size_t kClass = 0x09;
constexpr std::size_t kCacheLine = 0x0C;
constexpr std::size_t kLatency = 0x0D;
constexpr std::size_t kFirstBar = 0x10;
constexpr std::size_t kSubsystemVendor = 0x2C;
constexpr std::size_t kSubsystem = 0x2E;
constexpr std::size_t kInterruptLine = 0x3C;
constexpr std::size_t kInterruptPin = 0x3D;

constexpr std::uint32_t kCommandMemory = 0x0002;
constexpr std::uint32_t kCommandMaster = 0x0004;
constexpr std::uint32_t kCommandNoInterrupt = 0x0400;
constexpr std::uint32_t kLeastBarBytes = 4096;
constexpr std::size_t kBarWidth = 4;
constexpr unsigned kByteBits = 8;

void put(std::span<std::uint8_t> to, std::size_t at, std::uint32_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        to[at + i] = static_cast<std::uint8_t>(value >> (kByteBits * i));
    }
}

}  // namespace

ConfigSpace::ConfigSpace(const PciIdentity& identity) : bar_bytes_(identity.bar_bytes) {
    put(bytes_, kVendor, identity.vendor, 2);
    put(bytes_, kDevice, identity.device, 2);
    put(bytes_, kRevision, identity.revision, 1);
    put(bytes_, kClass, identity.class_code, 3);
    put(bytes_, kSubsystemVendor, identity.subsystem_vendor, 2);
    put(bytes_, kSubsystem, identity.subsystem, 2);
    put(bytes_, kInterruptPin, 1, 1);
    put(writable_, kCommand, kCommandMemory | kCommandMaster | kCommandNoInterrupt, 2);
    put(writable_, kCacheLine, 0xFF, 1);
    put(writable_, kLatency, 0xFF, 1);
    put(writable_, kInterruptLine, 0xFF, 1);
    for (std::size_t bar = 0; bar < kBars; ++bar) {
        const std::uint32_t bytes = bar_bytes_[bar];
        SOLIDTLM_CHECK(bytes == 0 || (std::has_single_bit(bytes) && bytes >= kLeastBarBytes),
                       "a BAR has a power of two of bytes, 4 KiB at least");
        put(writable_, kFirstBar + kBarWidth * bar, bytes == 0 ? 0 : ~(bytes - 1), kBarWidth);
    }
}

std::uint32_t ConfigSpace::read(std::uint32_t address, unsigned bytes) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        const std::uint32_t byte = address + i < kConfigBytes ? bytes_[address + i] : 0xFFU;
        value |= byte << (kByteBits * i);
    }
    return value;
}

void ConfigSpace::write(std::uint32_t address, std::uint32_t value, unsigned bytes) {
    for (std::size_t i = 0; i < bytes && address + i < kConfigBytes; ++i) {
        const std::uint8_t mask = writable_[address + i];
        const auto byte = static_cast<std::uint8_t>(value >> (kByteBits * i));
        bytes_[address + i] = static_cast<std::uint8_t>((bytes_[address + i] & ~mask) | (byte & mask));
    }
}

std::optional<ConfigSpace::BarPlace> ConfigSpace::find(std::uint64_t address) const {
    for (unsigned bar = 0; bar < kBars; ++bar) {
        const std::uint64_t start = read(static_cast<std::uint32_t>(kFirstBar + kBarWidth * bar), kBarWidth);
        if (bar_bytes_[bar] != 0 && address >= start && address - start < bar_bytes_[bar]) {
            return BarPlace{bar, address - start};
        }
    }
    return std::nullopt;
}

bool ConfigSpace::interrupts_allowed() const {
    return (read(kCommand, 2) & kCommandNoInterrupt) == 0;
}

}  // namespace solidtlm::testbench::pci_proxy
