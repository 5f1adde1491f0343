// SPDX-License-Identifier: Apache-2.0
//
// Validated parameters of the firmware, and the geometry it was built for.
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/named.h"
#include "fw/hal/types.h"

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

    /// Map area and recovery log program single pages: where word lines are written as a whole, their blocks
    /// are in SLC mode.
    [[nodiscard]] bool slc_areas() const { return pages_per_program > 1; }
    /// Pages of a block of map area or recovery log.
    [[nodiscard]] std::uint32_t area_pages() const { return slc_areas() ? slc_pages : pages; }
};

/// Cycles of the firmware's steps on its core. Estimates of a hand-optimised controller firmware (an ARM
/// Cortex-R class core, code in tightly coupled memory); every one can be set.
struct CycleCosts {
    std::uint32_t command_fetch = 150;     ///< take a command from the queue, hazard check
    std::uint32_t command_complete = 100;  ///< status back to the device
    std::uint32_t read_command = 0;        ///< fixed work of each read command
    std::uint32_t write_command = 0;       ///< fixed work of each write command
    std::uint32_t unit_lookup = 40;        ///< translate one mapping unit, without the DRAM access
    std::uint32_t buffer_lookup = 30;      ///< search the write buffer for one unit
    std::uint32_t buffer_insert = 60;      ///< put one unit into the write buffer
    std::uint32_t flash_issue = 80;        ///< build and ring one flash descriptor
    std::uint32_t flash_complete = 60;     ///< handle one flash completion
    std::uint32_t transfer_issue = 60;     ///< start one host transfer
    std::uint32_t allocate = 80;           ///< choose die, block and page for one superpage
    std::uint32_t map_update = 30;         ///< write one map entry and both valid counts
    std::uint32_t trim_command = 0;        ///< fixed work of each DATA SET MANAGEMENT command
    std::uint32_t trim_range = 60;         ///< parse one range
    std::uint32_t trim_unit = 8;           ///< unmap one unit
    std::uint32_t gc_select = 400;         ///< choose a victim
    std::uint32_t gc_unit = 30;            ///< check and move one unit
    std::uint32_t cache_search = 25;       ///< find an entry in the map cache: hash, chain, compare tags
    std::uint32_t cache_order = 15;        ///< relink an entry of the map cache in the order of use
    std::uint32_t cache_insert = 60;       ///< put what a miss brought into the map cache
    std::uint32_t cache_evict = 60;        ///< choose a victim in the map cache and take it out
    std::uint32_t log_search = 25;         ///< look a page up among those of the log blocks
    std::uint32_t merge_choose = 400;      ///< decide what is merged, and from where
    std::uint32_t merge_page = 30;         ///< find, move and remap one page of a merge
    std::uint32_t dedup_search = 40;       ///< look a fingerprint or CRC32 value up
    std::uint32_t dedup_insert = 60;       ///< put one into its table, or take it out
    std::uint32_t dedup_share = 60;        ///< make a logical page refer to a shared one
    std::uint32_t dedup_compare = 3;       ///< load, load and compare 8 bytes of two pages
    std::uint32_t mark_unit = 30;          ///< note, find or forget sectors that are to be uncorrectable
    std::uint32_t report_health = 500;     ///< gather what SMART data and Device Statistics tell
    std::uint32_t stream_search = 40;      ///< find the sequence that a read continues
    std::uint32_t read_cache_search = 25;  ///< look one unit up in the read cache
    std::uint32_t read_cache_insert = 60;  ///< take a slot of the read cache for one unit
};

enum class WriteCachePolicy : std::uint8_t { write_back, write_through };
/// Whether a write takes buffer slots as soon as there are any, or at the rate at which the buffer drains.
enum class WriteAdmission : std::uint8_t { burst, even };

struct WriteBufferConfig {
    std::uint64_t size_bytes = 16ULL << 20;
    WriteCachePolicy policy = WriteCachePolicy::write_back;
    WriteAdmission admission = WriteAdmission::burst;
    Ps idle_flush{0};  ///< write a partly filled superpage after this much idle time; 0: never
};

/// What the host is expected to read next is fetched from flash before it asks (fw/read_cache).
struct ReadCacheConfig {
    std::uint64_t size_bytes = 0;              ///< in DRAM; 0: nothing is read ahead
    std::uint64_t ahead_bytes = 128ULL << 10;  ///< at least this much of a stream lies ahead of the host
    std::uint32_t streams = 4;                 ///< sequences of reads that are followed at once
    std::uint32_t trigger = 2;                 ///< reads that follow each other until they are a stream

