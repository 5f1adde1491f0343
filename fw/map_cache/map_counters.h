// SPDX-License-Identifier: Apache-2.0
//
// Counters of a map cache, and the cost of its operations by the closed form of Lee et al. 2013, equations 1
// to 4.
#pragma once

#include <array>
#include <cstdint>

#include "fw/hal/ledger.h"
#include "fw/hal/metrics.h"
#include "fw/map_cache/config.h"

namespace solidtlm::fw {

/// Bytes of page reads or programs: those of the entries, as the study counts them, and those that cross the
/// bus in whole ECC codewords.
struct MapBytes {
    std::uint64_t entries = 0;
    std::uint64_t bus = 0;

    MapBytes& operator+=(const MapBytes& other) {
        entries += other.entries;
        bus += other.bus;
        return *this;
    }
};

/// Measured time of the page requests that missed.
struct MapPenalty {
    Ps read_miss{0};   ///< T_rm
    Ps program{0};     ///< T_pf, including waits for room
    Ps read_merge{0};  ///< T_rf
};

/// How often misses wanted `entries` entries, for policies that choose the number for each miss.
struct MapWindowCount {
    std::uint32_t entries = 0;  ///< 0: not used yet
    std::uint64_t chosen = 0;
};

/// Time of page requests in parts: that of flash operations by their stages (waiting and working), and the
/// core's, which is the rest of the total.
struct MapTime {
    Ps total{0};
    Ps queue{0};  ///< for the lock of a translation page, a buffer, room in the cache or in the map area
    std::array<Ps, hal::kStages> flash{};

    void add(const hal::Ledger& operation) {
        for (std::size_t i = 0; i < flash.size(); ++i) {
            flash[i] += operation[static_cast<hal::Stage>(i)];
        }
    }
    MapTime& operator+=(const MapTime& other) {
        total += other.total;
        queue += other.queue;
        for (std::size_t i = 0; i < flash.size(); ++i) {
            flash[i] += other.flash[i];
        }
        return *this;
    }
};

/// The waits of the misses of one kind.
struct MapWaits {
    std::uint64_t misses = 0;
    MapTime read;        ///< T_rm: the misses' own translation pages
    MapTime write_back;  ///< T_pf and T_rf: making room
};

struct MapCounters {
    std::uint64_t lookups = 0;  ///< page requests
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t joined = 0;            ///< misses served by another miss's read
    std::uint64_t refetched = 0;         ///< reads for misses whose entry had left the cache before they ran
    std::uint64_t unwritten = 0;         ///< misses on a translation page that is not on flash yet
    std::uint64_t evictions = 0;         ///< nodes that left the cache
    std::uint64_t dirty_evictions = 0;   ///< of evictions: written back first
    std::uint64_t miss_reads = 0;        ///< translation pages read for misses
    std::uint64_t merge_reads = 0;       ///< translation pages read for evictions
    std::uint64_t unwritten_merges = 0;  ///< evictions without a translation page on flash to merge with
    std::uint64_t write_backs = 0;       ///< translation pages programmed for evictions
    std::uint64_t gc_cached = 0;         ///< entries that data collection changed in the cache
    std::uint64_t gc_uncached = 0;       ///< entries that data collection changed on flash
    std::uint64_t gc_reads = 0;          ///< translation pages read for gc_uncached
    std::uint64_t gc_programs = 0;       ///< translation pages programmed for gc_uncached
    std::uint64_t failed_programs = 0;   ///< programs of translation pages that failed and were repeated
    MapBytes miss_bytes;
    MapBytes merge_bytes;
    MapBytes program_bytes;
    MapPenalty measured;
    MapWaits translating;                    ///< misses of page requests that only read the map
    MapWaits updating;                       ///< misses of page requests that change the map
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

    void tell(hal::Metrics& metrics) const;
};

/// Counters of the flash that holds the translation pages.
struct MapAreaCounters {
    std::uint64_t copied_reads = 0;  ///< translation pages read by the area's own collection
    std::uint64_t copied = 0;        ///< translation pages programmed by it
    std::uint64_t erased = 0;        ///< blocks erased
    std::uint64_t failed_copies = 0;

    void tell(hal::Metrics& metrics) const;
};

/// The number of operations of one kind on translation pages, and the bytes that they moved.
struct MapTraffic {
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
};

/// T_rm, T_pf and T_rf, each summed over all requests.
[[nodiscard]] constexpr MapPenalty closed_form(const MapTraffic& misses, const MapTraffic& programs,
                                               const MapTraffic& merges, const FlashTimes& times) {
    const auto cost = [](Ps array, std::int64_t byte_fs, const MapTraffic& traffic) {
        return array * static_cast<std::int64_t>(traffic.operations) +
               Ps{static_cast<std::int64_t>(traffic.bytes) * byte_fs / 1000};
    };
    return {cost(times.read, times.read_byte_fs, misses), cost(times.program, times.write_byte_fs, programs),
            cost(times.read, times.read_byte_fs, merges)};
}

}  // namespace solidtlm::fw
