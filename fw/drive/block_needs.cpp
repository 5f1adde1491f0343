// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/block_needs.h"

#include <algorithm>
#include <array>
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

std::string_view translation_layer_name(TranslationLayer layer) {
    static constexpr std::array<std::string_view, 7> kNames{"page_map", "fmax", "bast",      "fast",
                                                            "mtbs",     "kast", "superblock"};
    return kNames[static_cast<std::size_t>(layer)];
}

std::uint32_t data_pages(TranslationLayer layer, const BlockGeometry& geometry) {
    const std::uint32_t rows = geometry.pages / geometry.columns;
    return layer == TranslationLayer::mtbs ? geometry.columns * (rows / 2) : geometry.pages;
}

std::uint32_t logical_blocks(TranslationLayer layer, const BlockGeometry& geometry) {
    const std::uint64_t pages = data_pages(layer, geometry);
    if (pages == 0) {
        return std::numeric_limits<std::uint32_t>::max();
    }
    return static_cast<std::uint32_t>((geometry.logical_pages + pages - 1) / pages);
}

std::uint32_t least_log_blocks(TranslationLayer layer) {
    switch (layer) {
        case TranslationLayer::page_map:
        case TranslationLayer::mtbs:
            return 0;
        case TranslationLayer::fmax:
        case TranslationLayer::bast:
        case TranslationLayer::superblock:
            return 1;
        case TranslationLayer::fast:
        case TranslationLayer::kast:
            return 2;
    }
    return 0;
}

std::uint32_t log_blocks(const FirmwareConfig& config, const BlockGeometry& geometry) {
    const std::uint32_t least = least_log_blocks(config.translation);
    if (least == 0 || config.block_map.log_blocks != 0) {
        return least == 0 ? 0 : config.block_map.log_blocks;
    }
    const std::uint64_t used = std::uint64_t{logical_blocks(config.translation, geometry)} + kSpareBlocks;
    const std::uint64_t left = geometry.blocks > used ? geometry.blocks - used : 0;
    const std::uint64_t share = std::uint64_t{geometry.blocks} * kAutomaticLogPercent / 100;
    return std::max(least, static_cast<std::uint32_t>(std::min(share, left)));
}

std::uint64_t least_blocks(const FirmwareConfig& config, const BlockGeometry& geometry) {
    const std::uint32_t least = least_log_blocks(config.translation);
    const std::uint32_t logs = least == 0 ? 0 : std::max(least, config.block_map.log_blocks);
    return std::uint64_t{logical_blocks(config.translation, geometry)} + logs + kSpareBlocks;
}

}  // namespace solidtlm::fw
