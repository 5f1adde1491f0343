// SPDX-License-Identifier: Apache-2.0
//
// The SLC cache: its keys, and refused combinations.
#include <gtest/gtest.h>

#include "fw/flash/needs.h"
#include "fw/needs.h"
#include "fw/page_map/needs.h"
#include "platform/configuration.h"
#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

const std::string kDrive =
    "preset = \"tiny\"\nssd.over_provisioning = 0.6\nnand.cell = \"mlc\"\n"
    "nand.slc.read = \"20us\"\nnand.slc.program = \"200us\"\n";
const std::string kCache = "firmware.slc_cache.mode = \"static\"\nfirmware.slc_cache.size = \"1MiB\"\n";

Texts issues(const std::string& lines) {
    return issues_in(kDrive + lines);
}

// A superblock in SLC mode has 8 pages of 8 KiB on 2 planes; 4 parallel units have 512 KiB in one superblock
// each.
TEST(SlcCacheConfiguration, KeysReachTheFirmwareAndTheDies) {
    const Configuration c =
        parse_configuration(kDrive + kCache +
                                "firmware.slc_cache.largest_write = \"64KiB\"\n"
                                "firmware.slc_cache.full = \"fold\"\nfirmware.slc_cache.fold_below = 2\n"
                                "firmware.slc_cache.fold_when_idle = false\nfirmware.slc_cache.copy_back = "
                                "true\nnand.slc.wear = 0.1\nnand.slc.bit_errors = 0.2\n",
                            "my.toml", {"faults.bit_errors=true"});
    const fw::SlcCacheConfig& cache = c.firmware.slc_cache;
    EXPECT_EQ(cache.mode, fw::SlcCacheMode::fixed);
    EXPECT_EQ(cache.size_bytes, 1U << 20);
    EXPECT_TRUE(cache.goes_past(64 * 1024 + 512));
    EXPECT_FALSE(cache.goes_past(64 * 1024));
    EXPECT_EQ(cache.full, fw::SlcCacheFull::fold);
    EXPECT_EQ(cache.fold_below, 2U);
    EXPECT_FALSE(cache.fold_when_idle);
    EXPECT_TRUE(cache.copy_back);
    EXPECT_EQ(c.nand.slc.read, 20us);
    EXPECT_EQ(c.nand.slc.program, 200us);
    EXPECT_EQ(c.nand.slc.wear, 0.1);
    EXPECT_EQ(c.nand.slc.bit_errors, 0.2);
    EXPECT_EQ(c.firmware.flash.slc_pages, 8U);
    EXPECT_EQ(fw::slc_superblocks(c.firmware), 2U);
    EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c));
}

TEST(SlcCacheConfiguration, NeedsTimesOfTheModeAndSeveralBitsPerCell) {
    EXPECT_EQ(issues(kCache), Texts{});
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nssd.over_provisioning = 0.6\n" + kCache),
        (Texts{"my.toml:3: firmware.slc_cache.mode: found an SLC cache with one bit in each cell; allowed: "
               "nand.cell = mlc, tlc or qlc, or several times in nand.timing",
               "my.toml:3: firmware.slc_cache.mode: found an SLC cache with no nand.slc.read; allowed: tR of "
               "the part's SLC mode",
               "my.toml:3: firmware.slc_cache.mode: found an SLC cache with no nand.slc.program; allowed: "
               "tPROG of the part's SLC mode"}));
}

TEST(SlcCacheConfiguration, NeedsAWholeWordLine) {
    EXPECT_EQ(
        issues_in(kDrive + kCache, {"nand.cell=by_times", "nand.timing.read=20us,30us,40us",
                                    "nand.geometry.pages=2", "dram.size=64MiB"})
            .front(),
        "--set: nand.geometry.pages: found an SLC cache with blocks of less than a word line; allowed: at "
        "least 3 pages");
}

