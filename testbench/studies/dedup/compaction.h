// SPDX-License-Identifier: Apache-2.0
//
// Moves the pages that a load touches together, in the order of their addresses, so that a drive can be as
// large as what is used of the one that was traced. Pages next to each other stay so, requests keep their
// length.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/host/request.h"

namespace solidtlm::testbench::dedup {

constexpr std::uint64_t kPageSectors = 8;  ///< what is deduplicated: 4 KiB

class Compaction {
  public:
    /// Pages that are read or written count as touched.
    void touch(const Request& request);
    /// REQUIRES: nothing is touched afterwards.
    void seal();
    [[nodiscard]] std::uint64_t pages() const { return pages_.size(); }
    /// False when nothing is left of the request: a trim of pages that nobody touches. REQUIRES: sealed.
    [[nodiscard]] bool apply(Request& request) const;

  private:
    /// Touched pages below the page `page`.
    [[nodiscard]] std::uint64_t below(std::uint64_t page) const;
    [[nodiscard]] TrimRange apply(const TrimRange& range) const;

    std::vector<std::uint64_t> pages_;
};

}  // namespace solidtlm::testbench::dedup
