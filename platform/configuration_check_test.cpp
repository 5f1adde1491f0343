// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: each is broken by itself and reported at the key that was set. Limits are worked out by
// hand in the comments.
#include <gtest/gtest.h>

#include "platform/configuration.h"
#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using Texts = std::vector<std::string>;

/// The only issue of `toml`, or a text with the number of issues.
std::string only_issue(std::string_view toml) {
    const Texts texts = issues_in(toml);
    std::string all;
    for (const std::string& text : texts) {
        all += text + "\n";
    }
    return texts.size() == 1 ? texts[0] : std::to_string(texts.size()) + " issues\n" + all;
}

TEST(ConfigurationRules, DiesPerWayDividesDies) {
    EXPECT_EQ(
        only_issue("preset = \"tiny\"\n[nand.geometry]\ndies = 4\ndies_per_way = 3\n"),
        "my.toml:4: nand.geometry.dies_per_way: found 3 dies per way; allowed: a divisor of the 4 dies of a "
        "channel");
    EXPECT_EQ(issues_in("nand.geometry.dies_per_way = 2"), Texts{});
}

TEST(ConfigurationRules, UnitsFitThePage) {
    EXPECT_TRUE(only_issue("[firmware]\nunit = 2560\nread_segment = 128000\nwrite_segment = 128000\n"
                           "write_buffer.size = 12800000\n[nand.geometry]\npage_size = 5120\n[nand.ecc]\n"
                           "codeword_size = 512\nparity_size = 16\n")
                    .starts_with("my.toml:2: firmware.unit: found 2560; allowed: a power of two"));
    EXPECT_TRUE(only_issue("firmware.unit = \"32KiB\"")
                    .starts_with("my.toml:1: firmware.unit: mapping unit of 32768 bytes and pages of 16384 "
                                 "bytes; allowed: a page holds one or more whole units"));
    // 65,536 / 512 = 128 units: 8 + 4 * 128 = 520 bytes of metadata; a FlashOp carries 264, 64 units.
    const std::string many = only_issue(
        "ssd.over_provisioning = 0.3\n[firmware]\nunit = 512\n[dram]\nsize = "
        "\"1GiB\"\n[nand.geometry]\npage_size = \"64KiB\"\nblocks = 16\nspare_size = 8192\n");
    EXPECT_TRUE(many.starts_with(
        "my.toml:7: nand.geometry.page_size: found 128 mapping units per page, which need 520 "
        "bytes of metadata; allowed: at most 264 bytes, 64 units"))
        << many;
}

TEST(ConfigurationRules, GroupsOfDiesForParity) {
    const std::string groups =
        "preset = \"default\"\nssd.over_provisioning = 0.6\n"
        "[firmware.reliability]\nparity_dies = ";
    EXPECT_EQ(issues_in(groups + "4\n"), Texts{});
    EXPECT_EQ(
        only_issue(groups + "3\n"),
        "my.toml:4: firmware.reliability.parity_dies: found groups of 3 dies; allowed: a divisor of the "
        "8 channels");
    EXPECT_EQ(
        only_issue(groups + "8\n"),
        "my.toml:4: firmware.reliability.parity_dies: found groups of 8 dies; allowed: at most 8 planes "
        "on all dies but one");
    EXPECT_EQ(
        only_issue(groups + "1\n"),
        "my.toml:4: firmware.reliability.parity_dies: found 1; allowed: integer from 0 to 64 dies, not 1");
    EXPECT_TRUE(only_issue(groups + "4\n[firmware.allocation]\norder = \"CWDP\"\n")
                    .find("an order that begins with P") != std::string::npos);
    // A quarter of the flash is parity.
    EXPECT_TRUE(only_issue("preset = \"default\"\nfirmware.reliability.parity_dies = 4\n")
                    .find("an over-provisioning of 0.25") != std::string::npos)
        << only_issue("preset = \"default\"\nfirmware.reliability.parity_dies = 4\n");
}

