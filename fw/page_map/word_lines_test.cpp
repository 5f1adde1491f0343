// SPDX-License-Identifier: Apache-2.0
//
// Drives that write word lines as a whole, on fake hardware. Either the flash programs them at once, and
// refuses parts of them; or it programs pages, and a power cut during one of them destroys those of its word
// line that were programmed before. Map area and recovery log are in SLC mode. Or lower pages are copied
// before such a cut can take them.
#include <gtest/gtest.h>

#include <algorithm>

#include "fw/testing/copying_drive.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"
#include "fw/testing/survive.h"

namespace solidtlm::fw::testing {
namespace {

FirmwareConfig by_word_lines(std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    config.flash.pages_per_program = 2 + static_cast<std::uint32_t>(seed % 3);
    config.flash.slc_pages = 4;
    config.flash.pages = config.flash.slc_pages * config.flash.pages_per_program;
    config.flash.blocks = 24;
    config.flash.page_by_page = seed / 3 % 2 == 0;
    config.gc.copy_back = false;
    export_everything(config);
    return config;
}

class WordLines : public ::testing::TestWithParam<int> {
  protected:
    const std::uint64_t seed = static_cast<std::uint64_t>(GetParam());
};

TEST_P(WordLines, ReturnWhatWasWritten) {
    (void)serve(by_word_lines(seed), seed, 2000);
}

// Checkpoints follow from programs, those of padding and collection included, and there is nothing to spare.
TEST_P(WordLines, WriteCheckpointsAndGoOn) {
    FirmwareConfig config = by_word_lines(seed);
    config.flash.slc_pages = 8;
    config.flash.pages = config.flash.slc_pages * config.flash.pages_per_program;
    keep_log(config, seed);
    export_everything(config);
    const hal::Metrics metrics = serve(config, seed, 2000);
    EXPECT_GT(metrics.count("log.checkpoints"), 0U);
}

// The ends of the last programs of collection free the only space that there is.
TEST_P(WordLines, GoOnWhereLittleIsRewritten) {
    rewrite_little(by_word_lines(seed), seed);
}

TEST_P(WordLines, LoseNothingInPowerCuts) {
    FirmwareConfig config = by_word_lines(seed);
    config.exported_sectors = config.exported_sectors * 7 / 10 / 16 * 16;
    survive(config, seed, 10);
}

TEST_P(WordLines, LoseNothingInPowerCutsWithALogAndACachedMap) {
    FirmwareConfig config = by_word_lines(seed);
    config.flash.slc_pages = 8;
    config.flash.pages = config.flash.slc_pages * config.flash.pages_per_program;
    keep_log(config, seed);
    cache_map(config, seed);
    survive(config, seed, 6);
}

TEST_P(WordLines, LoseNothingWhenFlashFails) {
    FirmwareConfig config = by_word_lines(seed);
    config.exported_sectors = config.exported_sectors * 6 / 10 / 16 * 16;
    (void)grow_bad_blocks(config, 0.001, 0.002, 2000);
}

TEST_P(WordLines, EndEveryCommandWhenFlashWearsOut) {
    wear_out(by_word_lines(seed), 10, 3000);
}

class CopiedLowerPages : public WordLines {};

TEST_P(CopiedLowerPages, ReturnWhatWasWritten) {
    const hal::Metrics metrics = serve(with_copies(seed), seed, 2000);
    EXPECT_GT(metrics.count("backup.superpages"), 0U);
    EXPECT_GT(metrics.count("backup.erases"), 0U);
    EXPECT_EQ(metrics.count("backup.refused_programs"), 0U);
}

TEST_P(CopiedLowerPages, LoseNothingInPowerCuts) {
    FirmwareConfig config = with_copies(seed);
    config.exported_sectors = config.exported_sectors * 6 / 10 / 16 * 16;
    survive(config, seed, 10);
}

// Most cuts come before collection has emptied what the ones before took.
TEST_P(CopiedLowerPages, FindRoomAfterManyCutsInARow) {
    FirmwareConfig config = with_copies(seed);
    config.exported_sectors = config.exported_sectors * 5 / 10 / 16 * 16;
    std::mt19937_64 random(seed);
    FakeDevice device(config, seed);
    PowerHost host(device, seed);
    host.keep_busy(600, 32);
    device.run();
    std::uint64_t restored = 0;
    for (int cut = 0; cut < 60; ++cut) {
        while (!device.firmware->ready() && device.clock.run_one()) {
        }
        restored += device.firmware->metrics().count("backup.restored_superpages");
        for (int i = 0; i < 40; ++i) {
            host.write(random() % (config.exported_sectors - 64),
                       1 + static_cast<std::uint32_t>(random() % 64), i % 8 == 0);
        }
        run_events(device, 250 + random() % 500);
        ASSERT_EQ(device.firmware->metrics().count("backup.refused_programs"), 0U);
        host.power_cut();
    }
    device.run();
    EXPECT_GT(restored, 0U);
    host.settle();
    EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
    EXPECT_FALSE(device.firmware->translation().read_only());
    host.keep_busy(300, 16);
    device.run();
    EXPECT_EQ(host.failed, 0U);
    EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
}

TEST_P(CopiedLowerPages, LoseNothingInPowerCutsWithALogAndACachedMap) {
    FirmwareConfig config = with_copies(seed);
    keep_log(config, seed);
    cache_map(config, seed);
    survive(config, seed, 6);
}

TEST_P(CopiedLowerPages, LoseNothingWhenFlashFails) {
    FirmwareConfig config = with_copies(seed);
    config.exported_sectors = config.exported_sectors * 6 / 10 / 16 * 16;
    keep_what_was_acknowledged(config, 0.001, 0.002, 2000);  // the area for copies is small
}

TEST_P(CopiedLowerPages, EndEveryCommandWhenFlashWearsOut) {
    wear_out(with_copies(seed), 10, 3000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CopiedLowerPages, ::testing::Range(1, usual_or_sanitized(31, 7)));
INSTANTIATE_TEST_SUITE_P(Seeds, WordLines, ::testing::Range(1, usual_or_sanitized(61, 9)));

}  // namespace
}  // namespace solidtlm::fw::testing
