// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace solidtlm::testbench::pci_proxy {

constexpr std::size_t kBars = 6;
constexpr std::size_t kConfigBytes = 256;

/// The identity of a device (PCI Local Bus 3.0, clause 6.2.1).
struct PciIdentity {
    std::uint16_t vendor = 0;
    std::uint16_t device = 0;
    std::uint32_t class_code = 0;  ///< base class, subclass, interface: 010601h is an AHCI HBA
    std::uint8_t revision = 0;
    std::uint16_t subsystem_vendor = 0;
    std::uint16_t subsystem = 0;
    /// Size of each memory BAR, a power of two of at least 4 KiB, because QEMU maps them in pages. 0: no BAR.
    std::array<std::uint32_t, kBars> bar_bytes{};
};

/// Configuration space, header type 0, memory BARs of 32 bits, INTA, no capabilities.
class ConfigSpace {
  public:
    /// REQUIRES: BAR sizes as described at PciIdentity.
    explicit ConfigSpace(const PciIdentity& identity);

    /// Bytes beyond the end read as ones.
    [[nodiscard]] std::uint32_t read(std::uint32_t address, unsigned bytes) const;
    /// Changes only the fields that software may change: command, cache line size, latency timer, BARs,
    /// interrupt line.
    void write(std::uint32_t address, std::uint32_t value, unsigned bytes);

    struct BarPlace {
        unsigned bar;
        std::uint64_t offset;
    };
    /// The BAR and offset that a guest address belongs to; nothing if it is in no BAR.
    [[nodiscard]] std::optional<BarPlace> find(std::uint64_t address) const;
    [[nodiscard]] bool interrupts_allowed() const;

  private:
    std::array<std::uint8_t, kConfigBytes> bytes_{};
    std::array<std::uint8_t, kConfigBytes> writable_{};
    std::array<std::uint32_t, kBars> bar_bytes_;
};

}  // namespace solidtlm::testbench::pci_proxy
