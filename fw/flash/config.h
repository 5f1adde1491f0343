// SPDX-License-Identifier: Apache-2.0
//
// Keys of allocation, wear levelling, word lines and the SLC cache: how the data area is filled.
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

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

struct WearConfig {
    SOLIDTLM_KEYS(WearConfig);
    SOLIDTLM_KEY(bool, dynamic, true, key.boolean(), "Take the free superblock with the fewest erases.");
    SOLIDTLM_KEY(std::uint32_t, static_threshold, 0, key.integer(0, 4'294'967'295, "erases"),
                 "page_map: move cold data when erase counts differ by more; 0: off.");
};

/// What protects earlier programmed pages from a power cut that destroys their word line.
enum class WordLineProtection : std::uint8_t {
    none,
    backup,     ///< lower pages are copied before a later page of their word line is programmed
    pad,        ///< only whole word lines are written, padded where there is too little data
    capacitor,  ///< all programs under way can end on its energy
};

struct WordLinesConfig {
    SOLIDTLM_KEYS(WordLinesConfig);
    SOLIDTLM_KEY(
        WordLineProtection, protect, WordLineProtection::none,
        key.enumerator({"none", "backup", "pad", "capacitor"}),
        "page_map: what keeps data if a power cut destroys pages that were programmed earlier "
        "(nand.power_cut). backup: they are copied to blocks in SLC mode before a later page of their word "
        "line is programmed. pad: only whole word lines are written, one page after the other; what a FLUSH "
        "or "
        "FUA cannot fill is padded. capacitor: it lasts until all programs under way have ended.");
};

/// Which superblocks form the SLC cache.
enum class SlcCacheMode : std::uint8_t {
    none,
    fixed,    ///< always the same ones, besides the capacity
    dynamic,  ///< free ones, while nothing else needs them
    hybrid,   ///< some besides the capacity and, when these are full, free ones
};
/// Where the host's writes that use the SLC cache go when it is full.
enum class SlcCacheFull : std::uint8_t {
    bypass,  ///< past it, to superblocks in normal mode
    fold,    ///< nowhere, until part of it has been folded
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
    SOLIDTLM_KEY_AS(
        "largest_write", std::uint64_t, largest_write_bytes, 0, key.size(0, 16 * hal::kMiB),
        "Writes that are longer go past it at once, to superblocks in normal mode; 0: no length is "
        "too long for it.");
    SOLIDTLM_KEY(SlcCacheFull, full, SlcCacheFull::bypass, key.enumerator({"bypass", "fold"}),
                 "Where writes go when it is full. bypass: past it; fold: they wait until a superblock of it "
                 "has been folded.");
    SOLIDTLM_KEY(std::uint32_t, fold_below, 0, key.integer(0, 65'536, "superblocks"),
                 "Folding runs while the host is at work, too, when fewer superblocks of it than this are "
                 "free in a parallel unit; 0: never, with full = fold 1.");
    SOLIDTLM_KEY(bool, fold_when_idle, true, key.boolean(),
                 "All full superblocks of it are folded while the host is idle (firmware.idle_threshold).");
    SOLIDTLM_KEY(
        bool, copy_back, false, key.boolean(),
        "Fold superpages whose units are all valid inside the die, without correction and without the "
        "channel bus. Only with nand.programming = page, and not with read reclaim.");

    [[nodiscard]] bool any() const { return mode != SlcCacheMode::none; }
    /// The length of a write decides whether it goes there.
    [[nodiscard]] bool by_length() const { return any() && largest_write_bytes > 0; }
    /// A write of the host of this many bytes goes past it, even if it has room.
    [[nodiscard]] bool goes_past(std::uint64_t bytes) const {
        return by_length() && bytes > largest_write_bytes;
    }
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

}  // namespace solidtlm::fw
