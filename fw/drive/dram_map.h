// SPDX-License-Identifier: Apache-2.0
//
// The layout of the DRAM buffer.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/drive/limits.h"

namespace solidtlm::fw {

using hal::DramAddress;

constexpr std::uint32_t kDramLineBytes = 64;  ///< one burst: the least that the core reads
constexpr std::uint32_t kMapEntriesPerLine = kDramLineBytes / kMapEntryBytes;

struct DramMap {
    DramAddress map_table;    ///< 4 bytes per mapping unit, if the whole map is in DRAM
    DramAddress block_table;  ///< block-mapped layers: kLogicalBlockBytes per logical block
    DramAddress log_table;    ///< block-mapped layers: kMapEntryBytes per page of the logs
    DramAddress map_cache;    ///< if the map is cached: map_cache.size_bytes
    DramAddress map_pages;  ///< if cached: the directory, and the owner of each page of the map area; 4 bytes
                            ///< each
    DramAddress map_buffers;   ///< if cached: translation pages in transfer, kMapMoves and kMapJobs
    DramAddress dedup_shared;  ///< with deduplication: shared pages, dedup.shared_bytes
    DramAddress dedup_table;   ///< fingerprints or CRC32 values: dedup.table_bytes
    DramAddress dedup_marks;   ///< pages not yet checked, one bit each
    DramAddress dedup_pages;   ///< two mapping units that are compared
    DramAddress log_buffers;   ///< pages of the recovery log in transfer: kLogJobs; only with a log
    DramAddress read_windows;  ///< two segments per command slot
    DramAddress gc_buffers;    ///< gc.pipeline_depth superpages per parallel unit, for GC or merges
    DramAddress write_buffer;
    DramAddress read_cache;  ///< read_cache.size_bytes
    std::uint64_t end = 0;   ///< bytes needed in total

    static constexpr std::uint32_t kMapMoves = 4;  ///< moves by the map area's own garbage collection
    static constexpr std::uint32_t kMapJobs = 16;  ///< misses, write-backs and updates by data collection
    static constexpr std::uint32_t kLogJobs = 16;

    DramMap(const FirmwareConfig& config, const MediaLayout& layout) {
        std::uint64_t next = 0;
        const auto reserve = [&next](std::uint64_t bytes) {
            const DramAddress at{next};
            next += (bytes + kAlignment - 1) / kAlignment * kAlignment;
            return at;
        };
        const MapAreaSize map = map_area_size(config);
        const std::uint64_t map_pages_on_flash =
            std::uint64_t{map.superblocks} * layout.pus() * layout.planes_per_pu() * layout.area_pages();
        const bool whole = map.translation_pages == 0;
        const BlockTableSize blocks = block_table_size(config, layout.superblocks());
        map_table = reserve(
            whole && !config.by_block() ? std::uint64_t{layout.exported_units()} * kMapEntryBytes : 0);
        block_table = reserve(blocks.logical_blocks * kLogicalBlockBytes);
        log_table = reserve(blocks.log_entries * kMapEntryBytes);
        map_cache = reserve(whole ? 0 : config.map_cache.size_bytes);
        map_pages = reserve((map.translation_pages + map_pages_on_flash) * kMapEntryBytes);
        map_buffers = reserve(whole ? 0 : std::uint64_t{kMapMoves + kMapJobs} * map.entries * kMapEntryBytes);
        const bool dedup = config.dedup.any();
        const std::uint64_t units =
            std::uint64_t{layout.pus()} * layout.superblocks() * layout.units_per_superblock();
        dedup_shared = reserve(dedup ? config.dedup.shared_bytes : 0);
        dedup_table = reserve(dedup ? config.dedup.table_bytes : 0);
        dedup_marks = reserve(config.dedup.system.traits.marks ? (units + 7) / 8 : 0);
        dedup_pages = reserve(dedup ? std::uint64_t{2} * config.unit_bytes : 0);
        const bool log = recovery_log_size(config).superblocks > 0;
        log_buffers = reserve(log ? std::uint64_t{kLogJobs} * config.flash.page_bytes : 0);
        read_windows = reserve(std::uint64_t{config.command_slots} * 2 * config.read_segment_bytes);
        gc_buffers = reserve(std::uint64_t{layout.pus()} * config.gc.pipeline_depth *
                             layout.units_per_superpage() * config.unit_bytes);
        write_buffer = reserve(config.write_buffer.size_bytes);
        read_cache = reserve(config.read_cache.size_bytes);
        end = next;
    }

  private:
    static constexpr std::uint64_t kAlignment = 4096;
};

}  // namespace solidtlm::fw
