// SPDX-License-Identifier: Apache-2.0
//
// What deduplication can find in a source of requests. Contents are those of whole 4 KiB blocks at multiples
// of 4 KiB. A shorter write has no contents, and the page that it touches loses its own. A block with unknown
// contents equals no other.
//
// Two measures of duplicates, both in blocks written:
//  repeated    the same contents were written before, wherever they are now (1 - distinct / written, which
//              studies of traces publish);
//  duplicates  another page holds the same contents at that moment, so that both can share one physical page.
// A block of zeros counts like any other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

class ContentProperties {
  public:
    void add(const Request& request);
    /// Adds all remaining requests of the source.
    void add_all(RequestSource& source);

    /// Whole blocks written, and those of them with known contents.
    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
    [[nodiscard]] std::uint64_t told() const { return told_; }
    [[nodiscard]] std::uint64_t zeros() const { return zeros_; }
    /// Different contents among the known ones.
    [[nodiscard]] std::uint64_t distinct() const { return contents_.size(); }
    [[nodiscard]] std::uint64_t repeated() const { return told_ - distinct(); }
    [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
    /// Blocks written to pages that already hold the same contents.
    [[nodiscard]] std::uint64_t rewritten() const { return rewritten_; }
    /// Blocks written to pages that were written before.
    [[nodiscard]] std::uint64_t overwrites() const { return overwrites_; }
    /// Average number of consecutive repeated blocks.
    [[nodiscard]] double mean_run() const;
    /// For repeated blocks: mean number of known blocks since the same contents were last written.
    [[nodiscard]] double mean_distance() const;
    [[nodiscard]] std::uint64_t median_distance() const;
    /// Share of the known blocks that have the most frequent hundredth of the contents.
    [[nodiscard]] double share_of_top_hundredth() const;

  private:
    struct Content {
        std::uint64_t times = 0;
        std::uint64_t last = 0;  ///< number of the last block with these contents
        std::uint64_t held = 0;  ///< number of pages that hold these contents
    };
    struct Page {
        std::uint64_t identity = 0;
        bool told = false;
    };

    void add_write(const Request& request);
    void add_block(Page& page, std::uint64_t identity);
    /// The page no longer holds its contents.
    void release(Page& page);

    std::uint64_t blocks_ = 0;
    std::uint64_t told_ = 0;
    std::uint64_t zeros_ = 0;
    std::uint64_t duplicates_ = 0;
    std::uint64_t rewritten_ = 0;
    std::uint64_t overwrites_ = 0;
    std::uint64_t runs_ = 0;
    bool in_run_ = false;
    std::unordered_map<std::uint64_t, Page> pages_;  ///< pages written and not trimmed, by number
    std::unordered_map<std::uint64_t, Content> contents_;
    std::vector<std::uint64_t> distances_;
};

}  // namespace solidtlm::testbench
