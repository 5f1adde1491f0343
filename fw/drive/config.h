// SPDX-License-Identifier: Apache-2.0
//
// Validated parameters of the firmware, and the geometry it was built for. The keys of a room stand in its
// config.h, which includes nothing but fw/hal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fw/block_map/config.h"
#include "fw/buffer/config.h"
#include "fw/dedup/config.h"
#include "fw/flash/config.h"
#include "fw/gc/config.h"
#include "fw/hal/key.h"
#include "fw/hal/types.h"
#include "fw/log/config.h"
#include "fw/map_cache/config.h"
#include "fw/read_cache/config.h"
#include "fw/translation/config.h"

namespace solidtlm::fw {

using hal::Ps;

/// The flash array as firmware sees it.
struct FlashLayout {
    std::uint32_t channels = 1;
    std::uint32_t dies = 1;  ///< per channel
    std::uint32_t dies_per_way = 1;
    std::uint32_t planes = 1;
    std::uint32_t blocks = 1;  ///< per plane
    std::uint32_t pages = 1;   ///< per block
    std::uint32_t page_bytes = 4096;
    bool ascending_pages = true;  ///< a block's pages can only be programmed in ascending order
    bool same_block = false;      ///< multi-plane operations need equal block numbers
    std::uint32_t slc_pages = 0;  ///< per block in SLC mode
    /// Pages of a plane that one superpage holds: 1, or all pages of a word line, which one operation
    /// programs (with `page_by_page`: several, one after the other).
    std::uint32_t pages_per_program = 1;
    /// The flash could program single pages; only whole word lines are written nevertheless
    /// (WordLineProtection::pad).
    bool page_by_page = false;
    /// Blocks per plane of each die, channel by channel, if dies differ; 0: there is no such die. At most
    /// `blocks`, which is the number of each die otherwise.
    std::vector<std::uint32_t> die_blocks = {};
    /// Of each page of a block, the page of its word line that is programmed before it; itself if there is
    /// none. Empty unless lower pages are copied (WordLineProtection::backup).
    std::vector<std::uint32_t> page_below = {};

    [[nodiscard]] bool copies_lower_pages() const { return !page_below.empty(); }
    [[nodiscard]] std::uint32_t die_places() const { return channels * dies; }
    /// `die`: number of the channel times `dies`, plus that of the die.
    [[nodiscard]] std::uint32_t blocks_of(std::uint32_t die) const {
        return die_blocks.empty() ? blocks : die_blocks[die];
    }
    [[nodiscard]] std::uint32_t total_dies() const {
        return die_places() - static_cast<std::uint32_t>(std::ranges::count(die_blocks, 0U));
    }
    [[nodiscard]] std::uint32_t total_planes() const { return total_dies() * planes; }
    /// Blocks per plane of the smallest die.
    [[nodiscard]] std::uint32_t least_blocks() const {
        std::uint32_t least = blocks;
        for (const std::uint32_t each : die_blocks) {
            least = each > 0 ? std::min(least, each) : least;
        }
        return least;
    }

