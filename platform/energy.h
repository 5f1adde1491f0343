// SPDX-License-Identifier: Apache-2.0
//
// The energy that a drive has used, computed on request from the counts of its hardware and from data sheets
// (docs/energy.md). Needs no counters of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fw/hal/metrics.h"
#include "platform/configuration.h"

namespace solidtlm::platform {

/// Counts of a drive since the start of simulation.
struct EnergyCounts {
    std::uint64_t page_reads = 0;  ///< each plane and each retry counts once
    std::uint64_t page_programs = 0;
    std::uint64_t slc_reads = 0;  ///< of page_reads, those in SLC mode
    std::uint64_t slc_programs = 0;
    std::uint64_t block_erases = 0;
    std::uint64_t bus_bytes_out = 0;  ///< data cycles, including parity and metadata
    std::uint64_t bus_bytes_in = 0;
    std::uint64_t dram_activations = 0;
    std::uint64_t dram_bytes = 0;  ///< read and written on all ports
    hal::Ps link_busy{0};
    /// Time in each power state; none if the link has no power states.
    std::optional<std::array<hal::Ps, hw::kLinkPowerStates>> link_asleep;
    hal::Ps core_busy{0};
    hal::Ps device_idle{0};     ///< time in the power mode Idle
    hal::Ps device_standby{0};  ///< and in Standby or Sleep
    hal::Ps powered{0};         ///< time for which the drive had power
};

/// Energies per operation or byte, in joules, and constant powers, in watts.
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
    double nand_standby_w = 0.0;  ///< for all dies
    double dram_background_w = 0.0;
    double dram_refresh_w = 0.0;
};
[[nodiscard]] EnergyRates energy_rates(const Configuration& configuration);

/// Reports counters energy.PART in J, and energy.seconds.
void tell_energy(const Configuration& configuration, const EnergyCounts& counts, hal::Metrics& metrics);

}  // namespace solidtlm::platform
