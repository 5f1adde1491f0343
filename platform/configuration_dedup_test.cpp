// SPDX-License-Identifier: Apache-2.0
//
// Deduplication: its keys, and refused combinations. Limits are worked out by hand in the comments.
#include <gtest/gtest.h>

#include "platform/configuration.h"
#include "platform/configuration_test_support.h"
#include "platform/presets.h"

namespace solidtlm::platform {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

Configuration tiny_with(const std::vector<std::string>& settings) {
    return parse_configuration("preset = \"tiny\"\ndram.size = \"64MiB\"\n", "my.toml", settings);
}

/// The issues of a small drive with `lines`, which follow two lines of its own.
Texts issues_of_tiny(const std::string& lines) {
    return issues_in("preset = \"tiny\"\ndram.size = \"64MiB\"\n" + lines);
}

TEST(DedupConfiguration, KeysReachTheFirmware) {
    const Configuration c = tiny_with(
        {"firmware.dedup.system=online", "firmware.dedup.table_size=96KiB", "firmware.dedup.shared_size=8KiB",
         "firmware.dedup.sampling=8", "firmware.dedup.protection=capacitor", "firmware.cycles.dedup_search=1",
         "firmware.cycles.dedup_insert=2", "firmware.cycles.dedup_share=3"});
    const fw::DedupConfig& dedup = c.firmware.dedup;
    EXPECT_EQ(dedup.system.name, "online");
    EXPECT_EQ(dedup.table_bytes, 96U << 10);
    EXPECT_EQ(dedup.shared_bytes, 8U << 10);
    EXPECT_EQ(dedup.sampling, 8U);
    EXPECT_EQ(dedup.protection, fw::DedupProtection::capacitor);
    EXPECT_EQ(c.firmware.cycles.dedup_search, 1U);
    EXPECT_EQ(c.firmware.cycles.dedup_insert, 2U);
    EXPECT_EQ(c.firmware.cycles.dedup_share, 3U);
    EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c));
    EXPECT_EQ(tiny_with({"firmware.dedup.system=offline_crc32", "firmware.cycles.dedup_compare=4"})
                  .firmware.cycles.dedup_compare,
              4U);
}

TEST(DedupConfiguration, EveryPresetTakesEverySystemByFewSettings) {
    for (const std::string& preset : preset_names()) {
        for (const char* system : {"online", "offline", "offline_separated", "offline_crc32"}) {
            ConfigurationSources sources;
            sources.preset = preset;
            sources.settings = {"firmware.dedup.system=" + std::string(system),
                                "firmware.map_cache.policy=full_table", "dram.size=2GiB",
                                "firmware.slc_cache.mode=none"};
            EXPECT_NO_THROW((void)load_configuration(sources)) << preset << " " << system;
        }
    }
}

TEST(DedupConfiguration, NeedsAPageMapInDramContentAndNoCopyBack) {
    const std::string online = "firmware.dedup.system = \"online\"\n";
    EXPECT_EQ(issues_of_tiny(online), Texts{});
    EXPECT_EQ(issues_of_tiny(online + "firmware.translation = \"fast\"\n"),
              Texts{"my.toml:4: firmware.translation: found deduplication with a block-mapped "
                    "firmware.translation; allowed: page_map, the others cannot let two logical pages share "
                    "a place"});
    EXPECT_EQ(issues_of_tiny("firmware.map_cache.policy = \"dftl\"\nssd.over_provisioning = 0.9\n" + online),
              Texts{"my.toml:5: firmware.dedup.system: found deduplication with a map cache; allowed: "
                    "firmware.map_cache.policy = full_table"});
    EXPECT_EQ(issues_of_tiny(online + "firmware.write_buffer.admission = \"even\"\n"), Texts{});
    EXPECT_EQ(issues_of_tiny(online + "content = \"none\"\n"),
              Texts{"my.toml:4: content: found deduplication with content = none, where all pages are "
                    "alike; allowed: content = tags or bytes"});
    EXPECT_EQ(issues_of_tiny(online + "content = \"bytes\"\n"), Texts{});
    EXPECT_EQ(issues_of_tiny(online + "firmware.gc.copy_back = true\n"), Texts{});
    EXPECT_EQ(issues_of_tiny("content = \"none\"\n"), Texts{}) << "without deduplication it does not matter";
}

