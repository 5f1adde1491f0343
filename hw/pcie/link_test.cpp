// SPDX-License-Identifier: Apache-2.0
#include "hw/pcie/link.h"

#include <gtest/gtest.h>

namespace solidtlm::hw {
namespace {

using hal::Ps;
constexpr std::uint64_t kAddress = std::uint64_t{1} << 32U;
constexpr Ps kLatency{500'000};

// A byte takes 1 ns: gen1 x4 without DLLPs.
PcieConfig nanosecond_bytes() {
    PcieConfig config;
    config.generation = PcieGeneration::gen1;
    config.dllps = PcieDllps::none;
    config.root_latency = kLatency;
    return config;
}
constexpr Ps ns(std::int64_t count) {
    return Ps{count * 1000};
}

TEST(PcieLink, WritesFollowEachOther) {
    PcieLink link(nanosecond_bytes());
    EXPECT_EQ(link.write(ns(0), kAddress, 4096), ns(4480));
    EXPECT_EQ(link.write(ns(10), kAddress, 16), ns(4480 + 40));  // the completion entry, behind its data
    EXPECT_EQ(link.write(ns(20), kAddress, 4), ns(4520 + 28));   // the interrupt, behind that
    EXPECT_EQ(link.write(ns(10'000), kAddress, 4), ns(10'028));  // idle until then
    EXPECT_EQ(link.up_busy(), ns(4480 + 40 + 28 + 28));
    EXPECT_EQ(link.down_busy(), ns(0));
}

TEST(PcieLink, TheDirectionsDoNotShareTime) {
    PcieLink link(nanosecond_bytes());
    EXPECT_EQ(link.write(ns(0), kAddress, 4096), ns(4480));
    EXPECT_EQ(link.register_write(ns(5), kAddress, 4), ns(5 + 28));
    EXPECT_EQ(link.down_busy(), ns(28));
}

TEST(PcieLink, AReadTakesARoundTrip) {
    PcieLink link(nanosecond_bytes());
    const Ps data = link.request(ns(0), kAddress, 64);
    EXPECT_EQ(data, ns(24) + kLatency);
    EXPECT_EQ(link.data(data, kAddress, 64), data + ns(84));
}

// Data begin after the first of eight requests, which go up together.
TEST(PcieLink, DataBeginAfterTheFirstRequest) {
    PcieLink link(nanosecond_bytes());
    const Ps data = link.request(ns(0), kAddress, 4096);
    EXPECT_EQ(data, ns(24) + kLatency);
    EXPECT_EQ(link.up_busy(), ns(8 * 24));
    EXPECT_EQ(link.data(data, kAddress, 4096), data + ns(16 * 20 + 4096));
}

TEST(PcieLink, RequestsWaitForWritesAndDataForOtherData) {
    PcieLink link(nanosecond_bytes());
    link.write(ns(0), kAddress, 4096);
    const Ps first = link.request(ns(1), kAddress, 4096);
    EXPECT_EQ(first, ns(4480 + 24) + kLatency);
    const Ps second = link.request(ns(2), kAddress, 64);
    EXPECT_EQ(second, ns(4480 + 8 * 24 + 24) + kLatency);
    // A register is written before the data come, although it was asked for after the requests.
    EXPECT_EQ(link.register_write(ns(10), kAddress, 4), ns(38));
    EXPECT_EQ(link.data(first, kAddress, 4096), first + ns(4416));
    EXPECT_EQ(link.data(second, kAddress, 64), first + ns(4416 + 84));
}

TEST(PcieLink, RefusesToGoBackInTime) {
    PcieLink link(nanosecond_bytes());
    link.write(ns(10), kAddress, 4);
    EXPECT_DEATH(link.write(ns(9), kAddress, 4), "in the order of time");
}

}  // namespace
}  // namespace solidtlm::hw
