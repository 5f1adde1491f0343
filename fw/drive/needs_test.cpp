// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/needs.h"

#include <gtest/gtest.h>

#include <array>

#include "fw/drive/dram_map.h"
#include "fw/drive/layout.h"

namespace solidtlm::fw {
namespace {

// Two rooms that no drive has. The first area takes a superblock, and one more for each 100 units.
constexpr FlashArea kSmall{"a small area", {}, [](const FirmwareConfig& /*config*/, std::uint64_t units) {
                               return 1 + static_cast<std::uint32_t>(units / 100);
                           }};
constexpr FlashArea kNone{"an area without superblocks",
                          {},
                          [](const FirmwareConfig& /*config*/, std::uint64_t /*units*/) { return 0U; }};
constexpr FlashArea kLast{
    "the last area", {}, [](const FirmwareConfig& /*config*/, std::uint64_t /*units*/) { return 2U; }};

constexpr DramRegion kByUnit{
    "units", {}, [](const FirmwareConfig& config, const MediaLayout& layout) -> std::uint64_t {
        return std::uint64_t{layout.pus()} * config.unit_bytes + 1;
    }};
constexpr DramRegion kEmpty{
    "nothing", {}, [](const FirmwareConfig& /*config*/, const MediaLayout& /*layout*/) -> std::uint64_t {
        return 0;
    }};
constexpr DramRegion kByte{
    "a byte", {}, [](const FirmwareConfig& /*config*/, const MediaLayout& /*layout*/) -> std::uint64_t {
        return 1;
    }};

/// 2 channels of 2 dies, 20 blocks.
FirmwareConfig config_of_20_blocks() {
    FirmwareConfig config;
    config.flash = FlashLayout{2, 2, 1, 1, 20, 4, 8192};
    config.exported_sectors = 8 * 250;  // 250 units of 4 KiB
    return config;
}

FlashPlan plan_of(const FirmwareConfig& config) {
    FlashPlan plan;
    for (const FlashArea* area : {&kSmall, &kNone, &kLast}) {
        plan.areas.push_back({area, area->superblocks(config, config.exported_units())});
    }
    return plan;
}

// 20 superblocks: 3 of the first area, none of the second, 2 of the third, so 15 of the data.
TEST(FlashPlan, AreasFollowTheDataAndEachOther) {
    const FirmwareConfig config = config_of_20_blocks();
    const FlashPlan plan = plan_of(config);
    EXPECT_EQ(plan.set_aside(), 5U);
    const MediaLayout layout(config, plan);
    EXPECT_EQ(layout.superblocks(), 15U);
    EXPECT_EQ(layout.good_superblocks(), 20U);
    EXPECT_EQ(layout.superblocks(kSmall), 3U);
    EXPECT_EQ(layout.first(kSmall), Superblock{15});
    EXPECT_EQ(layout.superblocks(kNone), 0U);
    EXPECT_EQ(layout.first(kNone), Superblock{18});
    EXPECT_EQ(layout.first(kLast), Superblock{18});
}

TEST(FlashPlan, TheLastSuperblocksOfTheDataAreInSlcMode) {
    const FirmwareConfig config = config_of_20_blocks();
    FlashPlan plan = plan_of(config);
    plan.slc = 4;
    const MediaLayout layout(config, plan);
    for (std::uint32_t i = 0; i < 20; ++i) {
        EXPECT_EQ(layout.always_slc(Pu{0}, Superblock{i}), i >= 11 && i < 15) << i;
    }
}

// 4 parallel units of 4,096 bytes and a byte: 20,480 bytes in whole pages of 4,096.
TEST(DramMap, RegionsFollowEachOtherAligned) {
    const FirmwareConfig config = config_of_20_blocks();
    const MediaLayout layout(config, plan_of(config));
    const std::array regions{&kByUnit, &kEmpty, &kByte};
    const DramMap map(regions, config, layout);
    EXPECT_EQ(map[kByUnit].value, 0U);
    EXPECT_EQ(map.bytes(kByUnit), 20'480U);
    EXPECT_EQ(map[kEmpty].value, 20'480U);
    EXPECT_EQ(map.bytes(kEmpty), 0U);
    EXPECT_EQ(map[kByte].value, 20'480U);
    EXPECT_EQ(map.bytes(kByte), 4096U);
    EXPECT_EQ(map.end(), 24'576U);
    EXPECT_EQ(map.places().size(), 3U);
}

}  // namespace
}  // namespace solidtlm::fw