    [[nodiscard]] bool any() const { return size_bytes > 0; }
    /// Mapping units that each stream has room for.
    [[nodiscard]] std::uint32_t share(std::uint32_t unit_bytes) const {
        return static_cast<std::uint32_t>(size_bytes / unit_bytes / streams);
    }
    /// Least room of a stream in multiples of ahead_bytes: one for what the host reads, one for what lies
    /// ahead of it, one for what is on its way.
    static constexpr std::uint32_t kLeastShare = 3;
};

/// Traits of a translation layer that decide how a drive is laid out. All layers but page_map keep logical
/// blocks together (docs/block-map.md).
struct TranslationTraits {
    bool by_block = true;          ///< keeps logical blocks together
    std::uint32_t least_logs = 0;  ///< least log blocks that it works with; 0: it has none
    bool half_spare = false;       ///< data fill half of a block at most
    bool own_page_table = false;   ///< pages may lie anywhere in several blocks: each has its own entry
};
struct TranslationPlan : hal::Named {
    TranslationTraits traits = {};
};

struct BlockMapConfig {
    std::uint32_t log_blocks = 0;         ///< log, mirror or spare blocks in use at most; 0: automatic
    std::uint32_t associativity = 4;      ///< kast: logical blocks that share a random log block
    std::uint32_t sequential_logs = 1;    ///< kast: sequential log blocks at most
    std::uint32_t superblock_blocks = 8;  ///< superblock: adjacent logical blocks of a superblock
    std::uint32_t superblock_logs = 4;    ///< superblock: blocks that one may have beyond these
};

/// Flash times from which the cost of a miss is computed in closed form.
struct FlashTimes {
    Ps read{0};                          ///< tR; the mean where pages differ
    Ps program{0};                       ///< tPROG; the mean where pages differ
    std::int64_t read_byte_fs = 0;       ///< femtoseconds: a byte from the page register over the bus (tRC)
    std::int64_t write_byte_fs = 0;      ///< a byte into it (tWC)
    std::uint32_t codeword_bytes = 512;  ///< least that a read transfers: an ECC codeword, a sector without
                                         ///< ECC
    std::uint32_t codeword_bus_bytes = 512;  ///< the codeword with its parity
};

struct MapCacheConfig {
    std::string policy = "full_table";       ///< or one of map_cache_policies()
    std::uint64_t size_bytes = 64ULL << 10;  ///< entries and what is needed to find and order them
    std::uint32_t tafp_bytes = 64;           ///< tafp: entries brought in on a miss
    std::string bsb_candidates = "full,tafp_64,tafp_128,tafp_256";  ///< bsb: windows to choose from
    double bsb_decay = 0.99;                   ///< bsb: what is left of a score at each page request
    double sftl_dirty_share = 0.1;             ///< sftl: of size_bytes, for single dirty entries
    std::uint32_t sftl_sparse_limit = 16;      ///< sftl: most dirty entries of a page that may go there
    std::uint32_t cftl_group = 8;              ///< cftl: logical pages of a block entry; a power of two
    std::uint32_t cftl_heat_groups = 1024;     ///< cftl: counters of requests, 4 bits each, shared by groups
    bool bsb_balance = true;                   ///< bsb: a window scores only if its runs would still be there
    std::uint32_t translation_page_bytes = 0;  ///< a power of two; 0: the largest that fits a page
    FlashTimes times;                          ///< set by the platform

    /// The whole map is in DRAM.
    [[nodiscard]] bool whole_map() const { return policy == "full_table"; }
};

enum class AllocationMode : std::uint8_t { static_address, dynamic };
enum class StripingMode : std::uint8_t { full, none };

struct AllocationConfig {
    std::string order = "PCWD";  ///< permutation of C, W, D, P; the first letter varies fastest
    AllocationMode mode = AllocationMode::dynamic;
    StripingMode striping = StripingMode::full;
    std::uint32_t programs_per_die = 2;  ///< programs queued at a parallel unit before another is chosen
};

/// When collection moves data: as fast as it can while few superblocks are free, or after each superpage of
/// the host as many superpages as the victims demand.
enum class GcPacing : std::uint8_t { burst, paced };

