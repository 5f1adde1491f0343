// SPDX-License-Identifier: Apache-2.0
//
// Spatial locality effect (SLE): how far from each other the requests to one translation page lie. Source:
// Lee et al. 2013, section III.2.
//
// The intra-distance of a page request is the position of its entry in the translation page minus the
// position of the entry that caused the translation page to be cached. The cache holds whole translation
// pages (1,024 entries), evicts the least recently used one, and has 4 MB (1,024 translation pages) unless
// told otherwise. The request that causes the caching has the distance 0 by this definition; how many those
// are is told apart.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <unordered_map>

#include "fw/hal/check.h"
#include "fw/hal/types.h"

namespace solidtlm::testbench {

constexpr std::uint32_t kEntriesPerTranslationPage = 1024;
constexpr std::int32_t kLargestDistance = 1023;

class SleHistogram {
  public:
    /// `cache_pages`: translation pages that the cache holds. REQUIRES: at least 1.
    explicit SleHistogram(std::size_t cache_pages = 1024) : cache_pages_(cache_pages) {
        SOLIDTLM_CHECK(cache_pages >= 1, "the cache holds a translation page");
    }

    /// One page request, read or write.
    void access(hal::Lpn lpn);

    [[nodiscard]] std::uint64_t total() const { return total_; }
    /// Requests that caused caching; they are part of count(0).
    [[nodiscard]] std::uint64_t misses() const { return misses_; }
    /// REQUIRES: -1023 <= distance <= 1023.
    [[nodiscard]] std::uint64_t count(std::int32_t distance) const { return counts_[index(distance)]; }
    /// Requests with a distance from `first` to `last`, both included.
    [[nodiscard]] std::uint64_t count(std::int32_t first, std::int32_t last) const;
    /// Requests with a distance other than 0.
    [[nodiscard]] std::uint64_t moved() const { return total_ - count(0); }

  private:
    struct Cached {
        std::uint32_t translation_page;
        std::int32_t trigger;  ///< position of the entry that caused the caching
    };

    static std::size_t index(std::int32_t distance) {
        SOLIDTLM_CHECK(distance >= -1023 && distance <= 1023, "a distance within a translation page");
        const std::int32_t shifted = distance + kLargestDistance;
        return static_cast<std::size_t>(shifted);
    }

    std::size_t cache_pages_;
    std::list<Cached> recent_;  ///< the last used in front
    std::unordered_map<std::uint32_t, std::list<Cached>::iterator> cached_;
    std::array<std::uint64_t, 2 * kLargestDistance + 1> counts_{};
    std::uint64_t total_ = 0;
    std::uint64_t misses_ = 0;
};

}  // namespace solidtlm::testbench
