// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/needs.h"

#include <algorithm>
#include <limits>

#include "fw/hal/check.h"

namespace solidtlm::fw {

BlockGeometry block_geometry(const FirmwareConfig& config, std::uint32_t superblocks) {
    const FlashLayout& flash = config.flash;
    SOLIDTLM_CHECK(config.unit_bytes == flash.page_bytes, "a mapping unit is a page");
    const std::uint32_t planes = planes_per_parallel_unit(config.allocation.order, flash.planes);
    const std::uint32_t pus = flash.channels * flash.dies * flash.planes / planes;
    const bool full = config.allocation.striping == StripingMode::full;
    BlockGeometry geometry;
    geometry.blocks = full ? superblocks : superblocks * pus;
    geometry.columns = full ? planes * pus : planes;
    geometry.pages = flash.pages * geometry.columns;
    geometry.logical_pages = static_cast<std::uint32_t>(config.exported_units());
    geometry.ascending_pages = flash.ascending_pages;
    return geometry;
}

std::uint32_t data_pages(const TranslationPlan& plan, const BlockGeometry& geometry) {
    const std::uint32_t rows = geometry.pages / geometry.columns;
    return plan.traits.half_spare ? geometry.columns * (rows / 2) : geometry.pages;
}

std::uint32_t logical_blocks(const TranslationPlan& plan, const BlockGeometry& geometry) {
    const std::uint64_t pages = data_pages(plan, geometry);
    if (pages == 0) {
        return std::numeric_limits<std::uint32_t>::max();
    }
    return static_cast<std::uint32_t>((geometry.logical_pages + pages - 1) / pages);
}

std::uint32_t log_blocks(const FirmwareConfig& config, const BlockGeometry& geometry) {
    const std::uint32_t least = config.translation.traits.least_logs;
    if (least == 0 || config.block_map.log_blocks != 0) {
        return least == 0 ? 0 : config.block_map.log_blocks;
    }
    const std::uint64_t used = std::uint64_t{logical_blocks(config.translation, geometry)} + kSpareBlocks;
    const std::uint64_t left = geometry.blocks > used ? geometry.blocks - used : 0;
    const std::uint64_t share = std::uint64_t{geometry.blocks} * kAutomaticLogPercent / 100;
    return std::max(least, static_cast<std::uint32_t>(std::min(share, left)));
}

std::uint64_t least_blocks(const FirmwareConfig& config, const BlockGeometry& geometry) {
    const std::uint32_t least = config.translation.traits.least_logs;
    const std::uint32_t logs = least == 0 ? 0 : std::max(least, config.block_map.log_blocks);
    return std::uint64_t{logical_blocks(config.translation, geometry)} + logs + kSpareBlocks;
}

std::uint64_t most_block_mapped_units(const FirmwareConfig& config, std::uint32_t superblocks) {
    FirmwareConfig empty = config;
    empty.exported_sectors = 0;
    const BlockGeometry geometry = block_geometry(empty, superblocks);
    const std::uint64_t kept = least_blocks(empty, geometry);
    return geometry.blocks > kept ? (geometry.blocks - kept) * data_pages(config.translation, geometry) : 0;
}

BlockTableSize block_table_size(const FirmwareConfig& config, std::uint32_t superblocks) {
    if (!config.by_block()) {
        return {};
    }
    const BlockGeometry geometry = block_geometry(config, superblocks);
    BlockTableSize size;
    size.logical_blocks = logical_blocks(config.translation, geometry);
    if (config.translation.traits.half_spare) {
        size.log_entries = size.logical_blocks * (geometry.pages - data_pages(config.translation, geometry));
    } else {
        size.log_entries = std::uint64_t{log_blocks(config, geometry)} * geometry.pages;
    }
    return size;
}

constexpr DramRegion kLogicalBlocks{
    "map table", {"firmware.translation"}, [](const FirmwareConfig& config, const MediaLayout& layout) {
        return block_table_size(config, layout.superblocks()).logical_blocks * kLogicalBlockBytes;
    }};
constexpr DramRegion kBlockLogs{"map table",
                                {"firmware.translation", "firmware.block_map.log_blocks"},
                                [](const FirmwareConfig& config, const MediaLayout& layout) {
                                    return block_table_size(config, layout.superblocks()).log_entries *
                                           kMapEntryBytes;
                                }};

}  // namespace solidtlm::fw
