// SPDX-License-Identifier: Apache-2.0
//
// Validated parameters of the firmware, and the geometry it was built for.
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/key.h"
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

enum class WriteCachePolicy : std::uint8_t { write_back, write_through };
/// Whether a write takes buffer slots as soon as there are any, or at the rate at which the buffer drains.
enum class WriteAdmission : std::uint8_t { burst, even };

struct WriteBufferConfig {
    SOLIDTLM_KEYS(WriteBufferConfig);
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 16ULL << 20, key.size(512, 1024 * hal::kGiB),
                    "Write buffer in DRAM; at least one superpage and one write segment.");
    SOLIDTLM_KEY(WriteCachePolicy, policy, WriteCachePolicy::write_back,
                 key.enumerator({"write_back", "write_through"}),
                 "write_back: a write completes in the buffer; write_through: in flash.");
    SOLIDTLM_KEY(WriteAdmission, admission, WriteAdmission::burst, key.enumerator({"burst", "even"}),
                 "burst: writes enter the buffer when it has room; even: at the rate at which it drains, if "
                 "the buffer is larger than what flash takes at once.");
    SOLIDTLM_KEY(Ps, idle_flush, 0, key.duration(Ps{0}, 3'600s),
                 "Write a partly filled superpage after this much idle time; 0s: never.");
};

