// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/needs.h"

#include <algorithm>

#include "fw/drive/layout.h"
#include "fw/flash/needs.h"

namespace solidtlm::fw {

std::uint32_t reserved_superblocks(const FirmwareConfig& config) {
    return config.kept_superblocks() + 2 + superblocks_kept_by_slc(config);
}

std::uint64_t most_mapped_units(const FirmwareConfig& config, std::uint32_t superblocks) {
    const FlashLayout& flash = config.flash;
    const std::uint64_t planes_per_pu = planes_per_parallel_unit(config.allocation.order, flash.planes);
    const std::uint64_t units_per_superblock =
        std::uint64_t{flash.page_bytes / config.unit_bytes} * planes_per_pu * flash.pages;
    const std::uint32_t gone =
        flash.blocks - std::min(flash.blocks, superblocks) + reserved_superblocks(config);
    if (flash.least_blocks() <= gone) {
        return 0;
    }
    std::uint64_t left = 0;  // superblocks of one parallel unit of each die
    for (std::uint32_t die = 0; die < flash.die_places(); ++die) {
        left += flash.blocks_of(die) > 0 ? flash.blocks_of(die) - gone : 0;
    }
    return left * (flash.planes / planes_per_pu) * units_per_superblock;
}

}  // namespace solidtlm::fw
