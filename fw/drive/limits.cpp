// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/limits.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "fw/drive/block_needs.h"
#include "fw/drive/virtual_block.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

namespace {

/// Superblocks of each parallel unit that hold `bytes` in SLC mode.
std::uint32_t in_slc_mode(const FirmwareConfig& config, std::uint64_t bytes) {
    const FlashLayout& flash = config.flash;
    if (flash.slc_pages == 0) {  // a block without a whole word line is refused elsewhere
        return 0;
    }
    const std::uint64_t row =  // one superblock of each parallel unit
        std::uint64_t{flash.channels} * flash.dies * flash.planes * flash.slc_pages * flash.page_bytes;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>((bytes + row - 1) / row, flash.blocks));
}

}  // namespace

std::uint32_t slc_superblocks(const FirmwareConfig& config) {
    const SlcCacheConfig& cache = config.slc_cache;
    if (!cache.has_static()) {
        return 0;
    }
    return in_slc_mode(config, cache.has_dynamic() ? cache.static_bytes : cache.size_bytes);
}

std::uint32_t most_dynamic_superblocks(const FirmwareConfig& config) {
    if (!config.slc_cache.has_dynamic()) {
        return 0;
    }
    const std::uint32_t all = in_slc_mode(config, config.slc_cache.size_bytes);
    return all - std::min(all, slc_superblocks(config));
}

std::uint32_t reserved_superblocks(const FirmwareConfig& config) {
    const SlcCacheConfig& cache = config.slc_cache;
    return config.kept_superblocks() + 2 + (cache.has_static() ? 1 + slc_superblocks(config) : 0) +
           (cache.has_dynamic() && cache.full == SlcCacheFull::fold ? 1 : 0);
}

MapAreaSize map_area_size(const FirmwareConfig& config, std::uint64_t exported_units) {
    if (config.map_cache.whole_map()) {
        return {};
    }
    const FlashLayout& flash = config.flash;
    const std::uint32_t bytes = config.map_cache.translation_page_bytes != 0
                                    ? config.map_cache.translation_page_bytes
                                    : std::bit_floor(flash.page_bytes);
    MapAreaSize size;
    size.entries = bytes / kMapEntryBytes;
    const auto whole = [](std::uint64_t amount, std::uint64_t part) {
        return static_cast<std::uint32_t>((amount + part - 1) / part);
    };
    size.translation_pages = whole(std::max<std::uint64_t>(1, exported_units), size.entries);
    const std::uint64_t blocks = std::uint64_t{2} * whole(size.translation_pages, flash.area_pages()) +
                                 std::uint64_t{kMapWorkingBlocks};
    size.superblocks = whole(blocks, std::uint64_t{flash.channels} * flash.dies * flash.planes);
    return size;
}

namespace {

std::uint64_t exported_units_of(const FirmwareConfig& config) {
    return (config.exported_sectors * hal::kSectorBytes + config.unit_bytes - 1) / config.unit_bytes;
}

}  // namespace

MapAreaSize map_area_size(const FirmwareConfig& config) {
    return map_area_size(config, exported_units_of(config));
}

std::uint32_t virtual_blocks(const FirmwareConfig& config) {
    return !config.dedup.any() ? 0
                               : static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                     config.dedup.shared_bytes / kSharedPageBytes, kMostVirtual));
}

