// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/block_needs.h"

#include <algorithm>
#include <limits>

#include "fw/drive/limits.h"
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
    geometry.logical_pages = static_cast<std::uint32_t>(
        (config.exported_sectors * hal::kSectorBytes + config.unit_bytes - 1) / config.unit_bytes);
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

}  // namespace solidtlm::fw
