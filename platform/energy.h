// SPDX-License-Identifier: Apache-2.0
//
// The energy that a drive has taken, computed on request from what its hardware has counted and from data
// sheets (docs/energy.md). Nothing is counted for this purpose alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fw/hal/metrics.h"
#include "platform/configuration.h"

namespace solidtlm::platform {

/// What one drive has counted since the start of simulation.
struct EnergyCounts {
    std::uint64_t page_reads = 0;  ///< of each plane, each retry again
    std::uint64_t page_programs = 0;
    std::uint64_t slc_reads = 0;  ///< of these, in SLC mode
    std::uint64_t slc_programs = 0;
    std::uint64_t block_erases = 0;
    std::uint64_t bus_bytes_out = 0;  ///< data cycles, parity and metadata included
    std::uint64_t bus_bytes_in = 0;
    std::uint64_t dram_activations = 0;
    std::uint64_t dram_bytes = 0;  ///< read and written, all ports
    hal::Ps link_busy{0};
    /// In each power state; none: the link has no power states.
    std::optional<std::array<hal::Ps, hw::kLinkPowerStates>> link_asleep;
    hal::Ps core_busy{0};
    hal::Ps powered{0};  ///< time with power
};

/// Energies of one operation or byte, in joules, and powers that are always taken, in watts.
struct EnergyRates {
    double page_read_j = 0.0;
    double page_program_j = 0.0;
    double slc_read_j = 0.0;
    double slc_program_j = 0.0;
    double block_erase_j = 0.0;
    double bus_byte_out_j = 0.0;
    double bus_byte_in_j = 0.0;
    double dram_activation_j = 0.0;
    double dram_byte_j = 0.0;
    double nand_standby_w = 0.0;  ///< all dies
    double dram_background_w = 0.0;
    double dram_refresh_w = 0.0;
};
[[nodiscard]] EnergyRates energy_rates(const Configuration& configuration);

/// As counters energy.PART in J, and energy.seconds.
void tell_energy(const Configuration& configuration, const EnergyCounts& counts, hal::Metrics& metrics);

}  // namespace solidtlm::platform
