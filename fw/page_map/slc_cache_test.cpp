// SPDX-License-Identifier: Apache-2.0
//
// Drives with an SLC cache on fake hardware, which refuses the wrong mode and pages that a block does not
// have in its mode. Past the cache they program single pages, with or without copies of lower pages, or
// whole word lines: page by page, or at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "fw/flash/needs.h"
#include "fw/needs.h"
#include "fw/testing/copying_drive.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"
#include "fw/testing/survive.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kBlocks = 24;

FirmwareConfig cached(std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    config.flash.blocks = kBlocks;
    config.flash.slc_pages = config.flash.pages / (seed % 2 == 0 ? 2 : 4);
    config.allocation.striping = StripingMode::full;
    config.slc_cache.mode =
        std::array{SlcCacheMode::fixed, SlcCacheMode::dynamic, SlcCacheMode::hybrid}[seed % 3];
    config.slc_cache.full = seed / 3 % 3 == 0 ? SlcCacheFull::fold : SlcCacheFull::bypass;
    config.slc_cache.fold_below = static_cast<std::uint32_t>(seed % 5 % 3);
    config.slc_cache.fold_when_idle = seed % 4 != 0;
    config.slc_cache.copy_back = seed / 5 % 2 == 0;
    const FlashLayout& flash = config.flash;
    const std::uint64_t row =
        std::uint64_t{flash.channels} * flash.dies * flash.planes * flash.slc_pages * flash.page_bytes;
    config.slc_cache.static_bytes = (2 + seed % 2) * row;
    config.slc_cache.size_bytes =
        config.slc_cache.has_dynamic() ? (4 + seed % 11) * row : (2 + seed / 3 % 3) * row;
    config.slc_cache.share = std::array{1.0, 0.6, 0.3}[seed / 9 % 3];
    config.idle_threshold = std::chrono::microseconds(seed % 7 * 300);
    export_everything(config);
    return config;
}

/// As cached(), but a superpage is a word line, except in the cache.
FirmwareConfig cached_by_word_lines(std::uint64_t seed) {
    FirmwareConfig config = cached(seed);
    const std::uint32_t bits = config.flash.pages / config.flash.slc_pages;
    const std::uint32_t word_lines = 4;
    const std::uint32_t before = std::exchange(config.flash.slc_pages, word_lines);
    config.flash.pages = bits * word_lines;
    config.flash.pages_per_program = bits;
    config.flash.page_by_page = seed / 2 % 2 == 0;
    config.gc.copy_back = false;
    config.slc_cache.static_bytes = config.slc_cache.static_bytes / before * word_lines;
    config.slc_cache.size_bytes = config.slc_cache.size_bytes / before * word_lines;
    export_everything(config);
    return config;
}

/// As one of the above; writes of more than 1 to 32 KiB go past the cache.
FirmwareConfig cached_by_length(std::uint64_t seed) {
    FirmwareConfig config = seed % 2 == 0 ? cached(seed) : cached_by_word_lines(seed);
    config.slc_cache.largest_write_bytes = std::uint64_t{1024} << seed / 2 % 6;
    export_everything(config);
    return config;
}

/// As cached(), but the flash programs single pages whose lower pages are copied.
FirmwareConfig cached_with_copies(std::uint64_t seed) {
    FirmwareConfig config = cached(seed);
    const std::uint32_t before = config.flash.slc_pages;
    copy_lower_pages(config, seed / 3);  // with each mode of the cache
    config.slc_cache.copy_back = false;
    config.slc_cache.static_bytes = config.slc_cache.static_bytes / before * config.flash.slc_pages;
    config.slc_cache.size_bytes = config.slc_cache.size_bytes / before * config.flash.slc_pages;
    if (seed % 2 == 0) {
        config.slc_cache.largest_write_bytes = std::uint64_t{1024} << seed / 2 % 6;
    }
    export_everything(config);
    return config;
}

struct Case {
    FirmwareConfig (*drive)(std::uint64_t seed);
    const char* name;
};

class SlcCache : public ::testing::TestWithParam<std::tuple<Case, int>> {
  protected:
    const std::uint64_t seed = static_cast<std::uint64_t>(std::get<int>(GetParam()));
    FirmwareConfig config = std::get<Case>(GetParam()).drive(seed);
};

TEST_P(SlcCache, ReturnsWhatWasWritten) {
    const hal::Metrics metrics = serve(config, seed, 2000);
    if (config.slc_cache.has_static() ||
        !config.slc_cache.by_length()) {  // else long writes may leave no room
        EXPECT_GT(metrics.at("slc_cache.written_units"), 0.0);
    }
    if (config.slc_cache.by_length()) {
        EXPECT_GE(metrics.at("slc_cache.long_units"), config.exported_units()) << "all has been written once";
    }
    if (config.slc_cache.full == SlcCacheFull::fold) {
        EXPECT_EQ(metrics.at("slc_cache.bypassed_units"),
                  config.slc_cache.by_length() ? metrics.at("slc_cache.long_units") : 0.0)
            << "folding always finds a way";
    }
}