TEST(ConfigurationRules, TimingModeBelongsToTheInterface) {
    EXPECT_EQ(only_issue("[nand.bus]\ninterface = \"sdr\"\nmode = 6\n"),
              "my.toml:3: nand.bus.mode: found mode 6 of sdr; allowed: modes 0 to 5");
    EXPECT_EQ(only_issue("nand.bus.interface = \"nv_ddr\""),  // mode 7 comes from the preset
              "my.toml:1: nand.bus.interface: found mode 7 of nv_ddr; allowed: modes 0 to 5");
    EXPECT_EQ(issues_in("nand.bus = { interface = \"nv_ddr2\", mode = 9 }"), Texts{});
    EXPECT_EQ(only_issue("nand.bus.mode = 10"),
              "my.toml:1: nand.bus.mode: found mode 10 of nv_ddr2; allowed: modes 0 to 9");
    EXPECT_EQ(issues_in("nand.bus = { interface = \"nv_ddr3\", mode = 12 }"), Texts{});
}

TEST(ConfigurationRules, ReadAndProgramTimesGoTogether) {
    EXPECT_EQ(
        only_issue("[nand.timing]\nread = [\"40us\", \"65us\"]\nprogram = [\"500us\", \"900us\", "
                   "\"1300us\"]\n"),
        "my.toml:3: nand.timing.program: found 2 read and 3 program times; allowed: equally many, or one "
        "of either");
    EXPECT_EQ(issues_in("nand.timing.program = [\"500us\", \"1300us\"]"), Texts{});
}

TEST(ConfigurationRules, TimesAndPagesFitTheCells) {
    const std::string two_times = "[nand.timing]\nread = [\"40us\", \"65us\"]\n";
    EXPECT_EQ(issues_in(two_times + "[nand]\ncell = \"mlc\"\n"), Texts{});
    EXPECT_EQ(only_issue(two_times + "[nand]\ncell = \"slc\"\n"),
              "my.toml:4: nand.cell: found 2 times in nand.timing.read; allowed: 1, the pages of a word line "
              "with slc cells");
    EXPECT_EQ(only_issue(two_times + "[nand]\ncell = \"tlc\"\ngeometry.pages = 384\n"),
              "my.toml:4: nand.cell: found 2 times in nand.timing.read; allowed: 1 or 3, the pages of a word "
              "line with tlc cells");
    EXPECT_EQ(
        only_issue("nand.timing.program = [\"1ms\", \"2ms\", \"3ms\"]\nnand.cell = \"tlc\"\n"),
        "my.toml:2: nand.cell: found 256 pages in a block; allowed: a multiple of 3, the pages of a word "
        "line with tlc cells");
    EXPECT_TRUE(
        only_issue("nand.cell = \"plc\"")
            .starts_with("my.toml:1: nand.cell: found \"plc\"; allowed: one of by_times, slc, mlc, "));
}

TEST(ConfigurationRules, SpareAreaHoldsParityAndMetadata) {
    // 16,384 / 1,024 codewords * 112 + 8 + 4 * (16,384 / 4,096) = 1,816 bytes.
    EXPECT_EQ(
        only_issue("nand.geometry.spare_size = 1815"),
        "my.toml:1: nand.geometry.spare_size: found a spare area of 1815 bytes; allowed: at least 1816 (16 "
        "codewords with 112 bytes of parity, 24 of metadata)");
    EXPECT_EQ(issues_in("nand.geometry.spare_size = 1816"), Texts{});
    EXPECT_TRUE(
        only_issue("nand.ecc.codeword_size = 3072")
            .starts_with("my.toml:1: nand.ecc.codeword_size: found codewords of 3072 bytes in pages of "
                         "16384 bytes; allowed: a multiple of 512 that divides the page"));
    EXPECT_EQ(issues_in("[nand]\necc.codeword_size = 0\ngeometry.spare_size = 24\n"), Texts{});
    EXPECT_EQ(issues_in("[nand]\necc.codeword_size = 0\ngeometry.spare_size = 23\n").size(), 1U);
}

TEST(ConfigurationRules, UnitNumbersFit32Bits) {
    // 64 channels * 64 dies * 2 planes * 1,024 blocks * 256 pages * 4 units = 2^33 units.
    const std::string issue =
        only_issue("nand.geometry = { channels = 64, dies = 64, blocks = 1024 }\n[dram]\nsize = \"1TiB\"\n");
    EXPECT_TRUE(
        issue.starts_with("my.toml:1: nand.geometry.channels: found 8589934592 mapping units in 32TiB of "
                          "flash; allowed: fewer than 4294967295"))
        << issue;
}

