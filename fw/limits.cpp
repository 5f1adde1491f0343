// SPDX-License-Identifier: Apache-2.0
#include "fw/limits.h"

namespace solidtlm::fw {

std::uint64_t max_exported_units(const FirmwareConfig& config, std::uint32_t superblocks) {
    const FlashLayout& flash = config.flash;
    const std::uint64_t planes_per_pu = planes_per_parallel_unit(config.allocation.order, flash.planes);
    const std::uint64_t pus = std::uint64_t{flash.channels} * flash.dies * flash.planes / planes_per_pu;
    const std::uint64_t units_per_superblock =
        std::uint64_t{flash.page_bytes / config.unit_bytes} * planes_per_pu * flash.pages;
    if (superblocks <= reserved_superblocks(config)) {
        return 0;
    }
    return pus * (superblocks - reserved_superblocks(config)) * units_per_superblock;
}

std::uint64_t max_exported_units(const FirmwareConfig& config) {
    return max_exported_units(config, config.flash.blocks);
}

}  // namespace solidtlm::fw