struct GcConfig {
    std::string policy = "greedy";  ///< one of gc_policies()
    std::uint32_t d = 10;           ///< d_choices: blocks drawn
    /// Free superblocks of a parallel unit at or below which host writes to it wait for GC. At least 1.
    std::uint32_t foreground_threshold = 1;
    /// Free superblocks below which GC runs; at least foreground_threshold + 1.
    std::uint32_t background_threshold = 3;
    bool copy_back = false;            ///< move whole pages inside the die where every unit is still valid
    std::uint32_t pipeline_depth = 2;  ///< superpages of one GC in flight
    GcPacing pacing = GcPacing::burst;
    /// Free superblocks up to which GC goes on while the host is idle; 0: background_threshold.
    std::uint32_t idle_threshold = 0;

    [[nodiscard]] bool in_idle_time() const { return idle_threshold > background_threshold; }
    /// Superblocks that pacing needs besides foreground_threshold, so that the host never waits for an erase:
    /// collection's open one, the victim that is being emptied, and one for the host to write to.
    static constexpr std::uint32_t kPacingSuperblocks = 3;
};

/// Which superblocks form the SLC cache.
enum class SlcCacheMode : std::uint8_t {
    none,
    fixed,    ///< always the same ones, besides the capacity
    dynamic,  ///< free ones, while nothing else needs them
    hybrid,   ///< some besides the capacity and, when these are full, free ones
};
/// Where the host's writes go when the SLC cache is full.
enum class SlcCacheFull : std::uint8_t {
    bypass,  ///< past it, to superblocks in normal mode
    fold,    ///< nowhere, until part of it has been folded
};

/// What protects earlier programmed pages from a power cut that destroys their word line.
enum class WordLineProtection : std::uint8_t {
    none,
    pad,        ///< only whole word lines are written, padded where there is too little data
    capacitor,  ///< all programs under way can end on its energy
};

struct WordLinesConfig {
    WordLineProtection protect = WordLineProtection::none;
};

/// Superblocks in SLC mode that the host's writes go to first (docs/architecture/firmware.md, "SLC cache").
struct SlcCacheConfig {
    SlcCacheMode mode = SlcCacheMode::none;
    /// Of data, at most; rounded up to whole superblocks of all parallel units.
    std::uint64_t size_bytes = 1ULL << 30;
    std::uint64_t static_bytes = 256ULL << 20;  ///< hybrid: of these, beside the capacity
    /// dynamic, hybrid: the most that it takes of the superblocks that are free, or were before it took them.
    double share = 1.0;
    SlcCacheFull full = SlcCacheFull::bypass;
    /// Free superblocks of it in a parallel unit below which it is folded while the host is at work, too.
    std::uint32_t fold_below = 0;
    bool fold_when_idle = true;

    [[nodiscard]] bool any() const { return mode != SlcCacheMode::none; }
    /// Some superblocks are always in SLC mode.
    [[nodiscard]] bool has_static() const {
        return mode == SlcCacheMode::fixed || mode == SlcCacheMode::hybrid;
    }
    /// Superblocks may change their mode.
    [[nodiscard]] bool has_dynamic() const {
        return mode == SlcCacheMode::dynamic || mode == SlcCacheMode::hybrid;
    }
    [[nodiscard]] bool in_idle_time() const { return any() && fold_when_idle; }
    /// How many free superblocks of the cache folding maintains while the host is at work.
    [[nodiscard]] std::uint32_t kept_free() const {
        return fold_below == 0 && full == SlcCacheFull::fold ? 1 : fold_below;
    }
};

struct WearConfig {
    bool dynamic = true;                 ///< take the free superblock with the fewest erases
    std::uint32_t static_threshold = 0;  ///< move cold data when erase counts differ by more; 0: off
};

/// How firmware keeps data readable (docs/reliability.md).
struct ReliabilityConfig {
    std::uint32_t reclaim_bits =
        0;         ///< corrected in a codeword from which on its superblock is moved; 0: off
    Ps patrol{0};  ///< time between two superpages that are read while the host is idle; 0: none are
    std::uint32_t parity_dies = 0;      ///< dies of a group, the one with the parity included; 0: no parity
    std::uint32_t rated_cycles = 3000;  ///< erases that a block is rated for: 100 % used
    std::uint32_t prior_cycles = 0;     ///< erases of every block that no count shows; set by the platform

    [[nodiscard]] bool parity() const { return parity_dies > 0; }
};