TEST(ConfigurationRules, DramHoldsEverything) {
    // Preset tiny, each part rounded up to 4,096: floor(4,096 units * 0.65) = 2,662 map entries of 4 bytes:
    // 12,288; windows 66 * 32,768 = 2,162,688; collection 4 dies * 2 superpages of 16,384 = 131,072; buffer
    // 262,144. Sum 2,568,192.
    EXPECT_EQ(only_issue("preset = \"tiny\"\ndram.size = 2567680\n"),
              "my.toml:2: dram.size: found a DRAM (dram.size) of 2567680 bytes; allowed: at least 2568192 "
              "(map table 12288, "
              "read windows 2162688, garbage collection 131072, write buffer 262144)");
    EXPECT_EQ(issues_in("preset = \"tiny\"\ndram.size = 2568192\n"), Texts{});
    EXPECT_EQ(only_issue("dram.size = 134217729"),
              "my.toml:1: dram.size: found 134217729 bytes; allowed: a multiple of 512");
    EXPECT_EQ(only_issue("sata.physical_sector_size = 1536"),
              "my.toml:1: sata.physical_sector_size: found 1536; allowed: a power of two");
    EXPECT_EQ(only_issue("dram.banks = 6"), "my.toml:1: dram.banks: found 6; allowed: a power of two");
    EXPECT_EQ(only_issue("dram.quantum = 520"),  // 2 bytes * 8 transfers per burst
              "my.toml:1: dram.quantum: found 520 bytes; allowed: a multiple of a burst (16 bytes)");
}

TEST(ConfigurationRules, MapCacheHoldsOneMissAtLeast) {
    const auto refused = [](const std::string& policy, const std::string& least) {
        const std::string text =
            "[firmware.map_cache]\npolicy = \"" + policy +
            "\"\ntranslation_page = 4096\nsize = " + std::to_string(std::stoul(least) - 1) + "\n";
        EXPECT_EQ(only_issue(text), "my.toml:4: firmware.map_cache.size: found a map cache of " +
                                        std::to_string(std::stoul(least) - 1) + " bytes; allowed: at least " +
                                        least + ", what " + policy +
                                        " needs for the entries of one miss with their bookkeeping");
        EXPECT_EQ(issues_in("[firmware.map_cache]\npolicy = \"" + policy +
                            "\"\ntranslation_page = 4096\nsize = " + least + "\n"),
                  Texts{});
    };
    // docs/map-cache.md: 4,096 + 12; 2,048 + 12; 64 + 14; an entry; 4 scores of 8 and a run of 16 entries, 20
    // + 66; a node of 24 and an entry of 12.
    refused("full_page", "4108");
    refused("half_page", "2060");
    refused("tafp", "78");
    refused("dftl", "16");
    refused("bsb", "118");
    refused("tpftl", "36");
    refused("cftl", "544");   // 1,024 counters of 4 bits, and one entry of each kind
    refused("sftl", "4564");  // 4,108 and a tenth of the whole: 4,564 - 456
}

TEST(ConfigurationRules, MapCacheWindowsAndTranslationPages) {
    EXPECT_EQ(
        only_issue("firmware.map_cache.policy = \"tafp\"\nfirmware.map_cache.tafp_bytes = 18\n"),
        "my.toml:2: firmware.map_cache.tafp_bytes: found a window of 18 bytes; allowed: a multiple of an "
        "entry (4 bytes)");
    EXPECT_EQ(
        only_issue("firmware.map_cache.policy = \"dftl\"\nfirmware.map_cache.translation_page = 32768\n"),
        "my.toml:2: firmware.map_cache.translation_page: found a translation page of 32768 bytes; allowed: "
        "a power of two from 512 to the page size of 16384 bytes, or 0 for the largest of these");
    for (const char* wrong : {"tafp_6", "tafp_64,tafp_64", "half", "full,", "tafp_32768"}) {
        const std::string issue = only_issue(
            "firmware.map_cache.policy = \"bsb\"\n"
            "firmware.map_cache.bsb_candidates = \"" +
            std::string(wrong) + "\"\n");
        EXPECT_TRUE(issue.starts_with("my.toml:2: firmware.map_cache.bsb_candidates: found \"" +
                                      std::string(wrong) + "\"; allowed: names by comma"))
            << issue;
    }
    const std::string unknown = only_issue("firmware.map_cache.policy = \"dlft\"");
    EXPECT_NE(unknown.find("allowed: one of full_table, "), std::string::npos) << unknown;
}

