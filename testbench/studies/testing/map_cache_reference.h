// SPDX-License-Identifier: Apache-2.0
//
// Test-only models of map caches, written only from the definitions in docs/map-cache.md: which page requests
// hit, what is evicted, how many translation pages are read and programmed, and how many bytes move. The
// models know no time, no garbage collection and no flash addresses. A trim counts as a write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <stdexcept>

#include "fw/hal/types.h"

namespace solidtlm::testbench::reference {

constexpr std::uint32_t kEntryBytes = 4;
constexpr std::uint32_t kEntries = 1024;  ///< entries per translation page
constexpr std::uint32_t kTranslationPageBytes = kEntries * kEntryBytes;

/// The effect of one page request on the cache.
struct Outcome {
    bool hit = false;
    std::uint32_t evictions = 0;        ///< runs or single entries
    std::uint32_t dirty_evictions = 0;  ///< evictions that had to be written
    std::uint32_t miss_reads = 0;       ///< T_rm: translation page reads for the requested entry
    std::uint32_t flush_reads = 0;      ///< T_rf: translation page reads to merge evicted entries
    std::uint32_t flush_programs = 0;   ///< T_pf: translation page programs
    std::uint32_t miss_read_bytes = 0;
    std::uint32_t flush_read_bytes = 0;
    std::uint32_t flush_program_bytes = 0;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// The NAND of the study: 200 us, 1.6 ms, 25 ns per byte in both directions.
struct NandTimes {
    std::uint64_t read_ns = 200'000;
    std::uint64_t program_ns = 1'600'000;
    std::uint64_t read_cycle_ns = 25;
    std::uint64_t write_cycle_ns = 25;
};

/// T_penalty = T_rm + T_pf + T_rf in nanoseconds (Lee et al. 2013, equations 1 to 4; 8-bit bus).
constexpr std::uint64_t penalty_ns(const Outcome& outcome, const NandTimes& nand = {}) {
    const std::uint64_t reads = outcome.miss_reads + outcome.flush_reads;
    const std::uint64_t read_bytes = outcome.miss_read_bytes + outcome.flush_read_bytes;
    return reads * nand.read_ns + read_bytes * nand.read_cycle_ns + outcome.flush_programs * nand.program_ns +
           outcome.flush_program_bytes * nand.write_cycle_ns;
}

/// Counts the write-back of `entries` entries of one translation page: the others are read from flash, and
/// the whole page is programmed.
inline void flush(Outcome& outcome, std::uint32_t entries) {
    if (entries < kEntries) {
        ++outcome.flush_reads;
        outcome.flush_read_bytes += kTranslationPageBytes - entries * kEntryBytes;
    }
    ++outcome.flush_programs;
    outcome.flush_program_bytes += kTranslationPageBytes;
}

/// `full`, `half` and `tafp_N`: an LRU list of runs in slots of one size.
class RunCache {
  public:
    enum class Window : std::uint8_t { aligned, forward };

    /// `window_entries`: most entries per run. Throws std::invalid_argument if no run fits.
    RunCache(Window window, std::uint32_t window_entries, std::uint32_t header_bytes,
             std::uint32_t budget_bytes)
        : window_(window),
          window_entries_(window_entries),
          slots_(budget_bytes / (header_bytes + window_entries * kEntryBytes)) {
        if (slots_ == 0) {
            throw std::invalid_argument("map cache: no room for one run");
        }
    }

    static RunCache full(std::uint32_t budget_bytes) { return {Window::aligned, kEntries, 12, budget_bytes}; }
    static RunCache half(std::uint32_t budget_bytes) {
        return {Window::aligned, kEntries / 2, 12, budget_bytes};
    }
    static RunCache tafp(std::uint32_t window_bytes, std::uint32_t budget_bytes) {
        return {Window::forward, window_bytes / kEntryBytes, 14, budget_bytes};
    }

    [[nodiscard]] std::uint32_t slots() const { return slots_; }

    Outcome access(hal::Lpn lpn, bool write) {
        Outcome outcome;
        auto run = find(lpn.value);
        outcome.hit = run != runs_.end();
        if (!outcome.hit) {
            if (runs_.size() == slots_) {
                evict(outcome);
            }
            run = bring(lpn.value, outcome);
        }
        runs_.splice(runs_.begin(), runs_, run);
        run->dirty |= write;
        return outcome;
    }