RecoveryLogSize recovery_log_size(const FirmwareConfig& config, std::uint64_t exported_units) {
    if (config.recovery.trims == TrimPersistence::lazy && config.recovery.checkpoint_interval == 0 &&
        !config.dedup.any()) {
        return {};
    }
    const FlashLayout& flash = config.flash;
    const auto whole = [](std::uint64_t amount, std::uint64_t part) {
        return static_cast<std::uint32_t>((amount + part - 1) / part);
    };
    RecoveryLogSize size;
    const std::uint32_t room = flash.page_bytes - kLogHeaderBytes;
    size.entries_per_page = room / kMapEntryBytes;
    size.records_per_page = room / kLogRecordBytes;
    size.map_pages = whole(std::max<std::uint64_t>(1, exported_units), size.entries_per_page);
    size.checkpoint_pages = size.map_pages + whole(virtual_blocks(config), size.entries_per_page);
    const std::uint32_t saved =
        saved_by_capacitor(config.dedup) ? whole(kRecordsAtOnce, size.records_per_page) + kSparePages : 0;
    const std::uint32_t planes = flash.channels * flash.dies * flash.planes;
    const std::uint64_t blocks = std::uint64_t{whole(size.checkpoint_pages + saved, flash.area_pages())} + 1;
    size.superblocks = whole(2 * blocks, planes);
    size.bank_blocks = size.superblocks * planes / 2;
    return size;
}

RecoveryLogSize recovery_log_size(const FirmwareConfig& config) {
    return recovery_log_size(config, exported_units_of(config));
}

AreaSuperblocks area_superblocks(const FirmwareConfig& config, std::uint64_t exported_units) {
    return {map_area_size(config, exported_units).superblocks,
            recovery_log_size(config, exported_units).superblocks};
}

AreaSuperblocks area_superblocks(const FirmwareConfig& config) {
    return area_superblocks(config, exported_units_of(config));
}

std::uint32_t sum_of(const AreaSuperblocks& areas) {
    return std::accumulate(areas.begin(), areas.end(), 0U);
}

BlockTableSize block_table_size(const FirmwareConfig& config, std::uint32_t superblocks) {
    if (!config.by_block()) {
        return {};
    }
    const BlockGeometry geometry = block_geometry(config, superblocks);
    BlockTableSize size;
    size.logical_blocks = logical_blocks(config.translation, geometry);
    const TranslationTraits& traits = config.translation.traits;
    if (traits.own_page_table) {
        size.log_entries = geometry.logical_pages;
    } else if (traits.half_spare) {
        size.log_entries = size.logical_blocks * (geometry.pages - data_pages(config.translation, geometry));
    } else {
        size.log_entries = std::uint64_t{log_blocks(config, geometry)} * geometry.pages;
    }
    return size;
}

namespace {

/// Mapping units that remain for data besides the layer's log blocks and spare blocks.
std::uint64_t max_block_mapped_units(const FirmwareConfig& config, std::uint32_t superblocks) {
    FirmwareConfig empty = config;
    empty.exported_sectors = 0;
    const BlockGeometry geometry = block_geometry(empty, superblocks);
    const std::uint64_t kept = least_blocks(empty, geometry);
    return geometry.blocks > kept ? (geometry.blocks - kept) * data_pages(config.translation, geometry) : 0;
}

}  // namespace

std::uint64_t max_exported_units(const FirmwareConfig& config, std::uint32_t superblocks) {
    if (config.by_block()) {
        return max_block_mapped_units(config, superblocks);
    }
    const FlashLayout& flash = config.flash;
    const std::uint64_t planes_per_pu = planes_per_parallel_unit(config.allocation.order, flash.planes);
    const std::uint64_t pus = std::uint64_t{flash.channels} * flash.dies * flash.planes / planes_per_pu;
    const std::uint64_t units_per_superblock =
        std::uint64_t{flash.page_bytes / config.unit_bytes} * planes_per_pu * flash.pages;
    const std::uint32_t reserved = reserved_superblocks(config);
    // The more is left for data, the more the areas need: the largest amount with which they still fit.
    const auto set_aside = [&config](std::uint64_t units) { return sum_of(area_superblocks(config, units)); };
    for (std::uint32_t aside = set_aside(1); superblocks > reserved + aside;) {
        const std::uint64_t units = pus * (superblocks - reserved - aside) * units_per_superblock;
        if (set_aside(units) <= aside) {
            return units;
        }
        ++aside;
    }
    return 0;
}

std::uint64_t max_exported_units(const FirmwareConfig& config) {
    return max_exported_units(config, config.flash.blocks);
}

}  // namespace solidtlm::fw