/// Which TRIMs survive a loss of power.
enum class TrimPersistence : std::uint8_t {
    lazy,       ///< none: trimmed data may come back until it is written again
    journal,    ///< those before a FLUSH
    immediate,  ///< all that have completed
};

struct RecoveryConfig {
    TrimPersistence trims = TrimPersistence::lazy;
    std::uint64_t checkpoint_interval = 0;  ///< bytes programmed between two checkpoints of the map; 0: none
};

/// Traits of a deduplication system that decide how a drive is laid out.
struct DedupTraits {
    bool any = true;      ///< false: no deduplication
    bool online = false;  ///< duplicates are found when pages are written; otherwise when the host is idle
    bool marks = false;   ///< one bit per unit of flash: not checked yet
    std::uint32_t tables = 1;       ///< number of tables that share table_bytes
    std::uint32_t entry_bytes = 0;  ///< bytes of one table entry
};
struct DedupPlan : hal::Named {
    DedupTraits traits = {};
};

/// What preserves duplicates that were not programmed (online) when power is lost.
enum class DedupProtection : std::uint8_t { none, capacitor, journal };

/// docs/dedup.md.
struct DedupConfig {
    DedupPlan system{{"none", "every page on its own"}, {.any = false}};  ///< or one of dedup_systems()
    std::uint64_t table_bytes = 4ULL << 20;                               ///< fingerprints, CRC32 values
    std::uint64_t shared_bytes = 1ULL << 20;                              ///< virtual blocks
    Ps idle_threshold{1'000'000'000};  ///< without a command before the host counts as idle
    std::uint32_t sampling = 1;        ///< online: one page in this many is hashed first; 1: all are
    DedupProtection protection = DedupProtection::none;

    [[nodiscard]] bool any() const { return system.traits.any; }
    [[nodiscard]] bool online() const { return system.traits.online; }
    /// True if some duplicates are recorded in DRAM alone, so that they are lost with the power.
    [[nodiscard]] bool loses_duplicates() const { return online() && protection == DedupProtection::none; }
};

struct FirmwareConfig {
    FlashLayout flash;                           ///< where there is parity, as fw/parity/die_group.h shows it
    std::uint32_t unit_bytes = 4096;             ///< mapping unit: a power of two, 512 ... page_bytes
    std::uint64_t exported_sectors = 0;          ///< capacity the host sees; set by the platform
    std::uint32_t command_slots = 33;            ///< carried out at once; set by the platform
    std::uint32_t read_segment_bytes = 131072;   ///< part of a read that is gathered before it is sent
    std::uint32_t write_segment_bytes = 131072;  ///< part of a write that is received at once
    CycleCosts cycles;
    WriteBufferConfig write_buffer;
    ReadCacheConfig read_cache;
    AllocationConfig allocation;
    GcConfig gc;
    SlcCacheConfig slc_cache;
    WordLinesConfig word_lines;
    WearConfig wear;
    ReliabilityConfig reliability;
    MapCacheConfig map_cache;
    /// Or one of translation_layers().
    TranslationPlan translation{{"page_map", "every page anywhere"}, {.by_block = false}};
    BlockMapConfig block_map;
    RecoveryConfig recovery;
    DedupConfig dedup;
    bool write_cache_enabled = true;  ///< at power-on; SET FEATURES changes it
    /// Sectors of partly covered units at the ends of a trimmed range read as zeros (RZAT); false: they stay.
    bool zero_partial_trim = true;
    hal::ContentMode content = hal::ContentMode::tags;
    std::uint64_t seed = 1;  ///< for random GC policies

    [[nodiscard]] bool by_block() const { return translation.traits.by_block; }
    /// Only whole word lines are written, page by page or in one operation.
    [[nodiscard]] bool pads_word_lines() const {
        return word_lines.protect == WordLineProtection::pad && !by_block();
    }
    /// Free superblocks of a parallel unit that the host's writes must leave. Folding the static cache takes
    /// space as the host does, but has read its data before it allocates; the reserve includes this data.
    [[nodiscard]] std::uint32_t kept_superblocks() const {
        return gc.foreground_threshold +
               (slc_cache.has_static() ? (gc.pipeline_depth + flash.pages - 1) / flash.pages : 0);
    }
    /// Collection or folding does more in idle time than the host's writes demand.
    [[nodiscard]] bool collects_in_idle_time() const { return gc.in_idle_time() || slc_cache.in_idle_time(); }
};

}  // namespace solidtlm::fw
