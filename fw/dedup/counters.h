// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/metrics.h"

namespace solidtlm::fw {

/// What deduplication has done; pages are mapping units.
struct DedupCounters {
    std::uint64_t crcs = 0;          ///< CRC32 values computed, when pages were written
    std::uint64_t fingerprints = 0;  ///< MD5 values computed
    std::uint64_t sampled_out = 0;   ///< pages written without a fingerprint (sampling)
    std::uint64_t candidates = 0;    ///< pages whose CRC32 had been met when they were written
    std::uint64_t checked = 0;       ///< pages checked in idle time
    std::uint64_t comparisons = 0;   ///< pairs of pages compared byte by byte
    std::uint64_t collisions = 0;    ///< of the comparisons: the pages differed
    std::uint64_t duplicates = 0;    ///< pages found equal to another one, which they share since then
    std::uint64_t refused = 0;  ///< pages found equal that could not share: in use, or no virtual block free
    std::uint64_t evicted = 0;  ///< entries evicted from full tables
    std::uint64_t idle_periods = 0;  ///< times the host was found idle
    std::uint64_t interrupted = 0;   ///< pages left unfinished because a command arrived

    // Time from the beginning to the end of each step, including waits for die, bus, DRAM and hash unit.
    hal::Ps crc{0};
    hal::Ps fingerprint{0};
    hal::Ps read{0};
    hal::Ps compare{0};
    [[nodiscard]] hal::Ps total() const { return crc + fingerprint + read + compare; }
};

/// The counters and the present state.
struct DedupState {
    DedupCounters counters;
    std::uint64_t shared_pages = 0;   ///< virtual blocks in use
    std::uint64_t references = 0;     ///< logical pages that refer to them
    std::uint64_t waiting = 0;        ///< pages still to be checked in idle time
    std::uint64_t table_entries = 0;  ///< of fingerprints or CRC32 values
    std::uint64_t table_bytes = 0;    ///< DRAM of all tables, full or not
    /// Copies avoided or removed: logical pages minus physical pages.
    [[nodiscard]] std::uint64_t saved_pages() const {
        return references > shared_pages ? references - shared_pages : 0;
    }
    /// Writes the section `dedup` of a result.
    void tell(hal::Metrics& metrics) const {
        const auto pages = [&](const char* name, const char* what, std::uint64_t value) {
            metrics.counter(std::string("dedup.") + name, "pages", what, value);
        };
        metrics.counter("dedup.crcs", "values", "CRC32 values computed", counters.crcs);
        metrics.counter("dedup.fingerprints", "values", "MD5 values computed", counters.fingerprints);
        pages("sampled_out", "pages that sampling left without a fingerprint", counters.sampled_out);
        pages("candidates", "pages whose CRC32 was known when they were written", counters.candidates);
        pages("checked", "pages examined in idle time", counters.checked);
        metrics.counter("dedup.comparisons", "pairs", "pairs of pages compared byte by byte",
                        counters.comparisons);
        metrics.counter("dedup.collisions", "pairs", "compared pairs that differ", counters.collisions);
        pages("duplicates", "pages found equal to another page, which they share now", counters.duplicates);
        pages("refused", "pages found equal to another page that they could not share", counters.refused);
        metrics.counter("dedup.evicted", "entries", "entries evicted from full tables", counters.evicted);
        metrics.counter("dedup.idle_periods", "periods", "how often the host was found idle",
                        counters.idle_periods);
        pages("interrupted", "pages whose examination a command interrupted", counters.interrupted);
        metrics.time("dedup.time_us.crc", "time to compute CRC32 values, waits included", counters.crc);
        metrics.time("dedup.time_us.fingerprint", "time to compute MD5 values, waits included",
                     counters.fingerprint);
        metrics.time("dedup.time_us.read", "time to read pages, waits included", counters.read);
        metrics.time("dedup.time_us.compare", "time to compare pages, waits included", counters.compare);
        metrics.time("dedup.time_us.total", "sum of the four steps", counters.total());
        metrics.state("dedup.shared_pages", "pages", "physical pages that logical pages share", shared_pages);
        metrics.state("dedup.references", "pages", "logical pages that refer to shared pages", references);
        metrics.state("dedup.saved_pages", "pages", "physical pages saved: references less shared pages",
                      saved_pages());
        metrics.state("dedup.waiting", "pages", "pages that wait to be examined in idle time", waiting);
        metrics.state("dedup.table_entries", "entries",
                      "entries in the tables of fingerprints or CRC32 values", table_entries);
        metrics.state("dedup.table_bytes", "B", "DRAM reserved for all tables", table_bytes);
    }
};

}  // namespace solidtlm::fw