TEST(ConfigurationRules, FirmwareBuffers) {
    EXPECT_EQ(
        only_issue("firmware.read_segment = 6144"),
        "my.toml:1: firmware.read_segment: found 6144 bytes; allowed: a multiple of firmware.unit (4096 "
        "bytes)");
    // Superpage of 2 planes * 16 KiB and a write segment of 128 KiB: 163,840 bytes.
    EXPECT_EQ(
        only_issue("firmware.write_buffer.size = 159744"),
        "my.toml:1: firmware.write_buffer.size: found a write buffer of 159744 bytes; allowed: at least "
        "163840 (one superpage of 32768 and one write segment)");
    EXPECT_EQ(issues_in("firmware.write_buffer.size = 163840"), Texts{});
}

TEST(ConfigurationRules, GarbageCollectionThresholds) {
    EXPECT_EQ(only_issue("[firmware.gc]\nforeground_threshold = 3\nbackground_threshold = 3\n"),
              "my.toml:3: firmware.gc.background_threshold: found background_threshold 3 with "
              "foreground_threshold 3; allowed: background_threshold above foreground_threshold");
    EXPECT_EQ(only_issue("[firmware.gc]\npacing = \"paced\"\nbackground_threshold = 3\n"),
              "my.toml:3: firmware.gc.background_threshold: found background_threshold 3 with "
              "foreground_threshold 1 and paced; allowed: with pacing, at least foreground_threshold + 3");
    EXPECT_EQ(issues_in("[firmware.gc]\npacing = \"paced\"\nbackground_threshold = 4\n"), Texts{});
    EXPECT_EQ(only_issue("[firmware.gc]\nidle_threshold = 3\n"),
              "my.toml:2: firmware.gc.idle_threshold: found idle_threshold 3 with background_threshold 3; "
              "allowed: 0, or above background_threshold");
}

// Pages moved inside the die get new metadata, so that checkpoints can rely on it.
TEST(ConfigurationRules, CopyBackGoesWithEveryRecoveryLog) {
    EXPECT_EQ(issues_in("[firmware]\nrecovery.checkpoint_interval = \"1MiB\"\ngc.copy_back = true\n"),
              Texts{});
    EXPECT_EQ(issues_in("[firmware]\ntrim.persist = \"journal\"\ngc.copy_back = true\n"), Texts{});
}

TEST(ConfigurationRules, BlockMappedLayersHaveNoRecoveryLog) {
    for (const char* key : {"trim.persist = \"journal\"", "recovery.checkpoint_interval = \"1MiB\""}) {
        const std::string text = only_issue("[firmware]\ntranslation = \"fast\"\n" + std::string(key) + "\n");
        EXPECT_NE(text.find("found a recovery log with a block-mapped firmware.translation; allowed: "
                            "trim.persist = lazy and no checkpoints"),
                  std::string::npos)
            << text;
    }
}

TEST(ConfigurationRules, AllocationOrderIsAPermutation) {
    EXPECT_EQ(issues_in("firmware.allocation.order = \"CWDP\""), Texts{});
    for (const char* order : {"CWDD", "cwdp", "CWDX"}) {
        EXPECT_EQ(only_issue(std::string("firmware.allocation.order = \"") + order + "\""),
                  std::string("my.toml:1: firmware.allocation.order: found \"") + order +
                      "\"; allowed: a permutation of the letters C, W, D and P, such as \"PCWD\"");
    }
}

TEST(ConfigurationRules, ZerosAfterTrimNeedDeterminism) {
    EXPECT_EQ(only_issue("sata.deterministic_after_trim = false"),
              "my.toml:1: sata.deterministic_after_trim: found zeros_after_trim = true with "
              "deterministic_after_trim = false; allowed: RZAT only together with DRAT (ACS-3 7.12.6)");
    const Configuration off = parse_configuration(
        "sata = { deterministic_after_trim = false, zeros_after_trim = false }", "my.toml");
    EXPECT_FALSE(off.firmware.zero_partial_trim);
}

