// SPDX-License-Identifier: Apache-2.0
#include "platform/energy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "hw/nand/timing.h"
#include "hw/nand/word_lines.h"

namespace solidtlm::platform {
namespace {

constexpr double kPerMilli = 1e-3;
constexpr double kPerMega = 1e6;
constexpr double kFsPerSecond = 1e15;

double seconds(hal::Ps time) {
    return static_cast<double>(time.count()) / hal::kPsPerSecond;
}

/// The mean time of a page; the pages of a repeating group are used equally often.
double mean_seconds(const std::vector<hal::Ps>& times) {
    return seconds(std::accumulate(times.begin(), times.end(), hal::Ps{0})) /
           static_cast<double>(times.size());
}

double watts(double volts, double milliamperes) {
    return volts * milliamperes * kPerMilli;
}

double devices_for(double amount, double of_one) {
    return std::max(1.0, std::ceil(amount / of_one));
}

/// Micron TN-41-01, "Calculating Memory System Power for DDR3": the energy of an activation beyond standby,
/// of a burst beyond active standby, and of a refresh.
void add_dram(const hw::DramConfig& dram, const DramEnergyConfig& energy, EnergyRates& rates) {
    const double in_row = devices_for(dram.bus_bytes, energy.device_bus_bytes);
    const double devices = std::max(
        in_row, devices_for(static_cast<double>(dram.size_bytes), static_cast<double>(energy.device_bytes)));
    const double t_rc = seconds(energy.t_rc);
    const double t_ras = std::min(seconds(energy.t_ras), t_rc);
    const double activation =
        energy.idd0_ma * t_rc - energy.idd3n_ma * t_ras - energy.idd2n_ma * (t_rc - t_ras);
    rates.dram_activation_j = std::max(0.0, in_row * watts(energy.vdd_v, activation));
    const double burst = (energy.idd4r_ma + energy.idd4w_ma) / 2.0 - energy.idd3n_ma;
    const double bytes_per_s = dram.data_rate_mt_per_s * kPerMega * dram.bus_bytes;
    rates.dram_byte_j = std::max(0.0, in_row * watts(energy.vdd_v, burst)) / bytes_per_s;
    rates.dram_background_w = devices * watts(energy.vdd_v, energy.idd3n_ma);
    const double refresh =
        (energy.idd5_ma - energy.idd3n_ma) * seconds(energy.t_rfc) / seconds(energy.t_refi);
    rates.dram_refresh_w = std::max(0.0, devices * watts(energy.vdd_v, refresh));
}

}  // namespace

EnergyRates energy_rates(const Configuration& configuration) {
    const hw::NandConfig& nand = configuration.nand;
    const NandEnergyConfig& energy = configuration.energy.nand;
    const hw::BusTiming bus = hw::make_bus_timing(nand.bus);
    EnergyRates rates;
    rates.page_read_j = watts(energy.vcc_v, energy.read_ma) * mean_seconds(nand.timing.read);
    rates.page_program_j = watts(energy.vcc_v, energy.program_ma) * mean_seconds(nand.timing.program) /
                           hw::pages_per_program(nand);
    rates.slc_read_j = watts(energy.vcc_v, energy.read_ma) * seconds(nand.slc.read);
    rates.slc_program_j = watts(energy.vcc_v, energy.program_ma) * seconds(nand.slc.program);
    rates.block_erase_j = watts(energy.vcc_v, energy.erase_ma) * seconds(nand.timing.erase);
    const auto byte = [&energy](double milliamperes, std::int64_t byte_fs) {
        return watts(energy.vcc_v, milliamperes) * static_cast<double>(byte_fs) / kFsPerSecond;
    };
    rates.bus_byte_out_j = byte(energy.burst_read_ma, bus.byte_out_fs);
    rates.bus_byte_in_j = byte(energy.burst_write_ma, bus.byte_in_fs);
    rates.nand_standby_w = nand.geometry.total_dies() * watts(energy.vcc_v, energy.standby_ma);
    add_dram(configuration.dram, configuration.energy.dram, rates);
    return rates;
}

void tell_energy(const Configuration& configuration, const EnergyCounts& counts, hal::Metrics& metrics) {
    const EnergyRates rates = energy_rates(configuration);
    const double powered = seconds(counts.powered);
    const auto tell = [&metrics](const char* part, const char* what, double joules) {
        metrics.counter(std::string("energy.") + part, "J", what, joules);
    };
    const auto times = [](std::uint64_t count, double joules) { return static_cast<double>(count) * joules; };
    const auto tell_two = [&](const char* at_work, const char* idle, const char* what,
                              const TwoPowers& powers, hal::Ps busy, hal::Ps neither = hal::Ps{0}) {
        tell(at_work, what, powers.active_mw * kPerMilli * seconds(busy));
        tell(idle, what, powers.idle_mw * kPerMilli * std::max(0.0, powered - seconds(busy + neither)));
    };
    tell("nand.read", "arrays while they read pages",
         times(counts.page_reads - counts.slc_reads, rates.page_read_j) +
             times(counts.slc_reads, rates.slc_read_j));
    tell("nand.program", "arrays while they program pages",
         times(counts.page_programs - counts.slc_programs, rates.page_program_j) +
             times(counts.slc_programs, rates.slc_program_j));
    tell("nand.erase", "arrays while they erase blocks", times(counts.block_erases, rates.block_erase_j));
    tell("nand.standby", "standby of all dies", powered * rates.nand_standby_w);
    tell("bus.out", "dies during data-out cycles", times(counts.bus_bytes_out, rates.bus_byte_out_j));
    tell("bus.in", "dies during data-in cycles", times(counts.bus_bytes_in, rates.bus_byte_in_j));
    tell("dram.activate", "opening and closing rows",
         times(counts.dram_activations, rates.dram_activation_j));
    tell("dram.burst", "data bursts, in addition to standby", times(counts.dram_bytes, rates.dram_byte_j));
    tell("dram.background", "DRAM in active standby", powered * rates.dram_background_w);
    tell("dram.refresh", "refreshes, in addition to standby", powered * rates.dram_refresh_w);
    const LinkPowers& link = configuration.energy.link;
    double asleep_j = 0.0;
    hal::Ps asleep{0};
    for (std::size_t state = 0; counts.link_asleep && state < hw::kLinkPowerStates; ++state) {
        const hal::Ps time = (*counts.link_asleep)[state];
        asleep_j += link.asleep_mw[state] * kPerMilli * seconds(time);
        asleep += time;
    }
    tell_two("link.active", "link.idle", "the device's end of the link, active or idle", link,
             counts.link_busy, asleep);
    if (counts.link_asleep) {
        tell("link.asleep", "the device's end of the link, asleep", asleep_j);
    }
    tell_two("core.active", "core.idle", "the firmware core, active or idle", configuration.energy.core,
             counts.core_busy);
    const DevicePowers& device = configuration.energy.device;
    tell_two("device.active", "device.idle", "the drive beyond its parts, active or in Idle", device,
             counts.powered - counts.device_idle - counts.device_standby, counts.device_standby);
    tell("device.standby", "the drive beyond its parts, in Standby or Sleep",
         device.standby_mw * kPerMilli * seconds(counts.device_standby));
    metrics.counter("energy.seconds", "s", "time with power that the energies cover", powered);
}

}  // namespace solidtlm::platform
