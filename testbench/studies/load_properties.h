// SPDX-License-Identifier: Apache-2.0
//
// The properties that study B publishes about its workloads (Lee et al. 2013, table 2), and the locality, for
// any source of requests. Reads and writes count, trims and flushes do not. A page is 4 KiB; a request
// touches every page that it overlaps.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "testbench/sim/host/request.h"
#include "testbench/studies/sle.h"

namespace solidtlm::testbench {

class LoadProperties {
  public:
    void add(const Request& request);
    /// Adds all remaining requests of the source.
    void add_all(RequestSource& source);

    [[nodiscard]] std::uint64_t requests() const { return reads_ + writes_; }
    [[nodiscard]] std::uint64_t page_requests() const { return sle_.total(); }
    [[nodiscard]] std::uint64_t bytes() const { return sectors_ * hal::kSectorBytes; }
    [[nodiscard]] double mean_bytes() const;
    /// Share of reads among the requests, from 0 to 1.
    [[nodiscard]] double read_share() const;
    /// From the lowest to the highest address used.
    [[nodiscard]] std::uint64_t range_bytes() const;
    [[nodiscard]] std::uint64_t distinct_pages() const;
    /// Number of translation pages (4 MiB of addresses each) touched.
    [[nodiscard]] std::uint64_t distinct_translation_pages() const { return pages_.size(); }
    /// Share of the page requests that go to the most used fifth of the pages.
    [[nodiscard]] double share_of_top_fifth() const;
    [[nodiscard]] const SleHistogram& sle() const { return sle_; }

  private:
    using Counts = std::array<std::uint32_t, kEntriesPerTranslationPage>;

    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
    std::uint64_t sectors_ = 0;
    std::uint64_t lowest_ = ~std::uint64_t{0};  ///< sector
    std::uint64_t end_ = 0;
    SleHistogram sle_;
    std::unordered_map<std::uint32_t, Counts> pages_;  ///< by translation page
};

}  // namespace solidtlm::testbench