TEST(DedupConfiguration, TheTablesHold64EntriesAnd16SharedPages) {
    const auto refused = [](const std::string& system, std::uint64_t least) {
        const std::string lines = "firmware.dedup.system = \"" + system + "\"\nfirmware.dedup.table_size = ";
        EXPECT_EQ(issues_of_tiny(lines + std::to_string(least)), Texts{}) << system;
        const Texts texts = issues_of_tiny(lines + std::to_string(least - 1));
        EXPECT_EQ(texts.size(), 1U) << system;
        return texts.empty() ? std::string() : texts.front();
    };
    EXPECT_EQ(refused("online", 3072),  // 64 * 48
              "my.toml:4: firmware.dedup.table_size: found 3071 bytes; allowed: at least 3072 (64 entries of "
              "48 bytes)");
    EXPECT_NE(refused("offline", 3072), "");
    EXPECT_EQ(refused("offline_crc32", 2304),  // 64 * 36
              "my.toml:4: firmware.dedup.table_size: found 2303 bytes; allowed: at least 2304 (64 entries of "
              "36 bytes)");
    EXPECT_EQ(refused("offline_separated", 6144),
              "my.toml:4: firmware.dedup.table_size: found 6143 bytes; allowed: at least 6144 (64 entries of "
              "48 bytes, and as much for CRC32 values)");
    const std::string shared = "firmware.dedup.system = \"online\"\nfirmware.dedup.shared_size = ";
    EXPECT_EQ(issues_of_tiny(shared + "256"), Texts{});
    EXPECT_EQ(issues_of_tiny(shared + "255"),  // 16 * 16; (2^31 - 256) * 16
              Texts{"my.toml:4: firmware.dedup.shared_size: found 255 bytes; allowed: 256 to 34359734272 (16 "
                    "to 2147483392 shared pages of 16 bytes)"});
}

TEST(DedupConfiguration, TheTablesCountAsDram) {
    // DramHoldsEverything of the other rules: 2,568,192 bytes without deduplication. Tables of 64 KiB and 4
    // KiB, two pages of 4 KiB that are compared, and one bit per unit for 4,096 units (a page of 4 KiB) take
    // 81,920 more. The recovery log, which deduplication needs, has 16 page buffers of 8 KiB: 131,072. The
    // records that these hold, 16 * 510 of 16 bytes, take whole pages of 4 KiB: 131,072.
    const Texts texts = issues_in(
        "preset = \"tiny\"\ndram.size = 2568192\n[firmware.dedup]\nsystem = \"offline\"\n"
        "shared_size = 4096\ntable_size = 65536\n");
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_NE(texts[0].find("allowed: at least 2912256 (map table 12288, deduplication 81920, recovery log "
                            "131072, read windows"),
              std::string::npos)
        << texts[0];
    EXPECT_NE(texts[0].find("write buffer 262144, records of the recovery log 131072"), std::string::npos)
        << texts[0];
}

TEST(DedupConfiguration, OnlineDoesNotWaitAndOfflineWaitsForTheHost) {
    EXPECT_EQ(
        tiny_with({"firmware.dedup.system=offline", "firmware.idle_threshold=0s"}).firmware.idle_threshold,
        0s);
    EXPECT_EQ(issues_of_tiny("firmware.dedup.system = \"online\"\nfirmware.idle_threshold = \"0s\"\n").size(),
              1U);
}

TEST(DedupConfiguration, PlacesLieBelowTheNumbersOfSharedPages) {
    // 64 channels * 64 dies * 2 planes * 256 blocks * 256 pages * 4 units = 2^31 units.
    const std::string large =
        "nand.geometry = { channels = 64, dies = 64, blocks = 256 }\ndram.size = \"64GiB\"\n";
    EXPECT_EQ(issues_in(large), Texts{});
    EXPECT_EQ(issues_in(large + "firmware.dedup.system = \"online\"\n"),
              Texts{"my.toml:3: firmware.dedup.system: found deduplication of 2147483648 mapping units of "
                    "flash; allowed: fewer than 2147483648 (larger numbers stand for shared pages)"});
}

}  // namespace
}  // namespace solidtlm::platform