TEST_P(SlcCache, GoesOnWhereLittleIsRewritten) {
    rewrite_little(config, seed, config.slc_cache.by_length() ? 6 : 1);
}

TEST_P(SlcCache, LosesNothingInPowerCuts) {
    config.exported_sectors = config.exported_sectors * 8 / 10 / 16 * 16;
    survive(config, seed, 8);
}

TEST_P(SlcCache, LosesNothingInPowerCutsWithALogAndACachedMap) {
    if (config.flash.slc_areas()) {
        const std::uint32_t bits = config.flash.pages_per_program;
        config.flash.slc_pages = 8;
        config.flash.pages = config.flash.slc_pages * bits;
    }
    keep_log(config, seed);
    cache_map(config, seed);
    survive(config, seed, 6);
}

TEST_P(SlcCache, LosesNothingWhenFlashFails) {
    config.exported_sectors = config.exported_sectors * 6 / 10 / 16 * 16;
    if (config.flash.copies_lower_pages()) {  // their area is small
        keep_what_was_acknowledged(config, 0.001, 0.002, 2000);
    } else {
        (void)grow_bad_blocks(config, 0.001, 0.002, 2000);
    }
}

TEST_P(SlcCache, EndsEveryCommandWhenFlashWearsOut) {
    wear_out(config, 10, 3000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlcCache,
                         ::testing::Combine(::testing::Values(Case{cached, "pages"},
                                                              Case{cached_by_word_lines, "word_lines"},
                                                              Case{cached_by_length, "by_length"},
                                                              Case{cached_with_copies, "with_copies"}),
                                            ::testing::Range(1, usual_or_sanitized(55, 10))),
                         [](const auto& each) {
                             return std::string(std::get<Case>(each.param).name) + '_' +
                                    std::to_string(std::get<int>(each.param));
                         });

// 2 x 2 dies of 2 planes and 24 blocks: superblocks of 32 units, those of the cache have 16. Of 24
// superblocks, one plus one are reserved, 3 are never full of data, and 3 are the cache.
TEST(SlcCacheSize, IsRoundedUpAndLiesBesideTheCapacity) {
    FirmwareConfig config = tiny_config();
    config.flash.blocks = kBlocks;
    config.flash.slc_pages = 4;
    config.slc_cache.mode = SlcCacheMode::fixed;
    config.slc_cache.size_bytes = (2 * 16 * 4 + 1) * 4096;
    EXPECT_EQ(slc_superblocks(config), 3U);
    EXPECT_EQ(max_exported_units(config), (24U - 2 - 3 - 3) * 32 * 4);
    config.gc.pipeline_depth = config.flash.pages + 1;
    EXPECT_EQ(max_exported_units(config), (24U - 3 - 3 - 3) * 32 * 4)
        << "a superblock more may be on its way";
    const MediaLayout layout = media_layout(config);
    for (std::uint32_t i = 0; i < 24 + 4; ++i) {
        EXPECT_EQ(layout.always_slc(Pu{0}, Superblock{i}), i >= 21 && i < 24) << i;
    }
}

// Of 24 superblocks one is reserved and two are never full of data, as without a cache; three if some of the
// host's writes go to one mode only.
TEST(SlcCacheSize, OfADynamicCacheTakesNothingFromTheCapacity) {
    FirmwareConfig config = tiny_config();
    config.flash.blocks = kBlocks;
    config.flash.slc_pages = 4;
    config.slc_cache.size_bytes = (2 * 16 * 4 + 1) * 4096;
    const std::uint64_t without = max_exported_units(config);
    config.slc_cache.mode = SlcCacheMode::dynamic;
    EXPECT_EQ(slc_superblocks(config), 0U);
    EXPECT_EQ(most_dynamic_superblocks(config), 3U);
    EXPECT_EQ(max_exported_units(config), without);
    EXPECT_EQ(without, (24U - 1 - 2) * 32 * 4);
    config.slc_cache.largest_write_bytes = 4096;
    EXPECT_EQ(max_exported_units(config), (24U - 1 - 3) * 32 * 4) << "the one that is open in the cache";
    config.slc_cache.full = SlcCacheFull::fold;
    EXPECT_EQ(max_exported_units(config), (24U - 1 - 3) * 32 * 4);
    config.slc_cache.mode = SlcCacheMode::hybrid;
    config.slc_cache.static_bytes = 16 * 4 * 4096;
    EXPECT_EQ(slc_superblocks(config), 1U);
    EXPECT_EQ(most_dynamic_superblocks(config), 2U);
    EXPECT_EQ(max_exported_units(config), (24U - 2 - 3 - 1 - 1) * 32 * 4);
}

}  // namespace
}  // namespace solidtlm::fw::testing
