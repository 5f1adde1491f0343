// SPDX-License-Identifier: Apache-2.0
//
// Study E for a terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testbench/results/terminal.h"
#include "testbench/studies/btree/claims.h"
#include "testbench/studies/btree/sensitivity.h"

namespace solidtlm::testbench::btree {

/// What the tree did, the same for every layer.
struct TreeFacts {
    std::uint32_t page_bytes = 0;
    std::uint32_t pages = 0;
    std::uint32_t height = 1;
    BufferCounters buffer;
};

/// One cell on the simulated drive.
struct DriveCell {
    Layer layer = Layer::fast;
    std::uint32_t page_bytes = 0;
    Counts counts;
    Counts counted;       ///< without a drive
    double seconds = 0;   ///< simulated, reading back included
    double write_ms = 0;  ///< mean latency of a page write
    double p99_write_ms = 0;
    double read_ms = 0;  ///< mean latency of a page read
    std::uint64_t reads_checked = 0;
};

/// "512 B", "4 KB": as the study writes sizes.
[[nodiscard]] std::string size_text(std::uint32_t bytes);

[[nodiscard]] std::string tree_table(std::span<const TreeFacts> trees, const TextStyle& style);
/// Table 1: published beside counted; ratios if the load is the study's.
[[nodiscard]] std::string count_table(const Table& table, std::span<const std::uint32_t> sizes,
                                      bool as_published, const TextStyle& style);
[[nodiscard]] std::string drive_table(std::span<const DriveCell> cells, const TextStyle& style);
[[nodiscard]] std::string fit_table(std::span<const Fit> fits, const TextStyle& style);

}  // namespace solidtlm::testbench::btree
