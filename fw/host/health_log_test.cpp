// SPDX-License-Identifier: Apache-2.0
//
// The firmware's health report, compared with what the host sent and what the flash counts.
#include <gtest/gtest.h>

#include "fw/block_map/block_layer.h"
#include "fw/needs.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {
namespace {

class CountingHost {
  public:
    explicit CountingHost(FakeDevice& device) : device_(device) {}
    void send(hal::HostOpcode opcode, std::uint64_t lba = 0, std::uint32_t sectors = 0) {
        auto issued = FakeHost::make(opcode, lba, sectors);
        issued->completed = [this](FakeHost::Issued& command) { last = command.health; };
        device_.host.submit(std::move(issued));
    }
    hal::HealthReport report() {
        send(hal::HostOpcode::report_health);
        device_.run();
        return last;
    }
    /// Fills the drive, then overwrites random places as often as `times` fills.
    void overwrite(std::uint64_t times) {
        const std::uint64_t sectors = device_.config.exported_sectors;
        for (std::uint64_t i = 0; i < times * sectors / 64; ++i) {
            send(hal::HostOpcode::write, i * 64 * 7 % (sectors - 64) / 64 * 64, 64);
            if (i % 8 == 0) {
                device_.run();
            }
        }
        device_.run();
    }
    hal::HealthReport last;