  private:
    struct Run {
        std::uint32_t first;
        std::uint32_t entries;
        bool dirty;
    };
    using Runs = std::list<Run>;  ///< last used first

    Runs::iterator find(std::uint32_t lpn) {
        const auto above = by_first_.upper_bound(lpn);
        if (above == by_first_.begin()) {
            return runs_.end();
        }
        const auto run = std::prev(above)->second;
        return lpn < run->first + run->entries ? run : runs_.end();
    }

    void evict(Outcome& outcome) {
        const Run victim = runs_.back();
        by_first_.erase(victim.first);
        runs_.pop_back();
        ++outcome.evictions;
        if (victim.dirty) {
            ++outcome.dirty_evictions;
            flush(outcome, victim.entries);
        }
    }

    Runs::iterator bring(std::uint32_t lpn, Outcome& outcome) {
        std::uint32_t first = lpn;
        std::uint32_t end = lpn + window_entries_;
        if (window_ == Window::aligned) {
            first = lpn / window_entries_ * window_entries_;
            end = first + window_entries_;
        } else {
            // A run stays within its translation page, and no entry is in the cache twice.
            end = std::min(end, (lpn / kEntries + 1) * kEntries);
            const auto next = by_first_.upper_bound(lpn);
            end = next != by_first_.end() ? std::min(end, next->first) : end;
        }
        ++outcome.miss_reads;
        outcome.miss_read_bytes += (end - first) * kEntryBytes;
        runs_.push_front({first, end - first, false});
        by_first_[first] = runs_.begin();
        return runs_.begin();
    }

    Window window_;
    std::uint32_t window_entries_;
    std::uint32_t slots_;
    Runs runs_;
    std::map<std::uint32_t, Runs::iterator> by_first_;
};

/// `dftl`: single entries, segmented LRU; all dirty entries of a translation page are written back together.
class DftlCache {
  public:
    static constexpr std::uint32_t kBytes = 16;  ///< bytes per cached entry

    /// Throws std::invalid_argument if no entry fits.
    explicit DftlCache(std::uint32_t budget_bytes)
        : entries_(budget_bytes / kBytes), protected_entries_(entries_ / 2) {
        if (entries_ == 0) {
            throw std::invalid_argument("map cache: no room for one entry");
        }
    }

    [[nodiscard]] std::uint32_t entries() const { return entries_; }

    Outcome access(hal::Lpn lpn, bool write) {
        Outcome outcome;
        auto found = cached_.find(lpn.value);
        outcome.hit = found != cached_.end();
        if (outcome.hit) {
            promote(found->second);
        } else {
            if (cached_.size() == entries_) {
                evict(outcome);
            }
            ++outcome.miss_reads;
            outcome.miss_read_bytes += kEntryBytes;
            probation_.push_front(lpn.value);
            found = cached_.emplace(lpn.value, Entry{probation_.begin(), false, false}).first;
        }
        found->second.dirty |= write;
        return outcome;
    }

  private:
    using Lpns = std::list<std::uint32_t>;  ///< last used first
    struct Entry {
        Lpns::iterator place;
        bool is_protected;
        bool dirty;
    };

    void promote(Entry& entry) {
        Lpns& from = entry.is_protected ? protected_ : probation_;
        protected_.splice(protected_.begin(), from, entry.place);
        entry.is_protected = true;
        if (protected_.size() > protected_entries_) {
            Entry& demoted = cached_.at(protected_.back());
            probation_.splice(probation_.begin(), protected_, demoted.place);
            demoted.is_protected = false;
        }
    }

    void evict(Outcome& outcome) {
        const std::uint32_t victim = probation_.back();
        ++outcome.evictions;
        if (cached_.at(victim).dirty) {
            ++outcome.dirty_evictions;
            const std::uint32_t first = victim / kEntries * kEntries;
            std::uint32_t written = 0;
            for (auto at = cached_.lower_bound(first); at != cached_.end() && at->first < first + kEntries;
                 ++at) {
                written += at->second.dirty ? 1 : 0;
                at->second.dirty = false;
            }
            flush(outcome, written);
        }
        cached_.erase(victim);
        probation_.pop_back();
    }

    std::uint32_t entries_;
    std::uint32_t protected_entries_;
    Lpns probation_;
    Lpns protected_;
    std::map<std::uint32_t, Entry> cached_;
};

}  // namespace solidtlm::testbench::reference