    /// Programs that fill a block in normal mode.
    [[nodiscard]] std::uint32_t superpages() const { return pages / pages_per_program; }
    /// Map area and recovery log program single pages: where word lines are written as a whole, or their
    /// lower pages are copied, blocks of these areas are in SLC mode.
    [[nodiscard]] bool slc_areas() const { return pages_per_program > 1 || copies_lower_pages(); }
    /// Pages of a block of map area or recovery log.
    [[nodiscard]] std::uint32_t area_pages() const { return slc_areas() ? slc_pages : pages; }
};

/// Cycles of the firmware's steps on its core. Estimates of a hand-optimised controller firmware (an ARM
/// Cortex-R class core, code in tightly coupled memory); every one can be set.
struct CycleCosts {
    SOLIDTLM_KEYS(CycleCosts);
    static auto cycles(auto& key) { return key.integer(0, 10'000'000, "cycles"); }
    SOLIDTLM_KEY(std::uint32_t, command_fetch, 150, cycles(key),
                 "Take a command from the queue, hazard check.");
    SOLIDTLM_KEY(std::uint32_t, command_complete, 100, cycles(key), "Status back to the device.");
    SOLIDTLM_KEY(std::uint32_t, read_command, 0, cycles(key), "Fixed work of each read command.");
    SOLIDTLM_KEY(std::uint32_t, write_command, 0, cycles(key), "Fixed work of each write command.");
    SOLIDTLM_KEY(std::uint32_t, unit_lookup, 40, cycles(key),
                 "Translate one mapping unit, without the DRAM access.");
    SOLIDTLM_KEY(std::uint32_t, buffer_lookup, 30, cycles(key), "Search the write buffer for one unit.");
    SOLIDTLM_KEY(std::uint32_t, buffer_insert, 60, cycles(key), "Put one unit into the write buffer.");
    SOLIDTLM_KEY(std::uint32_t, flash_issue, 80, cycles(key), "Build and ring one flash descriptor.");
    SOLIDTLM_KEY(std::uint32_t, flash_complete, 60, cycles(key), "Handle one flash completion.");
    SOLIDTLM_KEY(std::uint32_t, transfer_issue, 60, cycles(key), "Start one host transfer.");
    SOLIDTLM_KEY(std::uint32_t, allocate, 80, cycles(key), "Choose die, block and page for one superpage.");
    SOLIDTLM_KEY(std::uint32_t, map_update, 30, cycles(key), "Write one map entry and both valid counts.");
    SOLIDTLM_KEY(std::uint32_t, trim_command, 0, cycles(key),
                 "Fixed work of each DATA SET MANAGEMENT command, or SEND FPDMA QUEUED.");
    SOLIDTLM_KEY(std::uint32_t, trim_range, 60, cycles(key), "Parse one range.");
    SOLIDTLM_KEY(std::uint32_t, trim_unit, 8, cycles(key), "Unmap one unit.");
    SOLIDTLM_KEY(std::uint32_t, gc_select, 400, cycles(key), "Choose a victim.");
    SOLIDTLM_KEY(std::uint32_t, gc_unit, 30, cycles(key), "Check and move one unit.");
    SOLIDTLM_KEY(std::uint32_t, cache_search, 25, cycles(key), "Find an entry in the map cache.");
    SOLIDTLM_KEY(std::uint32_t, cache_order, 15, cycles(key),
                 "Relink an entry of the map cache in the order of use.");
    SOLIDTLM_KEY(std::uint32_t, cache_insert, 60, cycles(key), "Put what a miss brought into the map cache.");
    SOLIDTLM_KEY(std::uint32_t, cache_evict, 60, cycles(key),
                 "Choose a victim in the map cache and take it out.");
    SOLIDTLM_KEY(std::uint32_t, log_search, 25, cycles(key), "Look a page up among those of the log blocks.");
    SOLIDTLM_KEY(std::uint32_t, merge_choose, 400, cycles(key), "Decide what is merged, and from where.");
    SOLIDTLM_KEY(std::uint32_t, merge_page, 30, cycles(key), "Find, move and remap one page of a merge.");
    SOLIDTLM_KEY(std::uint32_t, dedup_search, 40, cycles(key), "Look a fingerprint or CRC32 value up.");
    SOLIDTLM_KEY(std::uint32_t, dedup_insert, 60, cycles(key), "Put one into its table, or take it out.");
    SOLIDTLM_KEY(std::uint32_t, dedup_share, 60, cycles(key), "Make a logical page refer to a shared one.");
    SOLIDTLM_KEY(std::uint32_t, dedup_compare, 3, cycles(key),
                 "Load, load and compare 8 bytes of two pages.");
    SOLIDTLM_KEY(std::uint32_t, mark_unit, 30, cycles(key),
                 "Note, find or forget sectors of a unit that WRITE UNCORRECTABLE EXT names; none while "
                 "there are none.");
    SOLIDTLM_KEY(std::uint32_t, report_health, 500, cycles(key),
                 "Gather what SMART data and Device Statistics tell.");
    SOLIDTLM_KEY(std::uint32_t, stream_search, 40, cycles(key),
                 "Find the sequence that a read continues (firmware.read_cache).");
    SOLIDTLM_KEY(std::uint32_t, read_cache_search, 25, cycles(key), "Look one unit up in the read cache.");
    SOLIDTLM_KEY(std::uint32_t, read_cache_insert, 60, cycles(key),
                 "Take a slot of the read cache for one unit.");
};

/// How firmware keeps data readable (docs/reliability.md).
struct ReliabilityConfig {
    SOLIDTLM_KEYS(ReliabilityConfig);
    SOLIDTLM_KEY(std::uint32_t, reclaim_bits, 0, key.integer(0, 65'535, "bits"),
                 "page_map: a superblock is moved when ECC has corrected this many bits in one of its "
                 "codewords, or a page had to be read again; 0: off (reliability.md).");
    /// Dies of a group, the one with the parity included; 0: no parity.
    SOLIDTLM_KEY(std::uint32_t, parity_dies, 0,
                 key.where(
                     key.integer(0, 64, "dies"), [](std::uint64_t dies) { return dies != 1; }, "not 1"),
                 "page_map: dies of a group, on as many neighbouring channels, whose pages at the same place "
                 "share one page of parity; 0: none (reliability.md).");
    SOLIDTLM_KEY(Ps, patrol, 0, key.duration(Ps{0}, 3'600s),
                 "page_map: time between two superpages that are read to see how they are, while the host is "
                 "idle; 0s: none are.");
    SOLIDTLM_KEY(
        std::uint32_t, rated_cycles, 3000, key.integer(1, 4'294'967'295, "erases"),
        "Erases of a block that count as 100 % used in SMART data and Device Statistics (reliability.md).");
    std::uint32_t prior_cycles = 0;  ///< erases of every block that no count shows; set by the platform

    [[nodiscard]] bool parity() const { return parity_dies > 0; }
};

struct FirmwareConfig {
    SOLIDTLM_KEYS(FirmwareConfig);
    SOLIDTLM_KEY_AS("unit", std::uint32_t, unit_bytes, 4096, key.size(512, 32 * hal::kKiB),
                    "Mapping unit: a power of two that divides the page; at most 64 sectors.");
    SOLIDTLM_KEY_AS("read_segment", std::uint32_t, read_segment_bytes, 131072, key.size(512, 32 * hal::kMiB),
                    "Part of a read that is gathered before it is sent; a multiple of firmware.unit.");
    SOLIDTLM_KEY_AS("write_segment", std::uint32_t, write_segment_bytes, 131072,
                    key.size(512, 32 * hal::kMiB),
                    "Part of a write that is received at once; a multiple of firmware.unit.");
    SOLIDTLM_KEY(Ps, idle_threshold, 1'000'000'000, key.duration(Ps{0}, 3'600s),
                 "Time without a command before the host counts as idle, for all work in the background: "
                 "collection, folding, patrol, duplicates; 0s: as soon as none is outstanding.");
    TranslationPlan translation{{"page_map", "every page anywhere"}, {.by_block = false}};
    SOLIDTLM_KEY_OF(
        "translation", &FirmwareConfig::translation, key.translation_layer(),
        "page_map: every page anywhere; the others keep logical blocks together and merge (block-map.md).");
    SOLIDTLM_KEY_TABLE(WriteBufferConfig, write_buffer);
    SOLIDTLM_KEY_TABLE(MapCacheConfig, map_cache);
    SOLIDTLM_KEY_TABLE_OF("", &FirmwareConfig::recovery);
    SOLIDTLM_KEY_TABLE(AllocationConfig, allocation);
    SOLIDTLM_KEY_TABLE(GcConfig, gc);
    SOLIDTLM_KEY_TABLE(WearConfig, wear);
    SOLIDTLM_KEY_TABLE(WordLinesConfig, word_lines);
    SOLIDTLM_KEY_TABLE(ReliabilityConfig, reliability);
    SOLIDTLM_KEY_TABLE(ReadCacheConfig, read_cache);
    SOLIDTLM_KEY_TABLE(SlcCacheConfig, slc_cache);
    SOLIDTLM_KEY_TABLE(BlockMapConfig, block_map);
    SOLIDTLM_KEY_TABLE(DedupConfig, dedup);
    SOLIDTLM_KEY_TABLE(CycleCosts, cycles);
    FlashLayout flash;                   ///< where there is parity, as fw/parity/die_group.h shows it
    std::uint64_t exported_sectors = 0;  ///< capacity the host sees; set by the platform
    std::uint32_t command_slots = 33;    ///< carried out at once; set by the platform
    RecoveryConfig recovery;
    bool write_cache_enabled = true;  ///< at power-on; SET FEATURES changes it
    /// Sectors of partly covered units at the ends of a trimmed range read as zeros (RZAT); false: they stay.
    bool zero_partial_trim = true;
    hal::ContentMode content = hal::ContentMode::tags;
    std::uint64_t seed = 1;  ///< for random GC policies

    [[nodiscard]] bool by_block() const { return translation.traits.by_block; }
    /// Mapping units that the exported capacity fills.
    [[nodiscard]] std::uint64_t exported_units() const {
        return (exported_sectors * hal::kSectorBytes + unit_bytes - 1) / unit_bytes;
    }
    /// Only whole word lines are written, page by page or in one operation.
    [[nodiscard]] bool pads_word_lines() const {
        return word_lines.protect == WordLineProtection::pad && !by_block();
    }
    /// Lower pages are copied before a later page of their word line is programmed.
    [[nodiscard]] bool backs_up_word_lines() const {
        return word_lines.protect == WordLineProtection::backup && !by_block();
    }
    /// Free superblocks of a parallel unit that the host's writes must leave. Folding the static cache takes
    /// space as the host does, but has read its data before it allocates; the reserve includes this data.
    [[nodiscard]] std::uint32_t kept_superblocks() const {
        return gc.foreground_threshold +
               (slc_cache.has_static() ? (gc.pipeline_depth + flash.superpages() - 1) / flash.superpages()
                                       : 0);
    }
    /// Collection or folding does more in idle time than the host's writes demand.
    [[nodiscard]] bool collects_in_idle_time() const { return gc.in_idle_time() || slc_cache.in_idle_time(); }
};

}  // namespace solidtlm::fw
