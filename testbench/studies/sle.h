// SPDX-License-Identifier: Apache-2.0
//
// Spatial locality effect (SLE): the distances between requests to one translation page. Source: Lee et al.
// 2013, section III.2.
//
// The intra-distance of a page request is the position of its entry in the translation page minus the
// position of the entry that caused the translation page to be cached. The cache holds whole translation
// pages (1,024 entries), evicts the least recently used one, and has 4 MB (1,024 translation pages) by
// default. By this definition, the request that causes the caching has the distance 0; these requests are
// also counted separately.
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
    /// `cache_pages`: number of translation pages in the cache. REQUIRES: at least 1.
    explicit SleHistogram(std::size_t cache_pages = 1024) : cache_pages_(cache_pages) {
        SOLIDTLM_CHECK(cache_pages >= 1, "the cache holds a translation page");
    }

    /// Adds a page request, read or write.
    void access(hal::Lpn lpn);

    [[nodiscard]] std::uint64_t total() const { return total_; }
    /// Requests that caused caching; count(0) includes them.
    [[nodiscard]] std::uint64_t misses() const { return misses_; }
    /// REQUIRES: -1023 <= distance <= 1023.
    [[nodiscard]] std::uint64_t count(std::int32_t distance) const { return counts_[index(distance)]; }
    /// Requests with a distance from `first` to `last`, both inclusive.
    [[nodiscard]] std::uint64_t count(std::int32_t first, std::int32_t last) const;
    /// Requests with a nonzero distance.
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
    std::list<Cached> recent_;  ///< last used first
    std::unordered_map<std::uint32_t, std::list<Cached>::iterator> cached_;
    std::array<std::uint64_t, 2 * kLargestDistance + 1> counts_{};
    std::uint64_t total_ = 0;
    std::uint64_t misses_ = 0;
};

}  // namespace solidtlm::testbench
