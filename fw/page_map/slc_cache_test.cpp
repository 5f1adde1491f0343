// SPDX-License-Identifier: Apache-2.0
//
// Drives with an SLC cache on fake hardware, which refuses the wrong mode and pages that a block does not
// have in its mode.
#include <gtest/gtest.h>

#include <array>

#include "fw/flash/needs.h"
#include "fw/needs.h"
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
    config.dedup.idle_threshold = std::chrono::microseconds(seed % 7 * 300);
    export_everything(config);
    return config;
}

class SlcCache : public ::testing::TestWithParam<int> {
  protected:
    const std::uint64_t seed = static_cast<std::uint64_t>(GetParam());
};

TEST_P(SlcCache, ReturnsWhatWasWritten) {
    EXPECT_GT(serve(cached(seed), seed, 2000).at("slc_cache.written_units"), 0.0);
}

TEST_P(SlcCache, LosesNothingInPowerCuts) {
    FirmwareConfig config = cached(seed);
    config.exported_sectors = config.exported_sectors * 8 / 10 / 16 * 16;
    survive(config, seed, 8);
}

TEST_P(SlcCache, LosesNothingInPowerCutsWithALogAndACachedMap) {
    FirmwareConfig config = cached(seed);
    keep_log(config, seed);
    cache_map(config, seed);
    survive(config, seed, 6);
}

TEST_P(SlcCache, LosesNothingWhenFlashFails) {
    FirmwareConfig config = cached(seed);
    config.exported_sectors = config.exported_sectors * 6 / 10 / 16 * 16;
    (void)grow_bad_blocks(config, 0.001, 0.002, 2000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlcCache, ::testing::Range(1, usual_or_sanitized(55, 10)));

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

// Of 24 superblocks one is reserved and two are never full of data, as without a cache; three if the host
// writes only to the cache.
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
