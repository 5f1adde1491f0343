// SPDX-License-Identifier: Apache-2.0
//
// The load of study E: distinct random integers are inserted into an empty B+-tree one after another; at the
// end, every dirty page is written.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/sim/load/btree/btree.h"

namespace solidtlm::testbench::btree {

struct Load {
    std::uint64_t inserts = 100'000;
    std::uint64_t seed = 1;
    std::uint32_t page_bytes = 4096;
    std::uint32_t buffer_pages = 64;
    TreeShape shape;
};

/// The key of insert `index`: for each seed, a random-looking permutation of all 32-bit integers.
[[nodiscard]] Key key_of(std::uint64_t index, std::uint64_t seed);

/// Carries out a load on a file.
class Inserter {
  public:
    /// `file` must outlive the inserter.
    Inserter(const Load& load, PageFile& file)
        : load_(load), buffer_(file, load.page_bytes, load.buffer_pages), tree_(buffer_, load.shape) {}

    /// Does the next insert, or the flush at the end; false: nothing is left to do.
    bool step();
    [[nodiscard]] std::uint64_t inserted() const { return inserted_; }
    [[nodiscard]] const Btree& tree() const { return tree_; }
    [[nodiscard]] TreeRoot root() const { return tree_.root(); }
    [[nodiscard]] const BufferCounters& counters() const { return buffer_.counters(); }

  private:
    Load load_;
    BufferManager buffer_;
    Btree tree_;
    std::uint64_t inserted_ = 0;
    bool flushed_ = false;
};

struct PageIo {
    bool write = false;
    PageId page;
};

/// The result of a load.
struct LoadOutcome {
    std::vector<PageIo> traffic;  ///< pages read and written, in order
    TreeRoot root;
    std::uint32_t height = 1;
    BufferCounters buffer;
};

/// Runs the whole load in memory. Throws std::logic_error if the file is not a tree of these keys afterwards.
[[nodiscard]] LoadOutcome run_in_memory(const Load& load);

/// Opens the tree that `load` made in `file` and looks for every key; empty if the tree is sound and has all
/// of them.
[[nodiscard]] std::string check_tree(const Load& load, const TreeRoot& root, PageFile& file);

}  // namespace solidtlm::testbench::btree
