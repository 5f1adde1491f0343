// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/needs.h"

#include <algorithm>
#include <bit>

#include "fw/flash/needs.h"

namespace solidtlm::fw {
namespace {

constexpr NeedKeys kCacheKeys{"firmware.map_cache.size", "firmware.map_cache.policy"};

std::uint64_t table_bytes(const FirmwareConfig& config, const MediaLayout& layout) {
    return config.map_cache.whole_map() && !config.by_block()
               ? std::uint64_t{layout.exported_units()} * kMapEntryBytes
               : 0;
}

std::uint64_t cache_bytes(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return config.map_cache.whole_map() ? 0 : config.map_cache.size_bytes;
}

std::uint64_t directory_bytes(const FirmwareConfig& config, const MediaLayout& layout) {
    const MapAreaSize map = map_area_size(config);
    const std::uint64_t pages_on_flash =
        std::uint64_t{map.superblocks} * layout.pus() * layout.planes_per_pu() * layout.area_pages();
    return (map.translation_pages + pages_on_flash) * kMapEntryBytes;
}

std::uint64_t buffer_bytes(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return std::uint64_t{kMapMoves + kMapJobs} * map_area_size(config).entries * kMapEntryBytes;
}

std::uint64_t most_operations(const FirmwareConfig& config, const MediaLayout& layout) {
    return config.map_cache.whole_map() ? 0 : kMapMoves + kMapJobs + layout.pus() * layout.planes_per_pu();
}

std::uint64_t most_of_tasks(const FirmwareConfig& config, const MediaLayout& layout) {
    constexpr std::uint64_t kShared = 4;  // two entries, both while the host is idle and while it writes
    return config.map_cache.whole_map()
               ? 0
               : most_operations(config, layout) + 1 + kMoves.operations(config, layout) + kShared;
}

}  // namespace

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
    size.translation_pages = parts_of(std::max<std::uint64_t>(1, exported_units), size.entries);
    const std::uint64_t blocks = std::uint64_t{2} * parts_of(size.translation_pages, flash.area_pages()) +
                                 std::uint64_t{kMapWorkingBlocks};
    size.superblocks = parts_of(blocks, flash.total_planes());
    return size;
}

MapAreaSize map_area_size(const FirmwareConfig& config) {
    return map_area_size(config, config.exported_units());
}

constexpr DramRegion kMapTable{"map table", {}, table_bytes};
constexpr DramRegion kMapCacheEntries{"map table", kCacheKeys, cache_bytes};
constexpr DramRegion kMapDirectory{"map table", kCacheKeys, directory_bytes};
constexpr DramRegion kMapBuffers{"map table", kCacheKeys, buffer_bytes};

constexpr RoomWork kMapWork{"the map", most_operations, most_of_tasks};

}  // namespace solidtlm::fw