/// What the host is expected to read next is fetched from flash before it asks (fw/read_cache).
struct ReadCacheConfig {
    SOLIDTLM_KEYS(ReadCacheConfig);
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 0, key.size(0, 512 * hal::kMiB),
                    "DRAM for data that is read from flash before the host asks for it; 0: nothing is.");
    SOLIDTLM_KEY_AS("read_ahead", std::uint64_t, ahead_bytes, 128ULL << 10, key.size(512, 512 * hal::kMiB),
                    "At least this much lies ahead of the host in each stream, and this much is fetched at "
                    "once; a multiple of firmware.unit. Each stream needs three times as much of the size.");
    SOLIDTLM_KEY(std::uint32_t, streams, 4, key.integer(1, 1'024, "streams"),
                 "Sequences of reads that are followed at once; each has an equal share of the size.");
    SOLIDTLM_KEY(std::uint32_t, trigger, 2, key.integer(1, 1'024, "reads"),
                 "Reads that follow each other until they count as a stream; 1: each read begins one.");

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
    SOLIDTLM_KEYS(BlockMapConfig);
    SOLIDTLM_KEY(std::uint32_t, log_blocks, 0, key.integer(0, 1'048'576, "blocks"),
                 "Log or mirror blocks in use at most; superblock: blocks beyond those that the data fill. "
                 "0: 3 % of the blocks, and what the layer needs at least. Not for page_map and mtbs.");
    SOLIDTLM_KEY(std::uint32_t, associativity, 4, key.integer(1, 65'536, "blocks"),
                 "kast: logical blocks that share a random log block (K).");
    SOLIDTLM_KEY(std::uint32_t, sequential_logs, 1, key.integer(1, 65'536, "blocks"),
                 "kast: sequential log blocks at most.");
    SOLIDTLM_KEY(std::uint32_t, superblock_blocks, 8, key.integer(1, 1'024, "blocks"),
                 "superblock: adjacent logical blocks of a superblock (N).");
    SOLIDTLM_KEY(std::uint32_t, superblock_logs, 4, key.integer(1, 1'024, "blocks"),
                 "superblock: blocks that a superblock may have beyond these (K).");
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
    SOLIDTLM_KEYS(MapCacheConfig);
    SOLIDTLM_KEY(std::string, policy, "full_table", key.map_cache_policy(),
                 "full_table: the whole map in DRAM; the others keep part of it there, the rest on flash.");
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 64ULL << 10, key.size(1, 1024 * hal::kGiB),
                    "DRAM for cached entries and what it takes to find and order them; not for full_table.");
    SOLIDTLM_KEY(std::uint32_t, tafp_bytes, 64, key.size(8, 256),
                 "tafp: entries brought in on a miss, 4 bytes each.");
    SOLIDTLM_KEY(
        std::string, bsb_candidates, "full,tafp_64,tafp_128,tafp_256", key.printable(4, 100),
        "bsb: windows to choose from, by comma: full (a translation page) and tafp_N (N bytes of entries).");
    SOLIDTLM_KEY(double, bsb_decay, 0.99, key.number(0.0, 0.999999),
                 "bsb: what is left of a window's score at each page request.");
    SOLIDTLM_KEY(bool, bsb_balance, true, key.boolean(),
                 "bsb: a window scores only if its runs would still be in a cache of this size.");
    SOLIDTLM_KEY(double, sftl_dirty_share, 0.1, key.number(0.0, 0.5),
                 "sftl: share of the size for single dirty entries whose page has left.");
    SOLIDTLM_KEY(std::uint32_t, sftl_sparse_limit, 16, key.integer(0, 1'024, "entries"),
                 "sftl: most dirty entries of a page that go there instead of being written.");
    SOLIDTLM_KEY(std::uint32_t, cftl_group, 8, key.integer(2, 128, "units"),
                 "cftl: logical pages that one block entry stands for: a power of two.");
    SOLIDTLM_KEY(std::uint32_t, cftl_heat_groups, 1024, key.integer(1, 1'048'576, "counters"),
                 "cftl: request counters of 4 bits, shared by the groups that hash to one.");
    SOLIDTLM_KEY_AS("translation_page", std::uint32_t, translation_page_bytes, 0, key.size(0, 64 * hal::kKiB),
                    "Part of the map that is read and written at once: a power of two from 512 bytes to a "
                    "page; 0: the largest.");
    FlashTimes times;  ///< set by the platform

    /// The whole map is in DRAM.
    [[nodiscard]] bool whole_map() const { return policy == "full_table"; }
};

enum class AllocationMode : std::uint8_t { static_address, dynamic };
enum class StripingMode : std::uint8_t { full, none };

struct AllocationConfig {
    SOLIDTLM_KEYS(AllocationConfig);
    SOLIDTLM_KEY(
        std::string, order, "PCWD", key.printable(4, 4),
        "Striping: a permutation of C (channel), W (way), D (die), P (plane); the first varies fastest.");
    SOLIDTLM_KEY(AllocationMode, mode, AllocationMode::dynamic, key.enumerator({"static", "dynamic"}),
                 "static: the logical address decides; dynamic: the least busy unit.");
    SOLIDTLM_KEY(StripingMode, striping, StripingMode::full, key.enumerator({"full", "none"}),
                 "full: over every parallel unit; none: one block is filled after another.");
    SOLIDTLM_KEY(std::uint32_t, programs_per_die, 2, key.integer(1, 1'024),
                 "Programs queued at a die before another die is chosen.");
};

/// When collection moves data: as fast as it can while few superblocks are free, or after each superpage of
/// the host as many superpages as the victims demand.
enum class GcPacing : std::uint8_t { burst, paced };

struct GcConfig {
    SOLIDTLM_KEYS(GcConfig);
    SOLIDTLM_KEY(std::string, policy, "greedy", key.gc_policy(), "Which block is collected.");
    SOLIDTLM_KEY(std::uint32_t, d, 10, key.integer(1, 65'536), "d_choices: blocks drawn.");
    SOLIDTLM_KEY(std::uint32_t, foreground_threshold, 1, key.integer(1, 65'536, "superblocks"),
                 "Host writes to a parallel unit wait at or below this many free superblocks.");
    SOLIDTLM_KEY(std::uint32_t, background_threshold, 3, key.integer(2, 65'536, "superblocks"),
                 "Garbage collection runs below this many; above foreground_threshold.");
    SOLIDTLM_KEY(bool, copy_back, false, key.boolean(),
                 "Move whole pages inside the die where every unit is still valid. Not with read reclaim of "
                 "page_map or parity.");
    SOLIDTLM_KEY(std::uint32_t, pipeline_depth, 2, key.integer(1, 256, "superpages"),
                 "Superpages of one garbage collection in flight.");
    SOLIDTLM_KEY(GcPacing, pacing, GcPacing::burst, key.enumerator({"burst", "paced"}),
                 "burst: collect as fast as possible while free superblocks are short; paced: after each "
                 "superpage of the host, move as much as replaces it.");
    SOLIDTLM_KEY(
        std::uint32_t, idle_threshold, 0, key.integer(0, 65'536, "superblocks"),
        "While the host is idle, collect up to this many free superblocks; 0: background_threshold.");

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
    SOLIDTLM_KEYS(WordLinesConfig);
    SOLIDTLM_KEY(
        WordLineProtection, protect, WordLineProtection::none, key.enumerator({"none", "pad", "capacitor"}),
        "page_map: what keeps data if a power cut destroys pages that were programmed earlier "
        "(nand.power_cut). pad: only whole word lines are written, one page after the other; what a FLUSH or "
        "FUA cannot fill is padded. capacitor: it lasts until all programs under way have ended.");
};

/// Superblocks in SLC mode that the host's writes go to first (docs/architecture/firmware.md, "SLC cache").
struct SlcCacheConfig {
    SOLIDTLM_KEYS(SlcCacheConfig);
    SOLIDTLM_KEY(
        SlcCacheMode, mode, SlcCacheMode::none, key.enumerator({"none", "static", "dynamic", "hybrid"}),
        "page_map: superblocks with one bit in a cell that the host's writes go to first (nand.slc). static: "
        "always the same ones, beside the capacity; dynamic: free ones; hybrid: both, static ones first.");
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 1ULL << 30, key.size(1, 16ULL * 1024 * hal::kGiB),
                    "Data that it holds at most; rounded up to whole superblocks of all parallel units.");
    SOLIDTLM_KEY_AS("static_size", std::uint64_t, static_bytes, 256ULL << 20,
                    key.size(1, 16ULL * 1024 * hal::kGiB),
                    "hybrid: of firmware.slc_cache.size, what lies beside the capacity.");
    SOLIDTLM_KEY(
        double, share, 1.0, key.number(0.01, 1.0),
        "dynamic, hybrid: the most that it takes of the superblocks of a parallel unit that are free, or "
        "were before it took them; those that writes of the host leave alone do not count.");
    SOLIDTLM_KEY(SlcCacheFull, full, SlcCacheFull::bypass, key.enumerator({"bypass", "fold"}),
                 "Where writes go when it is full. bypass: past it; fold: they wait until a superblock of it "
                 "has been folded.");
    SOLIDTLM_KEY(std::uint32_t, fold_below, 0, key.integer(0, 65'536, "superblocks"),
                 "Folding runs while the host is at work, too, when fewer superblocks of it than this are "
                 "free in a parallel unit; 0: never, with full = fold 1.");
    SOLIDTLM_KEY(
        bool, fold_when_idle, true, key.boolean(),
        "All full superblocks of it are folded while the host is idle (firmware.dedup.idle_threshold).");

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
    SOLIDTLM_KEYS(WearConfig);
    SOLIDTLM_KEY(bool, dynamic, true, key.boolean(), "Take the free superblock with the fewest erases.");
    SOLIDTLM_KEY(std::uint32_t, static_threshold, 0, key.integer(0, 4'294'967'295, "erases"),
                 "page_map: move cold data when erase counts differ by more; 0: off.");
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

/// Which TRIMs survive a loss of power.
enum class TrimPersistence : std::uint8_t {
    lazy,       ///< none: trimmed data may come back until it is written again
    journal,    ///< those before a FLUSH
    immediate,  ///< all that have completed
};

struct RecoveryConfig {
    SOLIDTLM_KEYS(RecoveryConfig);
    SOLIDTLM_KEY_AS("trim.persist", TrimPersistence, trims, TrimPersistence::lazy,
                    key.enumerator({"lazy", "journal", "immediate"}),
                    "What of a TRIM survives a power cut. lazy: nothing; journal: what a FLUSH followed; "
                    "immediate: every TRIM that has completed.");
    SOLIDTLM_KEY_AS("recovery.checkpoint_interval", std::uint64_t, checkpoint_interval, 0,
                    key.size(0, 1024 * hal::kGiB),
                    "A checkpoint of the map on flash after this much was programmed, which bounds the time "
                    "of a boot after a power cut; 0: none.");
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
    SOLIDTLM_KEYS(DedupConfig);
    DedupPlan system{{"none", "every page on its own"}, {.any = false}};
    SOLIDTLM_KEY_OF("system", &DedupConfig::system, key.dedup_system(),
                    "Logical pages with equal contents share a physical one: found when they are written "
                    "(online) or when the host is idle (dedup.md).");
    SOLIDTLM_KEY_AS(
        "table_size", std::uint64_t, table_bytes, 4ULL << 20, key.size(1, 1024 * hal::kGiB),
        "DRAM for fingerprints or CRC32 values, 48 or 36 bytes each; offline_separated: half for each.");
    SOLIDTLM_KEY_AS("shared_size", std::uint64_t, shared_bytes, 1ULL << 20, key.size(1, 1024 * hal::kGiB),
                    "DRAM for shared pages, 16 bytes each.");
    SOLIDTLM_KEY(
        Ps, idle_threshold, 1'000'000'000, key.duration(Ps{0}, 3'600s),
        "Time without a command before the host counts as idle; 0s: as soon as none is outstanding.");
    SOLIDTLM_KEY(
        std::uint32_t, sampling, 1, key.integer(1, 1'024, "pages"),
        "online: of this many pages one is hashed first, the others only if it is known; 1: all are.");
    SOLIDTLM_KEY(DedupProtection, protection, DedupProtection::none,
                 key.enumerator({"none", "capacitor", "journal"}),
                 "online: what keeps the records of duplicates over a power cut.");

    [[nodiscard]] bool any() const { return system.traits.any; }
    [[nodiscard]] bool online() const { return system.traits.online; }
    /// True if some duplicates are recorded in DRAM alone, so that they are lost with the power.
    [[nodiscard]] bool loses_duplicates() const { return online() && protection == DedupProtection::none; }
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
