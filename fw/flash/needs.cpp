// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/needs.h"

#include <algorithm>

namespace solidtlm::fw {
namespace {

/// A superblock of each parallel unit.
std::uint64_t row_in_slc_mode(const FlashLayout& flash) {
    return std::uint64_t{flash.total_planes()} * flash.slc_pages * flash.page_bytes;
}

/// Superblocks of each parallel unit that hold `bytes` in SLC mode.
std::uint32_t in_slc_mode(const FirmwareConfig& config, std::uint64_t bytes) {
    const FlashLayout& flash = config.flash;
    if (flash.slc_pages == 0) {  // a block without a whole word line is refused elsewhere
        return 0;
    }
    const std::uint64_t row = row_in_slc_mode(flash);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>((bytes + row - 1) / row, flash.blocks));
}

}  // namespace

std::uint64_t bytes_in_slc_mode(const FirmwareConfig& config) {
    return row_in_slc_mode(config.flash) * config.flash.blocks;
}

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

std::uint32_t superblocks_kept_by_slc(const FirmwareConfig& config) {
    const SlcCacheConfig& cache = config.slc_cache;
    return (cache.has_static() ? 1 + slc_superblocks(config) : 0) +
           (cache.has_dynamic() && (cache.full == SlcCacheFull::fold || cache.by_length()) ? 1 : 0);
}

std::uint32_t backup_copies(const FirmwareConfig& config, std::uint32_t word_lines) {
    const std::vector<std::uint32_t>& below = config.flash.page_below;
    std::uint32_t earlier = 0;
    for (std::uint32_t page = 0; page < below.size(); ++page) {
        std::uint32_t pages = 0;
        for (std::uint32_t at = page; below[at] != at; at = below[at]) {
            ++pages;
        }
        earlier = std::max(earlier, pages);
    }
    return earlier * word_lines;
}

}  // namespace solidtlm::fw