  private:
    FakeDevice& device_;
};

std::uint64_t flash_erases(const FakeDevice& device) {
    const auto found = device.flash.operations.find(hal::FlashOpcode::erase);
    return found == device.flash.operations.end() ? 0 : found->second;
}

TEST(HealthLog, ANewDriveIsHealthy) {
    FakeDevice device(tiny_config(), 1);
    CountingHost host(device);
    const hal::HealthReport report = host.report();
    EXPECT_EQ(report.read_commands + report.write_commands + report.sectors_read + report.sectors_written,
              0U);
    EXPECT_EQ(report.uncorrectable_errors, 0U);
    EXPECT_EQ(report.retired_blocks, 0U);
    EXPECT_EQ(report.power_on_resets, 1U);
    EXPECT_EQ(report.reserve_percent, 100U);
    EXPECT_EQ(report.percentage_used, 0U);
    EXPECT_FALSE(report.read_only);
}

TEST(HealthLog, CountsCommandsThatEndWithoutAnError) {
    FakeDevice device(tiny_config(), 1);
    CountingHost host(device);
    host.send(hal::HostOpcode::write, 0, 24);
    host.send(hal::HostOpcode::write, 64, 8);
    host.send(hal::HostOpcode::read, 0, 16);
    device.run();
    host.send(hal::HostOpcode::write_uncorrectable, 4, 1);
    host.send(hal::HostOpcode::read, 0, 8);
    host.send(hal::HostOpcode::read, 8, 8);
    device.run();
    device.host.abort_probability = 1;
    host.send(hal::HostOpcode::write, 0, 100);
    host.send(hal::HostOpcode::read, 8, 8);
    device.run();
    const hal::HealthReport report = host.report();
    EXPECT_EQ(report.write_commands, 2U);
    EXPECT_EQ(report.sectors_written, 32U);
    EXPECT_EQ(report.read_commands, 2U);
    EXPECT_EQ(report.sectors_read, 24U);
    EXPECT_EQ(report.uncorrectable_errors, 1U);
    EXPECT_GT(report.powered, Ps{0});
    EXPECT_LE(report.powered, device.clock.now());
}

TEST(HealthLog, TheReportTakesItsCycles) {
    FirmwareConfig config = tiny_config();
    const auto time_of = [](const FirmwareConfig& with) {
        FakeDevice device(with, 1);
        CountingHost host(device);
        device.run();
        const Ps begin = device.clock.now();
        (void)host.report();
        return device.clock.now() - begin;
    };
    const Ps before = time_of(config);
    config.cycles.report_health += 1000;
    EXPECT_EQ(time_of(config) - before, Ps{1000 * 2000}) << "2 ns a cycle";
}

// The average share of the rated erases that superblocks have had: flash counts the erases of planes.
TEST(HealthLog, PercentageUsedFollowsTheErases) {
    for (std::size_t layer = 0; layer <= translation_layers().size(); ++layer) {
        FirmwareConfig config = tiny_config();
        if (layer > 0) {
            config.unit_bytes = config.flash.page_bytes;
            config.translation = *translation_layers()[layer - 1];
            export_everything(config);
        }
        config.reliability.rated_cycles = 50;
        config.reliability.prior_cycles = 10;
        FakeDevice device(config, 1);
        CountingHost host(device);
        EXPECT_EQ(host.report().percentage_used, 20U);
        host.overwrite(6);
        const std::uint64_t erases = flash_erases(device);
        ASSERT_GT(erases, 0U);
        constexpr std::uint64_t kBlocks = 2 * 2 * 2 * 16;  // no recovery log, no map area
        EXPECT_EQ(host.report().percentage_used, 100 * (erases + 10 * kBlocks) / (kBlocks * 50))
            << config.translation.name;
    }
}

// With room for two more bad superblocks in each of four parallel units.
TEST(HealthLog, TheReserveShrinksWithEveryBlockRetired) {
    FirmwareConfig config = tiny_config();
    config.exported_sectors = max_exported_units(config, 14) * 8;
    FakeDevice device(config, 3);
    CountingHost host(device);
    device.flash.program_failure = 0.002;
    std::uint64_t retired = 0;
    for (int i = 0; i < 40 && retired == 0; ++i) {
        host.overwrite(1);
        retired = device.firmware->metrics().count("ftl.retired_superblocks");
    }
    ASSERT_GE(retired, 1U);
    const hal::HealthReport report = host.report();
    EXPECT_EQ(report.retired_blocks, 2 * retired) << "two planes";
    EXPECT_EQ(report.reserve_percent, retired >= 8 ? 0 : 100 * (8 - retired) / 8);
}

TEST(HealthLog, ADriveThatTakesNoMoreWritesSaysSo) {
    FakeDevice device(tiny_config(), 1, [](FakeFlash& flash) { flash.endurance = 1; });
    CountingHost host(device);
    for (int i = 0; i < 40 && !device.firmware->translation().read_only(); ++i) {
        host.overwrite(1);
    }
    ASSERT_TRUE(device.firmware->translation().read_only());
    const hal::HealthReport report = host.report();
    EXPECT_TRUE(report.read_only);
    EXPECT_EQ(report.reserve_percent, 0U) << "it exported everything";
}

// docs/reliability.md: counts start at 0. Erase counts are found again; those of free superblocks are assumed
// to be average.
TEST(HealthLog, AfterALossOfPowerOnlyErasesAreKnown) {
    FirmwareConfig config = tiny_config();
    config.reliability.rated_cycles = 5;
    FakeDevice device(config, 1);
    CountingHost host(device);
    host.overwrite(6);
    const hal::HealthReport before = host.report();
    ASSERT_GT(before.percentage_used, 10U);
    ASSERT_GT(before.write_commands, 0U);
    device.cycle_power([](FakeHost::Issued&) {});
    device.run();
    const Ps on_again = device.clock.now();
    const hal::HealthReport after = host.report();
    EXPECT_EQ(after.power_on_resets, std::nullopt);
    EXPECT_EQ(after.write_commands, 0U);
    EXPECT_EQ(after.sectors_written, 0U);
    EXPECT_LT(after.powered, on_again);
    EXPECT_NEAR(after.percentage_used, before.percentage_used, before.percentage_used / 5);
    host.send(hal::HostOpcode::write, 0, 8);
    device.run();
    EXPECT_EQ(host.report().sectors_written, 8U);
}

}  // namespace
}  // namespace solidtlm::fw::testing
