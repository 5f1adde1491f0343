// SPDX-License-Identifier: Apache-2.0
//
// Drives that write word lines as a whole, on fake hardware. Either the flash programs them at once, and
// refuses parts of them; or it programs pages, and a power cut during one of them destroys those of its word
// line that were programmed before. Map area and recovery log are in SLC mode.
#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Seeds, WordLines, ::testing::Range(1, usual_or_sanitized(31, 9)));

}  // namespace
}  // namespace solidtlm::fw::testing