TEST(ConfigurationRules, CapacityIsWhatTheFirmwareCanServe) {
    // Preset tiny: garbage collection keeps 3 of 16 blocks; 13/16 of 16 MiB = 13,631,488 bytes; OP at least
    // 3/16 = 0.1875.
    EXPECT_EQ(
        only_issue("preset = \"tiny\"\nssd.over_provisioning = 0.18\n"),
        "my.toml:2: ssd.over_provisioning: found an exported capacity of 13754368 bytes; allowed: at most "
        "13631488 bytes, an over-provisioning of 0.187500 or more (raw capacity 16777216 less the blocks "
        "garbage collection needs)");
    EXPECT_EQ(issues_in("preset = \"tiny\"\nssd.over_provisioning = 0.1875\n"), Texts{});
    EXPECT_EQ(issues_in("preset = \"tiny\"\nssd.capacity = 13631488\n"), Texts{});
    const std::string issue = only_issue("preset = \"tiny\"\nssd.capacity = 13635584\n");
    EXPECT_TRUE(issue.starts_with("my.toml:2: ssd.capacity: found an exported capacity of 13635584 bytes"))
        << issue;
    EXPECT_EQ(
        only_issue("preset = \"tiny\"\nssd.capacity = 1000000\n"),
        "my.toml:2: ssd.capacity: found 1000000 bytes; allowed: a multiple of firmware.unit (4096 bytes)");
    EXPECT_EQ(
        only_issue("preset = \"tiny\"\nnand.geometry.blocks = 3\n"),
        "my.toml:2: nand.geometry.blocks: found 3 blocks per plane; allowed: more than 3 good ones (for "
        "garbage collection)");
    // The recovery log takes two banks of 2 blocks on 8 planes, which is one block per plane.
    EXPECT_EQ(
        only_issue("preset = \"tiny\"\nfirmware.trim.persist = \"journal\"\nnand.geometry.blocks = 4\n"),
        "my.toml:3: nand.geometry.blocks: found 4 blocks per plane; allowed: more than 4 good ones (for "
        "garbage collection, the recovery log)");
}

/// A map table that does not fit into the DRAM is a consequence, and is not reported.
TEST(ConfigurationRules, ACapacityBeyondTheFlashIsOneMistake) {
    const Texts texts = issues_with({"ssd.capacity=4TB"});
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_TRUE(texts[0].starts_with(
        "--set: ssd.capacity: found an exported capacity of 4000000000000 bytes; allowed: at most "))
        << texts[0];
    const Texts both = issues_with({"ssd.capacity=4TB", "dram.size=32MiB"});
    ASSERT_EQ(both.size(), 2U) << "the DRAM is too small for the largest capacity, too";
    EXPECT_TRUE(both[0].starts_with("--set: dram.size: found a DRAM")) << both[0];
    EXPECT_TRUE(both[1].starts_with("--set: ssd.capacity: found an exported capacity")) << both[1];
}

TEST(ConfigurationRules, FactoryBadBlocksTakeFromTheSpareArea) {
    // 256 blocks, 1 % bad: 256 * 0.99 - 5 * sqrt(256 * 0.01 * 0.99) = 245.4 -> 245 good; less 3: 242 / 256 of
    // the raw capacity; OP at least 0.0547. 4 %: 245.76 - 15.68 = 230.1 -> 230; OP at least 0.1133.
    EXPECT_EQ(issues_in("nand.bad_blocks.factory_fraction = 0.01"), Texts{});
    const std::string issue = only_issue("nand.bad_blocks.factory_fraction = 0.04");
    EXPECT_TRUE(issue.starts_with("my.toml:1: nand.bad_blocks.factory_fraction: found an exported capacity"))
        << issue;
    EXPECT_NE(issue.find("an over-provisioning of 0.113282 or more"), std::string::npos) << issue;
}