TEST(SlcCacheConfiguration, RefusesSettingsThatDoNotWorkWithIt) {
    EXPECT_EQ(issues(kCache + "firmware.dedup.system = \"offline\"\n"),
              Texts{"my.toml:8: firmware.dedup.system: found an SLC cache with deduplication; allowed: "
                    "firmware.dedup.system = none"});
    EXPECT_EQ(issues(kCache + "firmware.reliability.parity_dies = 2\n").front(),
              "my.toml:8: firmware.reliability.parity_dies: found an SLC cache with parity over dies; "
              "allowed: firmware.reliability.parity_dies = 0");
    EXPECT_EQ(issues(kCache + "firmware.allocation.striping = \"none\"\n"),
              Texts{"my.toml:8: firmware.allocation.striping: found an SLC cache with "
                    "firmware.allocation.striping = none; allowed: full"});
    EXPECT_EQ(issues(kCache + "firmware.unit = \"8KiB\"\nfirmware.translation = \"fast\"\n").front(),
              "my.toml:9: firmware.translation: found an SLC cache with a block-mapped firmware.translation; "
              "allowed: page_map, the others cannot fold");
    EXPECT_EQ(issues(kCache + "firmware.slc_cache.fold_below = 3\n"),
              Texts{"my.toml:8: firmware.slc_cache.fold_below: found fold_below 3; allowed: at most 2, the "
                    "superblocks of the SLC cache in a parallel unit"});
}

TEST(SlcCacheConfiguration, GoesWithWordLinesThatAreWrittenAsAWhole) {
    EXPECT_EQ(issues(kCache + "nand.programming = \"one_shot\"\n"), Texts{});
    EXPECT_EQ(issues_in("preset = \"tiny\"\nssd.over_provisioning = 0.6\nnand.cell = \"qlc\"\n"
                        "nand.slc.read = \"20us\"\nnand.slc.program = \"200us\"\n"
                        "nand.power_cut = \"word_line\"\nfirmware.word_lines.protect = \"pad\"\n" +
                        kCache),
              Texts{});
}

TEST(SlcCacheConfiguration, TakesItsSuperblocksFromTheCapacity) {
    const Texts too_large =
        issues("firmware.slc_cache.mode = \"static\"\nfirmware.slc_cache.size = \"3MiB\"\n");
    ASSERT_EQ(too_large.size(), 1U);
    EXPECT_NE(too_large[0].find("my.toml:7: firmware.slc_cache.size: found an exported capacity of"),
              std::string::npos)
        << too_large[0];
    EXPECT_NE(too_large[0].find("less the blocks garbage collection needs, the SLC cache)"),
              std::string::npos)
        << too_large[0];
}

TEST(SlcCacheConfiguration, ADynamicCacheTakesNothingFromTheCapacity) {
    const std::string dynamic = "firmware.slc_cache.mode = \"dynamic\"\nfirmware.slc_cache.size = \"3MiB\"\n";
    EXPECT_EQ(issues(dynamic + "firmware.slc_cache.share = 0.5\n"), Texts{});
    const Configuration c =
        parse_configuration(kDrive + dynamic + "firmware.slc_cache.share = 0.25\n", "my.toml");
    EXPECT_EQ(c.firmware.slc_cache.mode, fw::SlcCacheMode::dynamic);
    EXPECT_EQ(c.firmware.slc_cache.share, 0.25);
    EXPECT_EQ(fw::slc_superblocks(c.firmware), 0U);
    EXPECT_EQ(fw::most_dynamic_superblocks(c.firmware), 6U);
    EXPECT_EQ(fw::reserved_superblocks(c.firmware), c.firmware.gc.foreground_threshold + 2);
    EXPECT_EQ(issues(dynamic + "firmware.slc_cache.static_size = \"1MiB\"\n"),
              Texts{"my.toml:8: firmware.slc_cache.static_size: does nothing with "
                    "firmware.slc_cache.mode=dynamic (all of it is of one kind); leave it out"});
    EXPECT_EQ(issues(dynamic + "firmware.slc_cache.fold_below = 7\n"),
              Texts{"my.toml:8: firmware.slc_cache.fold_below: found fold_below 7; allowed: at most 6, the "
                    "superblocks of the SLC cache in a parallel unit"});
    EXPECT_EQ(
        issues(kCache + "firmware.slc_cache.share = 0.5\n"),
        Texts{"my.toml:8: firmware.slc_cache.share: does nothing with firmware.slc_cache.mode=static (it "
              "takes no superblocks that are free); leave it out"});
}

