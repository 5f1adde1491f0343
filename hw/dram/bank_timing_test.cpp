// SPDX-License-Identifier: Apache-2.0
//
// Expected values are worked out from JESD79-3F's parameters for DDR3-1600 11-11-11, x16: CL = tRCD = tRP =
// 11 * 1.25 ns = 13.75 ns, 3.2 GB/s, so 16 bytes (one burst of 8) take 5 ns.
#include "hw/dram/bank_timing.h"

#include <gtest/gtest.h>

#include "hw/dram/dram_test_bench.h"

namespace solidtlm::hw {
namespace {

using hal::DramAddress;

constexpr Ps kCas{13'750};
constexpr Ps kRcd{13'750};
constexpr Ps kRp{13'750};
constexpr std::uint64_t kRow = 2048;
constexpr std::uint32_t kTwoRows = 2 * 2048;
constexpr std::uint32_t kFourRows = 4 * 2048;

TEST(BankTiming, ClosedHitAndConflict) {
    BankTiming banks{DramConfig{}};
    EXPECT_EQ(banks.access(DramAddress{0}, 16).duration, kRcd + kCas + kBurst);
    EXPECT_EQ(banks.access(DramAddress{512}, 512).duration, kCas + 32 * kBurst);
    // Every eighth row's worth of addresses lies in the same bank.
    EXPECT_EQ(banks.access(DramAddress{8 * kRow}, 16).duration, kRp + kRcd + kCas + kBurst);
    EXPECT_EQ(banks.access(DramAddress{kRow}, 16).duration, kRcd + kCas + kBurst) << "another bank";
    EXPECT_EQ(banks.rows().hits, 1U);
    EXPECT_EQ(banks.rows().closed, 2U);
    EXPECT_EQ(banks.rows().conflicts, 1U);
    banks.close_all();
    EXPECT_EQ(banks.access(DramAddress{kRow}, 16).duration, kRcd + kCas + kBurst);
}

TEST(BankTiming, WholeBurstsAreMoved) {
    BankTiming banks{DramConfig{}};
    banks.access(DramAddress{0}, 16);
    EXPECT_EQ(banks.access(DramAddress{0}, 1).duration, kCas + kBurst);
    EXPECT_EQ(banks.access(DramAddress{15}, 2).duration, kCas + 2 * kBurst) << "straddles two bursts";
}

TEST(BankTiming, TheBurstHidesTheActivationOfTheNextBank) {
    BankTiming banks{DramConfig{}};
    EXPECT_EQ(banks.access(DramAddress{0}, kFourRows).duration, kRcd + kCas + 4 * kRowTime);
    EXPECT_EQ(banks.access(DramAddress{8 * kRow}, kFourRows).duration, kRp + kRcd + kCas + 4 * kRowTime);
    EXPECT_EQ(banks.access(DramAddress{8 * kRow}, kFourRows).duration, kCas + 4 * kRowTime);
}

TEST(BankTiming, ShortBurstDoesNotHideTheActivation) {
    BankTiming banks{DramConfig{}};
    // One burst at the end of row 0, then row 1: tRCD runs from the first column command, CL before its data.
    EXPECT_EQ(banks.access(DramAddress{kRow - 16}, 32).duration, kRcd + kCas + kRcd + kBurst);
}

TEST(BankTiming, OneBankOverlapsNothing) {
    DramConfig config;
    config.banks = 1;
    BankTiming banks{config};
    EXPECT_EQ(banks.access(DramAddress{0}, kTwoRows).duration,
              kRcd + kCas + kRowTime + kRp + kRcd + kCas + kRowTime);
}

TEST(BankTiming, BusTimeFollowsDataRateAndWidth) {
    DramConfig config;
    config.data_rate_mt_per_s = 1333.0;
    config.bus_bytes = 4;
    const BankTiming banks{config};
    // 1 MiB at 1333e6 * 4 B/s, in ps.
    EXPECT_EQ(banks.bus_time(1U << 20U).count(), (1'048'576LL * 1'000'000 + 2666) / 5332);
}

}  // namespace
}  // namespace solidtlm::hw
