// SPDX-License-Identifier: Apache-2.0
//
// What the rooms need together. Each room declares its areas of flash, its regions of DRAM and its work in
// its needs.h; the tables in needs.cpp list them, areas and regions in the order in which they lie.
#pragma once

#include <cstdint>
#include <span>

#include "fw/drive/dram_map.h"
#include "fw/drive/layout.h"
#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// What lies on flash behind the data.
[[nodiscard]] std::span<const FlashArea* const> flash_areas();
/// What lies in DRAM.
[[nodiscard]] std::span<const DramRegion* const> dram_regions();

/// For a drive that exports `exported_units`.
[[nodiscard]] FlashPlan flash_plan(const FirmwareConfig& config, std::uint64_t exported_units);

/// For the exported capacity of `config`, if all blocks are good.
[[nodiscard]] MediaLayout media_layout(const FirmwareConfig& config);
/// Leaves out the blocks that `flash` marks as factory-bad.
[[nodiscard]] MediaLayout media_layout(const FirmwareConfig& config, const hal::FactoryMarks& flash);
[[nodiscard]] DramMap dram_map(const FirmwareConfig& config, const MediaLayout& layout);

/// The most mapping units that the firmware can export and still serve every write while all of them hold
/// data, if all blocks are good. 0 if the geometry is too small. Uses flash, unit_bytes, translation,
/// allocation, gc, map_cache, block_map, recovery and dedup of `config`.
[[nodiscard]] std::uint64_t max_exported_units(const FirmwareConfig& config);
/// As above, if of flash.blocks only `superblocks` are good; dies that have fewer blocks lose as many.
[[nodiscard]] std::uint64_t max_exported_units(const FirmwareConfig& config, std::uint32_t superblocks);

/// Flash operations that the firmware has outstanding at once at most, besides erases.
[[nodiscard]] std::uint64_t most_flash_operations(const FirmwareConfig& config, const MediaLayout& layout);

/// Tasks that the firmware has spawned at once at most: those that the rooms declare and the one that boots;
/// one for each block that is erased, or read at a boot as part of the log; for each of these one that serves
/// the miss of the map cache for which it waits; and one for each operation and erase in a layer on top of
/// the flash.
[[nodiscard]] std::uint64_t most_tasks(const FirmwareConfig& config, const MediaLayout& layout);

/// Superblocks of each parallel unit that could be lost and the exported capacity would still fit.
[[nodiscard]] std::uint32_t spare_superblocks(const FirmwareConfig& config, const MediaLayout& layout);

}  // namespace solidtlm::fw