// 16 blocks on each of 2 planes of 4 dies have 8 pages of 8 KiB in SLC mode: 8 MiB.
TEST(SlcCacheConfiguration, IsAtMostAsLargeAsTheFlash) {
    const std::string dynamic = "firmware.slc_cache.mode = \"dynamic\"\n";
    EXPECT_EQ(issues(dynamic + "firmware.slc_cache.size = \"8MiB\"\n"), Texts{});
    EXPECT_EQ(
        issues(dynamic + "firmware.slc_cache.size = \"16TiB\"\n"),
        Texts{"my.toml:7: firmware.slc_cache.size: found an SLC cache of 17592186044416 bytes; allowed: at "
              "most 8388608, all blocks in SLC mode"});
    EXPECT_EQ(issues(dynamic), Texts{}) << "the built-in size is an upper bound";
}

// The largest capacity that a drive with a dynamic cache exports; where some writes go to one mode only, a
// superblock of each parallel unit may stay unfinished in the other.
TEST(SlcCacheConfiguration, WritesThatGoToOneModeTakeASuperblockFromTheCapacity) {
    const std::string dynamic = "firmware.slc_cache.mode = \"dynamic\"\nfirmware.slc_cache.size = \"3MiB\"\n";
    const std::uint64_t most =
        fw::max_exported_units(parse_configuration(kDrive + dynamic, "my.toml").firmware);
    const std::string full =
        "preset = \"tiny\"\nnand.cell = \"mlc\"\nnand.slc.read = \"20us\"\n"
        "nand.slc.program = \"200us\"\nssd.capacity = " +
        std::to_string(most * 4096) + "\n" + dynamic;
    EXPECT_EQ(issues_in(full), Texts{});
    for (const std::string key : {"firmware.slc_cache.largest_write", "firmware.slc_cache.full"}) {
        const std::string value = key.ends_with("full") ? "\"fold\"" : "\"64KiB\"";
        const Texts too_large = issues_in(full + key + " = " + value + "\n");
        ASSERT_EQ(too_large.size(), 1U) << key;
        EXPECT_NE(too_large[0].find("found an exported capacity of"), std::string::npos) << too_large[0];
        EXPECT_NE(too_large[0].find(key), std::string::npos) << too_large[0];
    }
}

TEST(SlcCacheConfiguration, AHybridCacheHasTwoParts) {
    const std::string hybrid = "firmware.slc_cache.mode = \"hybrid\"\nfirmware.slc_cache.size = \"2MiB\"\n";
    const Configuration c =
        parse_configuration(kDrive + hybrid + "firmware.slc_cache.static_size = \"512KiB\"\n", "my.toml");
    EXPECT_EQ(fw::slc_superblocks(c.firmware), 1U);
    EXPECT_EQ(fw::most_dynamic_superblocks(c.firmware), 3U);
    EXPECT_EQ(
        issues(hybrid + "firmware.slc_cache.static_size = \"2MiB\"\n").front(),
        "my.toml:8: firmware.slc_cache.static_size: found a static part of 4 superblocks in each parallel "
        "unit; allowed: fewer than the SLC cache has");
}

TEST(SlcCacheConfiguration, DoesNothingWithoutAMode) {
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nfirmware.slc_cache.full = \"fold\"\n"),
        Texts{"my.toml:2: firmware.slc_cache.full: does nothing with firmware.slc_cache.mode=none (there is "
              "no SLC cache); leave it out"});
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nfirmware.slc_cache.largest_write = \"64KiB\"\n"),
        Texts{"my.toml:2: firmware.slc_cache.largest_write: does nothing with firmware.slc_cache.mode=none "
              "(there is no SLC cache); leave it out"});
}

}  // namespace
}  // namespace solidtlm::platform
