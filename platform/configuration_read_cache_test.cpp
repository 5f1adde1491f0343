// SPDX-License-Identifier: Apache-2.0
//
// The read cache: its keys, and refused combinations.
#include <gtest/gtest.h>

#include "platform/configuration.h"
#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using Texts = std::vector<std::string>;

const std::string kTiny = "preset = \"tiny\"\n";

TEST(ReadCacheConfiguration, KeysReachTheFirmware) {
    const Configuration c = parse_configuration(
        kTiny +
            "firmware.read_cache.size = \"1MiB\"\nfirmware.read_cache.read_ahead = \"32KiB\"\n"
            "firmware.read_cache.streams = 5\nfirmware.read_cache.trigger = 3\n",
        "my.toml");
    const fw::ReadCacheConfig& cache = c.firmware.read_cache;
    EXPECT_EQ(cache.size_bytes, 1U << 20);
    EXPECT_EQ(cache.ahead_bytes, 32U << 10);
    EXPECT_EQ(cache.streams, 5U);
    EXPECT_EQ(cache.trigger, 3U);
    EXPECT_EQ(cache.share(4096), 51U) << "of 256 units";
    EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c));
}

TEST(ReadCacheConfiguration, HoldsThreeTimesWhatIsReadAheadForEachStream) {
    const std::string streams =
        "firmware.read_cache.streams = 2\nfirmware.read_cache.read_ahead = \"16KiB\"\n";
    EXPECT_EQ(issues_in(kTiny + streams + "firmware.read_cache.size = \"96KiB\"\n"), Texts{});
    EXPECT_EQ(
        issues_in(kTiny + streams + "firmware.read_cache.size = 98303\n"),
        Texts{"my.toml:4: firmware.read_cache.size: found 98303 bytes; allowed: 0, or at least 98304 (3 "
              "times read_ahead for each of 2 streams)"});
}

TEST(ReadCacheConfiguration, ReadsWholeUnitsAhead) {
    EXPECT_EQ(
        issues_in(kTiny + "firmware.read_cache.size = \"1MiB\"\nfirmware.read_cache.read_ahead = \"6KiB\"\n"),
        Texts{"my.toml:3: firmware.read_cache.read_ahead: found 6144 bytes; allowed: a multiple of "
              "firmware.unit (4096 bytes)"});
}

TEST(ReadCacheConfiguration, LiesInTheDram) {
    const Texts issues = issues_in(kTiny + "firmware.read_cache.size = \"8MiB\"\n");
    ASSERT_EQ(issues.size(), 1U);
    EXPECT_TRUE(
        issues[0].starts_with("my.toml:2: firmware.read_cache.size: found a DRAM (dram.size) of 8388608"))
        << issues[0];
    EXPECT_TRUE(issues[0].ends_with(", read cache 8388608)")) << issues[0];
}

TEST(ReadCacheConfiguration, DoesNothingWithoutASize) {
    EXPECT_EQ(issues_in(kTiny + "firmware.read_cache.trigger = 1\n"),
              Texts{"my.toml:2: firmware.read_cache.trigger: does nothing with firmware.read_cache.size=0 "
                    "(nothing is read ahead); leave it out"});
}

}  // namespace
}  // namespace solidtlm::platform
