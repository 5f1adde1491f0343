// SPDX-License-Identifier: Apache-2.0
//
// Block-mapped translation layers: the mapping unit that follows from the page, and refused combinations.
// Limits are worked out by hand in the comments.
#include <gtest/gtest.h>

#include "platform/configuration.h"
#include "platform/configuration_test_support.h"
#include "platform/presets.h"

namespace solidtlm::platform {
namespace {

using Texts = std::vector<std::string>;

Configuration with(const std::string& preset, const std::vector<std::string>& settings) {
    ConfigurationSources sources;
    sources.preset = preset;
    sources.settings = settings;
    return load_configuration(sources);
}

// Presets with an SLC cache need one more setting.
TEST(BlockMapConfiguration, EveryPresetTakesEveryLayerByOneSetting) {
    const std::string no_cache = "firmware.slc_cache.mode=none";
    for (const std::string& preset : preset_names()) {
        for (const char* layer : {"fmax", "bast", "fast"}) {
            const Configuration c = with(preset, {"firmware.translation=" + std::string(layer), no_cache});
            EXPECT_EQ(c.firmware.unit_bytes, c.nand.geometry.page_bytes) << preset << " " << layer;
            EXPECT_EQ(c.firmware.map_cache.policy, "full_table") << preset << " " << layer;
        }
        // Half of every block is spare, and each page of it has an entry in a table.
        const Configuration c = with(
            preset, {"firmware.translation=mtbs", "ssd.over_provisioning=0.6", "dram.size=1GiB", no_cache});
        EXPECT_EQ(c.firmware.unit_bytes, c.nand.geometry.page_bytes) << preset;
    }
}

TEST(BlockMapConfiguration, AUnitThatIsSetTogetherWithTheLayerIsKept) {
    EXPECT_EQ(issues_in("preset = \"tiny\"\n[firmware]\ntranslation = \"fast\"\nunit = \"4KiB\"\n"),
              Texts{"my.toml:4: firmware.unit: found a mapping unit of 4096 bytes; allowed: with this "
                    "firmware.translation a page (8192 bytes), at most 32768"});
    EXPECT_EQ(issues_in("preset = \"tiny\"\n[firmware]\ntranslation = \"fast\"\nunit = \"8KiB\"\n"), Texts{});
    EXPECT_EQ(with("tiny", {"firmware.translation=page_map"}).firmware.unit_bytes, 4096U);
}

/// A unit has at most 64 sectors, whether it is configured or follows from the page.
TEST(BlockMapConfiguration, AUnitThatFollowsThePageMustBeOneThatMayBeSet) {
    const Texts set = {"nand.geometry.page_size=64KiB", "nand.geometry.spare_size=8KiB",
                       "nand.ecc.codeword_size=1KiB"};
    for (const char* layer : {"fmax", "bast", "fast", "mtbs"}) {
        Texts settings = set;
        settings.push_back("firmware.translation=" + std::string(layer));
        EXPECT_EQ(issues_with(settings),
                  Texts{"--set: firmware.translation: found nand.geometry.page_size = 64KiB and "
                        "firmware.translation = " +
                        std::string(layer) +
                        ", which make firmware.unit 64KiB; allowed there: size from 512 to 32KiB, bytes or a "
                        "string such as \"16MiB\""});
    }
    EXPECT_EQ(issues_in("preset = \"default\"\nnand.geometry.page_size = \"64KiB\"\n"
                        "firmware.translation = \"bast\""),
              Texts{"my.toml:3: firmware.translation: found nand.geometry.page_size = 64KiB and "
                    "firmware.translation = bast, which make firmware.unit 64KiB; allowed there: size from "
                    "512 to 32KiB, bytes or a string such as \"16MiB\""});
    EXPECT_EQ(issues_with(set), Texts{}) << "page_map has units of its own";
    const Texts both =
        issues_with({set[0], set[1], set[2], "firmware.translation=fmax", "firmware.unit=64KiB"});
    EXPECT_EQ(both, Texts{"--set: firmware.unit: found 64KiB; allowed: size from 512 to 32KiB, bytes or a "
                          "string such as \"16MiB\""});
}

TEST(BlockMapConfiguration, TheEffectiveConfigurationReadsBack) {
    const Configuration c = with("tiny", {"firmware.translation=bast", "firmware.block_map.log_blocks=3"});
    EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c));
}

TEST(BlockMapConfiguration, RefusesFewerLogBlocksThanTheLayerNeeds) {
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nfirmware.translation = \"fast\"\nfirmware.block_map.log_blocks = 1"),
        Texts{"my.toml:3: firmware.block_map.log_blocks: found 1 log blocks; allowed: at least 2 with "
              "this firmware.translation, or 0 for automatic"});
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nfirmware.translation = \"bast\"\nfirmware.block_map.log_blocks = 1"),
        Texts{});
}

TEST(BlockMapConfiguration, RefusesMapCaches) {
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nfirmware.translation = \"fast\"\nfirmware.map_cache.policy = \"dftl\""),
        Texts{"my.toml:3: firmware.map_cache.policy: found a map cache with a block-mapped "
              "firmware.translation; allowed: full_table, the others cache a page map"});
}

/// tiny has 16 blocks per plane; 4 dies of 2 planes, order PCWD: 16 groups of 8 * 16 = 128 pages.
TEST(BlockMapConfiguration, RefusesLayersThatDoNotFitTheDevice) {
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nfirmware.translation = \"bast\"\nfirmware.block_map.log_blocks = 14"),
        Texts{"my.toml:3: firmware.block_map.log_blocks: found 16 blocks of 128 pages; allowed: more than "
              "16 good ones (14 for the log, 2 for merges)"});
    // 16 - 2 log blocks - 2 = 12 groups of 128 pages of 8 KiB = 12,582,912 bytes.
    const Texts full = issues_in(
        "preset = \"tiny\"\nssd = { over_provisioning = 0.2 }\n"
        "firmware = { translation = \"fast\" }\n");
    ASSERT_EQ(full.size(), 1U);
    EXPECT_NE(full[0].find("allowed: at most 12582912 bytes, an over-provisioning of 0.250000 or more (raw "
                           "capacity 16777216 less the blocks logs and merges need)"),
              std::string::npos)
        << full[0];
    // Half of each of 14 groups: 7,340,032 bytes.
    const Texts half = issues_in("preset = \"tiny\"\nfirmware.translation = \"mtbs\"");
    ASSERT_EQ(half.size(), 1U);
    EXPECT_NE(half[0].find("allowed: at most 7340032 bytes"), std::string::npos) << half[0];
}

}  // namespace
}  // namespace solidtlm::platform
