// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/timing.h"

#include <gtest/gtest.h>

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;

BusTiming timing(NandInterface interface, std::uint32_t mode) {
    return make_bus_timing(NandBusConfig{interface, mode, Ps{25'000}});
}

struct SdrRow {
    std::uint32_t mode;
    int t_wc, t_rc, t_rr, t_wb, t_whr, t_rhw;
};

void PrintTo(const SdrRow& row, std::ostream* out) {
    *out << "mode " << row.mode;
}

class Sdr : public testing::TestWithParam<SdrRow> {};

// Every phase from the data sheet's cycle counts: read 7 cycles, program 7, erase 5, status 1.
TEST_P(Sdr, PhasesFollowTheDataSheet) {
    const SdrRow row = GetParam();
    const auto ns = [](int count) { return Ps{std::int64_t{count} * 1000}; };
    const BusTiming bus = timing(NandInterface::sdr, row.mode);
    const Ps t_wc = ns(row.t_wc), t_rc = ns(row.t_rc), t_wb = ns(row.t_wb);
    EXPECT_EQ(bus.read_command(), 7 * t_wc + t_wb);
    EXPECT_EQ(bus.t_rr, ns(row.t_rr));
    EXPECT_EQ(bus.data_out(4096), 4096 * t_rc);
    EXPECT_EQ(bus.program_address() + bus.t_adl + bus.data_in(4096) + bus.program_confirm(),
              6 * t_wc + 400ns + 4096 * t_wc + t_wc + t_wb);
    EXPECT_EQ(bus.erase_command(1), 5 * t_wc + t_wb);
    EXPECT_EQ(bus.erase_command(2), 9 * t_wc + t_wb) << "60h-3A-60h-3A-D0h";
    EXPECT_EQ(bus.status(false), t_wc + ns(row.t_whr) + t_rc);
    EXPECT_EQ(bus.status(true), 4 * t_wc + ns(row.t_whr) + t_rc) << "78h-3A";
    EXPECT_EQ(bus.column_change_out(), ns(row.t_rhw) + 4 * t_wc + 500ns) << "05h-2A-E0h";
    EXPECT_EQ(bus.plane_select_out(), 7 * t_wc + 500ns) << "06h-5A-E0h";
    EXPECT_EQ(bus.column_change_in(), 3 * t_wc + 500ns) << "85h-2A";
}

INSTANTIATE_TEST_SUITE_P(
    Modes, Sdr,
    testing::Values(SdrRow{0, 100, 100, 40, 200, 120, 200}, SdrRow{1, 45, 50, 20, 100, 80, 100},
                    SdrRow{2, 35, 35, 20, 100, 80, 100}, SdrRow{3, 30, 30, 20, 100, 80, 100},
                    SdrRow{4, 25, 25, 20, 100, 80, 100}, SdrRow{5, 20, 20, 20, 100, 80, 100}));

TEST(NvDdr, DataRateIsTwoBytesPerClockAndCommandsAreSlower) {
    const std::vector<std::pair<std::uint32_t, int>> clocks{{0, 50}, {1, 30}, {2, 20},
                                                            {3, 15}, {4, 12}, {5, 10}};
    for (const auto& [mode, clock] : clocks) {
        const BusTiming bus = timing(NandInterface::nv_ddr, mode);
        EXPECT_EQ(bus.data_in(8192) - bus.data_in(4096), Ps{4096LL / 2 * clock * 1000}) << mode;
        EXPECT_EQ(bus.data_out(8192) - bus.data_out(4096), Ps{4096LL / 2 * clock * 1000}) << mode;
        EXPECT_EQ(bus.command_cycle, std::max(45, clock) * 1ns) << mode;
        EXPECT_EQ(bus.read_command(), 7 * bus.command_cycle + 100ns) << mode;
    }
}

// Published data rates; a byte takes 1 / rate.
TEST(NvDdr2AndNvDdr3, DataRatesAreTheStandards) {
    const std::vector<double> rates{66.667, 80,      133.333, 166.667, 200,      266.667, 333.333,
                                    400,    533.333, 666.667, 800,     1066.667, 1200};
    for (std::uint32_t mode = 0; mode <= max_timing_mode(NandInterface::nv_ddr3); ++mode) {
        const NandInterface interface = mode <= 9 ? NandInterface::nv_ddr2 : NandInterface::nv_ddr3;
        const BusTiming bus = timing(interface, mode);
        const Ps time = bus.data_out(1 + (1 << 20)) - bus.data_out(1);
        const double rate = (1 << 20) / static_cast<double>(time.count()) * 1e6;
        EXPECT_NEAR(rate, rates[mode], rates[mode] * 1e-5) << mode;
        EXPECT_EQ(bus.command_cycle, 25ns) << "tWC does not follow the data rate";
    }
    // 400 MT/s, hand-worked: tRPRE 15 + 4096 * 2.5 + tRPST (25 + 2.5) + tRPSTH 15 ns.
    EXPECT_EQ(timing(NandInterface::nv_ddr2, 7).data_out(4096), Ps{15'000 + 10'240'000 + 27'500 + 15'000});
    EXPECT_EQ(timing(NandInterface::nv_ddr2, 7).data_in(4096), Ps{15'000 + 10'240'000 + 6'500 + 15'000});
}

TEST(Ddr, OddBurstsMoveOneByteMore) {
    const BusTiming bus = timing(NandInterface::nv_ddr2, 7);
    EXPECT_EQ(bus.data_out(1), bus.data_out(2));
    EXPECT_EQ(bus.data_in(3), bus.data_in(4));
    EXPECT_EQ(timing(NandInterface::sdr, 5).data_in(3), 60ns);
}

TEST(ByteTime, EveryCycleTakesOneByteTimeAndNothingElseCounts) {
    const BusTiming bus = timing(NandInterface::byte_time, 0);
    EXPECT_EQ(bus.read_command(), 7 * 25ns);
    EXPECT_EQ(bus.data_out(4096), 4096 * 25ns);
    EXPECT_EQ(bus.program_address() + bus.t_adl + bus.data_in(4096) + bus.program_confirm(), 4103 * 25ns);
    EXPECT_EQ(bus.erase_command(1), 5 * 25ns);
    EXPECT_EQ(bus.status(false), 2 * 25ns);
}

}  // namespace
}  // namespace solidtlm::hw
