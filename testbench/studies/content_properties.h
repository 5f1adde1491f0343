// SPDX-License-Identifier: Apache-2.0
//
// What deduplication can find in any source of requests. Contents are those of whole 4 KiB blocks at
// multiples of 4 KiB. A shorter write has no contents, and the page that it lies in loses its own. A block
// whose contents are not told is unlike any other.
//
// Two measures of duplicates, both in blocks written:
//  repeated    the same contents have been written before, wherever that is now (1 - distinct / written, what
//              studies of traces publish);
//  duplicates  another page holds the same contents at that moment, so that both can share one physical page.
// A block of zeros counts like any other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "testbench/host/request.h"

namespace solidtlm::testbench {

class ContentProperties {
  public:
    void add(const Request& request);
    /// Everything that the source still has.
    void add_all(RequestSource& source);

    /// Whole blocks written, and those of them whose contents are told.
    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
    [[nodiscard]] std::uint64_t told() const { return told_; }
    [[nodiscard]] std::uint64_t zeros() const { return zeros_; }
    /// Different contents among those told.
    [[nodiscard]] std::uint64_t distinct() const { return contents_.size(); }
    [[nodiscard]] std::uint64_t repeated() const { return told_ - distinct(); }
    [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
    /// To pages that hold the same contents already.
    [[nodiscard]] std::uint64_t rewritten() const { return rewritten_; }
    /// To pages written before.
    [[nodiscard]] std::uint64_t overwrites() const { return overwrites_; }
    /// Repeated blocks in a row, on average.
    [[nodiscard]] double mean_run() const;
    /// Blocks told since the same contents were last written, of repeated ones.
    [[nodiscard]] double mean_distance() const;
    [[nodiscard]] std::uint64_t median_distance() const;
    /// Share of the blocks told that the most frequent hundredth of the contents has.
    [[nodiscard]] double share_of_top_hundredth() const;

  private:
    struct Content {
        std::uint64_t times = 0;
        std::uint64_t last = 0;  ///< number of the last such block
        std::uint64_t held = 0;  ///< number of pages that hold it
    };
    struct Page {
        std::uint64_t identity = 0;
        bool told = false;
    };

    void add_write(const Request& request);
    void add_block(Page& page, std::uint64_t identity);
    /// The page does not hold what it held.
    void release(Page& page);

    std::uint64_t blocks_ = 0;
    std::uint64_t told_ = 0;
    std::uint64_t zeros_ = 0;
    std::uint64_t duplicates_ = 0;
    std::uint64_t rewritten_ = 0;
    std::uint64_t overwrites_ = 0;
    std::uint64_t runs_ = 0;
    bool in_run_ = false;
    std::unordered_map<std::uint64_t, Page> pages_;  ///< written and not trimmed, by number
    std::unordered_map<std::uint64_t, Content> contents_;
    std::vector<std::uint64_t> distances_;
};

}  // namespace solidtlm::testbench
