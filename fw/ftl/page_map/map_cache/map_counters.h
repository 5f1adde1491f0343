// SPDX-License-Identifier: Apache-2.0
//
// What a map cache did, and what that costs by the closed form of Lee et al. 2013, equations 1 to 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fw/config.h"

namespace solidtlm::fw {

/// Bytes of page reads or programs: those of the entries, as the study counts them, and those that cross the
/// bus, which come in whole ECC codewords.
struct MapBytes {
    std::uint64_t entries = 0;
    std::uint64_t bus = 0;

    MapBytes& operator+=(const MapBytes& other) {
        entries += other.entries;
        bus += other.bus;
        return *this;
    }
    [[nodiscard]] MapBytes since(const MapBytes& earlier) const {
        return {entries - earlier.entries, bus - earlier.bus};
    }
};

/// Time of page requests that missed, as it really passed.
struct MapPenalty {
    Ps read_miss{0};   ///< T_rm
    Ps program{0};     ///< T_pf, waits for room included
    Ps read_merge{0};  ///< T_rf

    [[nodiscard]] MapPenalty since(const MapPenalty& earlier) const {
        return {read_miss - earlier.read_miss, program - earlier.program, read_merge - earlier.read_merge};
    }
};

/// How often misses wanted so many entries, where the policy chooses that from miss to miss.
struct MapWindowCount {
    std::uint32_t entries = 0;  ///< 0: none yet
    std::uint64_t chosen = 0;
};

struct MapCounters {
    std::uint64_t lookups = 0;  ///< page requests
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t joined = 0;     ///< misses that another one's read served
    std::uint64_t refetched = 0;  ///< reads for misses whose entry was gone again when their turn came
    std::uint64_t unwritten = 0;  ///< misses on a translation page that is not on flash yet: nothing to read
    std::uint64_t evictions = 0;  ///< nodes that left
    std::uint64_t dirty_evictions = 0;   ///< of these, written back first
    std::uint64_t miss_reads = 0;        ///< translation pages read for misses
    std::uint64_t merge_reads = 0;       ///< read for evictions
    std::uint64_t unwritten_merges = 0;  ///< evictions that had nothing on flash to merge with
    std::uint64_t write_backs = 0;       ///< programmed for evictions
    std::uint64_t gc_cached = 0;         ///< entries that data collection changed in the cache
    std::uint64_t gc_uncached = 0;       ///< and on flash
    std::uint64_t gc_reads = 0;          ///< translation pages read for that
    std::uint64_t gc_programs = 0;       ///< and programmed
    std::uint64_t failed_programs = 0;   ///< programs of translation pages that failed and were repeated
    MapBytes miss_bytes;
    MapBytes merge_bytes;
    MapBytes program_bytes;
    MapPenalty measured;
    std::array<MapWindowCount, 16> windows;  ///< in the order in which they appeared

    void choose_window(std::uint32_t entries) {
        for (MapWindowCount& window : windows) {
            if (window.entries == entries || window.entries == 0) {
                window.entries = entries;
                ++window.chosen;
                return;
            }
        }
    }
    /// What happened since `earlier`. REQUIRES: `earlier` is a snapshot of the same counters.
    [[nodiscard]] MapCounters since(const MapCounters& earlier) const;
};

/// The flash of the translation pages.
struct MapAreaCounters {
    std::uint64_t copied_reads = 0;  ///< by its own collection
    std::uint64_t copied = 0;        ///< programs
    std::uint64_t erased = 0;        ///< blocks
    std::uint64_t failed_copies = 0;

    [[nodiscard]] MapAreaCounters since(const MapAreaCounters& earlier) const {
        return {copied_reads - earlier.copied_reads, copied - earlier.copied, erased - earlier.erased,
                failed_copies - earlier.failed_copies};
    }
};

inline MapCounters MapCounters::since(const MapCounters& earlier) const {
    MapCounters result = *this;
    for (const auto count :
         {&MapCounters::lookups, &MapCounters::hits, &MapCounters::misses, &MapCounters::joined,
          &MapCounters::refetched, &MapCounters::unwritten, &MapCounters::evictions,
          &MapCounters::dirty_evictions, &MapCounters::miss_reads, &MapCounters::merge_reads,
          &MapCounters::unwritten_merges, &MapCounters::write_backs, &MapCounters::gc_cached,
          &MapCounters::gc_uncached, &MapCounters::gc_reads, &MapCounters::gc_programs,
          &MapCounters::failed_programs}) {
        result.*count -= earlier.*count;
    }
    result.miss_bytes = miss_bytes.since(earlier.miss_bytes);
    result.merge_bytes = merge_bytes.since(earlier.merge_bytes);
    result.program_bytes = program_bytes.since(earlier.program_bytes);
    result.measured = measured.since(earlier.measured);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        result.windows[i].chosen -= earlier.windows[i].chosen;
    }
    return result;
}

/// T_rm, T_pf and T_rf of all requests together, from how often what was read or programmed.
[[nodiscard]] constexpr MapPenalty closed_form(const MapCounters& counters, const FlashTimes& times,
                                               std::uint64_t MapBytes::*bytes) {
    const auto cost = [](Ps array, std::uint64_t operations, std::int64_t byte_fs, std::uint64_t moved) {
        return array * static_cast<std::int64_t>(operations) +
               Ps{static_cast<std::int64_t>(moved) * byte_fs / 1000};
    };
    MapPenalty penalty;
    penalty.read_miss = cost(times.read, counters.miss_reads, times.read_byte_fs, counters.miss_bytes.*bytes);
    penalty.program =
        cost(times.program, counters.write_backs, times.write_byte_fs, counters.program_bytes.*bytes);
    penalty.read_merge =
        cost(times.read, counters.merge_reads, times.read_byte_fs, counters.merge_bytes.*bytes);
    return penalty;
}

}  // namespace solidtlm::fw