TEST(ConfigurationRules, CapacityAndOverProvisioningExcludeEachOtherInOnePlace) {
    EXPECT_EQ(only_issue("[ssd]\nover_provisioning = 0.3\ncapacity = \"8MiB\"\n"),
              "my.toml:3: ssd.capacity: found ssd.capacity and ssd.over_provisioning in the same place; "
              "allowed: one of them");
    const Configuration by_capacity =
        parse_configuration("preset = \"tiny\"\nssd.capacity = \"8MiB\"", "my.toml");
    EXPECT_EQ(by_capacity.exported_bytes(), 8U << 20);
    EXPECT_DOUBLE_EQ(by_capacity.over_provisioning, 0.5) << "8 of 16 MiB, over the preset's 0.35";
    const Configuration later = parse_configuration("preset = \"tiny\"\nssd.capacity = \"8MiB\"", "my.toml",
                                                    {"ssd.over_provisioning=0.25"});
    EXPECT_EQ(later.exported_bytes(), 12U << 20) << "the command line wins";
}

TEST(ConfigurationRules, ADerivedValueMustBeAllowedByItsKey) {
    const std::string spare = only_issue("ssd.capacity = 4096");  // of 64 GiB: 1 - 2^-24
    EXPECT_TRUE(
        spare.starts_with("my.toml:1: ssd.capacity: found ssd.capacity = 4KiB, which makes "
                          "ssd.over_provisioning 0.999999940395"))
        << spare;
    EXPECT_TRUE(spare.ends_with("; allowed there: number from 0 to 0.999999")) << spare;
    EXPECT_EQ(issues_in("ssd.capacity = 73728"), Texts{}) << "18 of 2^24 units: more than a millionth";
    // 2^31 NAND blocks in groups of 8 planes: 3 % of 2^28 blocks are 8,053,063.
    const std::string logs = only_issue(
        "[nand.geometry]\nchannels = 64\ndies = 64\nplanes = 8\nblocks = 65536\npages = 1\n"
        "page_size = 4096\n[firmware]\ntranslation = \"bast\"\nallocation.striping = \"none\"\n"
        "[ssd]\nover_provisioning = 0.5\n[dram]\nsize = \"1TiB\"\n");
    EXPECT_EQ(logs,
              "my.toml:9: firmware.translation: found nand.geometry.blocks = 65536 and "
              "firmware.translation = bast, which make firmware.block_map.log_blocks 8053063; allowed "
              "there: integer from 0 to 1048576 blocks");
}

TEST(ConfigurationRules, ARuleAboutAKeyThatFailedIsNotChecked) {
    EXPECT_EQ(only_issue("[firmware.gc]\nforeground_threshold = 3\nbackground_threshold = \"many\"\n"),
              "my.toml:3: firmware.gc.background_threshold: found \"many\"; allowed: integer from 2 to 65536 "
              "superblocks");
}

TEST(ConfigurationRules, DerivedFieldsReachEveryBlock) {
    const Configuration c =
        parse_configuration("preset = \"tiny\"\nseed = 9\ncontent = \"bytes\"\n", "my.toml");
    for (const hal::ContentMode mode :
         {c.nand.content, c.dram.content, c.hash.content, c.sata.content, c.firmware.content}) {
        EXPECT_EQ(mode, hal::ContentMode::bytes);
    }
    EXPECT_EQ(c.firmware.seed, 9U);
    EXPECT_EQ(c.nand.bad_blocks.seed, 1U) << "the drive stays the same";
    EXPECT_EQ(c.nand.metadata_bytes, 16U) << "8 + 4 * 2";
    EXPECT_EQ(c.raw_bytes(), 16U << 20);
    EXPECT_EQ(c.firmware.exported_sectors, 2662U * 8) << "floor(4,096 * 0.65) units of 8 sectors";
    EXPECT_EQ(c.sata.exported_sectors, c.firmware.exported_sectors);
    EXPECT_EQ(c.firmware.flash.channels, 2U);
    EXPECT_EQ(c.firmware.flash.dies, 2U);
    EXPECT_EQ(c.firmware.flash.dies_per_way, 1U);
    EXPECT_EQ(c.firmware.flash.planes, 2U);
    EXPECT_EQ(c.firmware.flash.blocks, 16U);
    EXPECT_EQ(c.firmware.flash.pages, 16U);
    EXPECT_EQ(c.firmware.flash.page_bytes, 8192U);
    EXPECT_TRUE(c.firmware.zero_partial_trim);
}

}  // namespace
}  // namespace solidtlm::platform
