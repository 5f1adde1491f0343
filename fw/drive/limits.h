// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fw/drive/config.h"

namespace solidtlm::fw {

/// Planes that are programmed and erased together: all of a die if the allocation order varies the plane
/// fastest, otherwise one.
constexpr std::uint32_t planes_per_parallel_unit(std::string_view order, std::uint32_t planes_per_die) {
    return order.starts_with('P') ? planes_per_die : 1;
}

/// Superblocks of a parallel unit that can never hold exported data: the free ones that host writes may not
/// touch, the open one of garbage collection, and one superblock's worth of invalid units without which
/// collecting a victim would not gain a free superblock; with a static SLC cache also its own, and one more,
/// so that folding finds space in the end. Superblocks that a dynamic SLC cache has taken need no reserve:
/// emptying one gains more space than emptying any other. But if the host always writes to the cache, one
/// superblock in normal mode may stay unfinished.
std::uint32_t reserved_superblocks(const FirmwareConfig& config);

/// Superblocks of each parallel unit that are always in SLC mode.
std::uint32_t slc_superblocks(const FirmwareConfig& config);

/// The most superblocks of each parallel unit that may be in SLC mode besides slc_superblocks().
std::uint32_t most_dynamic_superblocks(const FirmwareConfig& config);

constexpr std::uint32_t kMapEntryBytes = 4;  ///< bytes of a map entry: a Ppa

/// Blocks of the map area in addition to those that hold the translation pages: a write frontier, the
/// frontier of collection, one that collection keeps free, and two that let it begin in time.
constexpr std::uint32_t kMapWorkingBlocks = 5;

/// The map on flash. All 0 if the whole map is in DRAM.
struct MapAreaSize {
    std::uint32_t entries = 0;            ///< per translation page, 4 bytes each; a power of two
    std::uint32_t translation_pages = 0;  ///< one NAND page each
    std::uint32_t superblocks = 0;        ///< of each parallel unit, reserved for the map area
};

/// Twice the blocks that the translation pages fill, so that half of a block is out of date before it is
/// collected; and the blocks that writing and collecting keep open or free.
MapAreaSize map_area_size(const FirmwareConfig& config, std::uint64_t exported_units);
/// For the exported capacity of `config`.
MapAreaSize map_area_size(const FirmwareConfig& config);

constexpr std::uint32_t kLogicalBlockBytes = 8;  ///< table entry of a logical block: data block and log

/// Tables of a block-mapped layer in DRAM (docs/block-map.md, "In the firmware"). Both 0 for page_map.
struct BlockTableSize {
    std::uint64_t logical_blocks = 0;  ///< kLogicalBlockBytes each
    std::uint64_t log_entries = 0;     ///< pages of the logs, kMapEntryBytes each
};
BlockTableSize block_table_size(const FirmwareConfig& config, std::uint32_t superblocks);

/// Virtual blocks of shared pages; 0 without deduplication.
std::uint32_t virtual_blocks(const FirmwareConfig& config);

/// True if a capacitor's energy writes the records that wait in the recovery log when power is lost.
inline bool saved_by_capacitor(const DedupConfig& dedup) {
    return dedup.online() && dedup.protection == DedupProtection::capacitor;
}
/// How many records of duplicates may be noted after accepts() of RecoveryLog has returned true.
constexpr std::uint32_t kRecordsAtOnce = 64;
/// Spare pages besides those for the waiting records: one for the journal page that is being programmed, and
/// one in case a program fails.
constexpr std::uint32_t kSparePages = 2;

constexpr std::uint32_t kLogHeaderBytes = 32;  ///< header of a page of the recovery log
constexpr std::uint32_t kLogRecordBytes = 16;  ///< of a record in a journal page

/// The recovery log on flash (fw/log/recovery_log.h). All 0 without one.
struct RecoveryLogSize {
    std::uint32_t entries_per_page = 0;  ///< entries of the map or of shared pages per checkpoint page
    std::uint32_t records_per_page = 0;  ///< records per journal page
    std::uint32_t map_pages = 0;         ///< pages of one checkpoint that hold the map
    std::uint32_t checkpoint_pages = 0;  ///< all pages of one checkpoint; shared pages come last
    std::uint32_t bank_blocks = 0;       ///< blocks of each of the two banks
    std::uint32_t superblocks = 0;       ///< of each parallel unit, reserved for the log
};

/// Each bank holds a checkpoint and at least one block of journal pages; with a capacitor also the pages that
/// it may have to write.
RecoveryLogSize recovery_log_size(const FirmwareConfig& config, std::uint64_t exported_units);
/// For the exported capacity of `config`.
RecoveryLogSize recovery_log_size(const FirmwareConfig& config);

/// What flash holds beside the data: in each parallel unit some superblocks after those of the data, in this
/// order.
enum class FlashArea : std::uint8_t { map, log };
constexpr std::size_t kFlashAreas = 2;
/// By FlashArea: superblocks of each parallel unit.
using AreaSuperblocks = std::array<std::uint32_t, kFlashAreas>;
AreaSuperblocks area_superblocks(const FirmwareConfig& config, std::uint64_t exported_units);
/// For the exported capacity of `config`.
AreaSuperblocks area_superblocks(const FirmwareConfig& config);
/// Of all areas together.
std::uint32_t sum_of(const AreaSuperblocks& areas);

/// The most mapping units that the firmware can export and still serve every write while all of them hold
/// data, if all blocks are good. 0 if the geometry is too small. Uses flash, unit_bytes, translation,
/// allocation, gc, map_cache, block_map, recovery and dedup of `config`.
std::uint64_t max_exported_units(const FirmwareConfig& config);

/// As above, for parallel units with only `superblocks` good superblocks each.
std::uint64_t max_exported_units(const FirmwareConfig& config, std::uint32_t superblocks);

}  // namespace solidtlm::fw
