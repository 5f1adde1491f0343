// SPDX-License-Identifier: Apache-2.0
#include "fw/needs.h"

#include <algorithm>
#include <array>

#include "fw/block_map/needs.h"
#include "fw/buffer/needs.h"
#include "fw/dedup/needs.h"
#include "fw/flash/needs.h"
#include "fw/host/needs.h"
#include "fw/log/needs.h"
#include "fw/map_cache/needs.h"
#include "fw/page_map/needs.h"
#include "fw/read_cache/needs.h"

namespace solidtlm::fw {
namespace {

constexpr std::array kFlashAreas{&kMapArea, &kLogArea, &kBackupArea};

constexpr std::array kDramRegions{
    &kMapTable,    &kLogicalBlocks, &kBlockLogs,      &kMapCacheEntries, &kMapDirectory, &kMapBuffers,
    &kSharedPages, &kDedupTable,    &kUncheckedMarks, &kComparedUnits,   &kLogBuffers,   &kReadWindows,
    &kMovedPages,  &kWriteBuffer,   &kReadAhead,      &kBackupBuffers,   &kLogRecords,
};

constexpr std::array kRoomWorks{&kCommands, &kFetches,     &kDestaging, &kMoves,  &kMapWork,
                                &kLogWork,  &kPatrolReads, &kComparing, &kBackups};

/// `most`: RoomWork::operations or RoomWork::tasks.
std::uint64_t sum_of(decltype(&RoomWork::tasks) most, const FirmwareConfig& config,
                     const MediaLayout& layout) {
    std::uint64_t sum = 0;
    for (const RoomWork* work : kRoomWorks) {
        sum += (work->*most)(config, layout);
    }
    return sum;
}

}  // namespace

std::span<const FlashArea* const> flash_areas() {
    return kFlashAreas;
}

std::span<const DramRegion* const> dram_regions() {
    return kDramRegions;
}

FlashPlan flash_plan(const FirmwareConfig& config, std::uint64_t exported_units) {
    FlashPlan plan;
    for (const FlashArea* area : kFlashAreas) {
        plan.areas.push_back({area, area->superblocks(config, exported_units)});
    }
    plan.slc = slc_superblocks(config);
    return plan;
}

MediaLayout media_layout(const FirmwareConfig& config) {
    return MediaLayout(config, flash_plan(config, config.exported_units()));
}

MediaLayout media_layout(const FirmwareConfig& config, const hal::FactoryMarks& flash) {
    return MediaLayout(config, flash_plan(config, config.exported_units()), flash);
}

DramMap dram_map(const FirmwareConfig& config, const MediaLayout& layout) {
    return DramMap(kDramRegions, config, layout);
}

std::uint64_t max_exported_units(const FirmwareConfig& config) {
    return max_exported_units(config, config.flash.blocks);
}

std::uint64_t max_exported_units(const FirmwareConfig& config, std::uint32_t superblocks) {
    const auto most_units = config.by_block() ? most_block_mapped_units : most_mapped_units;
    // The more is left for data, the more the areas need: the largest amount with which they still fit.
    for (std::uint32_t aside = flash_plan(config, 1).set_aside(); aside < superblocks; ++aside) {
        const std::uint64_t units = most_units(config, superblocks - aside);
        if (units == 0 || flash_plan(config, units).set_aside() <= aside) {
            return units;
        }
    }
    return 0;
}

std::uint64_t most_flash_operations(const FirmwareConfig& config, const MediaLayout& layout) {
    // One for each die of a group (ParityFlash), each page of a word line (WordLineFlash), or each plane of
    // a read (BackupFlash).
    const std::uint32_t parts = config.flash.page_by_page           ? config.flash.pages_per_program
                                : config.flash.copies_lower_pages() ? config.flash.planes
                                                                    : 1;
    return sum_of(&RoomWork::operations, config, layout) * std::max(1U, config.reliability.parity_dies) *
           parts;
}

std::uint64_t most_tasks(const FirmwareConfig& config, const MediaLayout& layout) {
    const FlashLayout& flash = config.flash;
    const std::uint64_t blocks = std::uint64_t{flash.total_planes()} * flash.blocks;
    std::uint64_t tasks = sum_of(&RoomWork::tasks, config, layout) + 1 + blocks;
    if (!config.map_cache.whole_map()) {
        tasks *= 2;
    }
    const bool layer = config.reliability.parity() || flash.page_by_page || flash.copies_lower_pages();
    return tasks + (layer ? sum_of(&RoomWork::operations, config, layout) + blocks : 0);
}

std::uint32_t spare_superblocks(const FirmwareConfig& config, const MediaLayout& layout) {
    const std::uint32_t good = layout.good_superblocks();
    std::uint32_t spare = 0;
    while (spare + 1 < good && max_exported_units(config, good - spare - 1) >= layout.exported_units()) {
        ++spare;
    }
    return spare;
}

}  // namespace solidtlm::fw
