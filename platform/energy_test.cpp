// SPDX-License-Identifier: Apache-2.0
//
// Energies worked by hand from the currents of the default tables.
#include "platform/energy.h"

#include <gtest/gtest.h>

namespace solidtlm::platform {
namespace {

using namespace std::chrono_literals;

Configuration with(std::vector<std::string> settings) {
    ConfigurationSources sources;
    sources.settings = std::move(settings);
    return load_configuration(sources);
}

/// 3.3 V x 25 mA = 82.5 mW for tR 50 us, tPROG 500 us and tBERS 3.5 ms; 33 mW for 2.5 ns per byte at
/// 400 MT/s; 32 dies x 3.3 V x 30 uA.
TEST(EnergyRates, OfFlashByHand) {
    const EnergyRates rates = energy_rates(with({}));
    EXPECT_NEAR(rates.page_read_j, 4.125e-6, 1e-12);
    EXPECT_NEAR(rates.page_program_j, 41.25e-6, 1e-12);
    EXPECT_NEAR(rates.block_erase_j, 288.75e-6, 1e-12);
    EXPECT_NEAR(rates.bus_byte_out_j, 82.5e-12, 1e-18);
    EXPECT_NEAR(rates.bus_byte_in_j, 82.5e-12, 1e-18);
    EXPECT_NEAR(rates.nand_standby_w, 3.168e-3, 1e-9);
}

TEST(EnergyRates, PagesOfAGroupAreAveraged) {
    const EnergyRates rates = energy_rates(with(
        {"nand.timing.read=40us,60us", "nand.timing.program=400us,1600us", "energy.nand.program_ma=10"}));
    EXPECT_NEAR(rates.page_read_j, 4.125e-6, 1e-12);
    EXPECT_NEAR(rates.page_program_j, 3.3 * 10e-3 * 1e-3, 1e-12);
}

/// 82.5 mW for 1,500 us, shared by the four pages of a word line.
TEST(EnergyRates, PagesOfAWordLineShareItsProgram) {
    const EnergyRates rates =
        energy_rates(with({"nand.cell=qlc", "nand.programming=one_shot", "nand.timing.program=1500us"}));
    EXPECT_NEAR(rates.page_program_j, 82.5e-3 * 1500e-6 / 4, 1e-12);
}

/// 1.5 V x (110 mA x 47.5 ns - 45 mA x 35 ns - 42 mA x 12.5 ns) = 1.5 x 3125 pAs; 1.5 V x (275 - 45) mA for
/// 1 / 3.2 ns per byte; two devices of 256 MiB: 2 x 1.5 V x 45 mA, and 2 x 1.5 V x 170 mA x 160 / 7800.
TEST(EnergyRates, OfDramByHand) {
    const EnergyRates rates = energy_rates(with({}));
    EXPECT_NEAR(rates.dram_activation_j, 4.6875e-9, 1e-15);
    EXPECT_NEAR(rates.dram_byte_j, 0.345 / 3.2e9, 1e-18);
    EXPECT_NEAR(rates.dram_background_w, 0.135, 1e-9);
    EXPECT_NEAR(rates.dram_refresh_w, 0.51 * 160.0 / 7800.0, 1e-9);
    // With a bus twice as wide, two devices work at a time, for half the time.
    const EnergyRates wide = energy_rates(with({"dram.bus_bytes=4"}));
    EXPECT_NEAR(wide.dram_byte_j, rates.dram_byte_j, 1e-18);
    EXPECT_NEAR(wide.dram_activation_j, 2.0 * rates.dram_activation_j, 1e-15);
}

TEST(Energy, IsCountsTimesRates) {
    const Configuration configuration =
        with({"energy.link.active_mw=200", "energy.link.idle_mw=100", "energy.core.active_mw=50",
              "energy.device.active_mw=300", "energy.device.idle_mw=40", "energy.device.standby_mw=5"});
    EnergyCounts counts;
    counts.page_reads = 1000;
    counts.page_programs = 100;
    counts.block_erases = 10;
    counts.bus_bytes_out = 1'000'000;
    counts.dram_activations = 1000;
    counts.dram_bytes = 3'200'000;
    counts.link_busy = 250ms;
    counts.core_busy = 100ms;
    counts.device_idle = 500ms;
    counts.device_standby = 400ms;
    counts.powered = 1s;
    hal::Metrics metrics;
    tell_energy(configuration, counts, metrics);
    EXPECT_NEAR(metrics.at("energy.nand.read"), 4.125e-3, 1e-9);
    EXPECT_NEAR(metrics.at("energy.nand.program"), 4.125e-3, 1e-9);
    EXPECT_NEAR(metrics.at("energy.nand.erase"), 2.8875e-3, 1e-9);
    EXPECT_NEAR(metrics.at("energy.bus.out"), 82.5e-6, 1e-12);
    EXPECT_EQ(metrics.at("energy.bus.in"), 0.0);
    EXPECT_NEAR(metrics.at("energy.dram.activate"), 4.6875e-6, 1e-12);
    EXPECT_NEAR(metrics.at("energy.dram.burst"), 0.345e-3, 1e-9);
    EXPECT_NEAR(metrics.at("energy.dram.background"), 0.135, 1e-9);
    EXPECT_NEAR(metrics.at("energy.link.active"), 0.05, 1e-9);
    EXPECT_NEAR(metrics.at("energy.link.idle"), 0.075, 1e-9);
    EXPECT_NEAR(metrics.at("energy.core.active"), 0.005, 1e-9);
    EXPECT_EQ(metrics.at("energy.core.idle"), 0.0);
    EXPECT_NEAR(metrics.at("energy.device.active"), 0.03, 1e-9) << "the other 100 ms";
    EXPECT_NEAR(metrics.at("energy.device.idle"), 0.02, 1e-9);
    EXPECT_NEAR(metrics.at("energy.device.standby"), 0.002, 1e-9);
    EXPECT_EQ(metrics.at("energy.seconds"), 1.0);
}

/// Parts without a published source are left out.
TEST(Energy, LinkCoreAndDeviceAreLeftOutByDefault) {
    const EnergyConfig energy = with({}).energy;
    EXPECT_EQ(energy.link.active_mw + energy.link.idle_mw, 0.0);
    EXPECT_EQ(energy.core.active_mw + energy.core.idle_mw, 0.0);
    EXPECT_EQ(energy.device.active_mw + energy.device.idle_mw + energy.device.standby_mw, 0.0);
}

}  // namespace
}  // namespace solidtlm::platform
