// SPDX-License-Identifier: Apache-2.0
//
// The free blocks of an area, or of a parallel unit, in the order in which they are to be opened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "fw/flash/block_table.h"
#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

class FreeBlocks {
  public:
    /// The next block is the least erased one; among equally erased ones, or without `least_erased_first`,
    /// the one that has been free longest.
    explicit FreeBlocks(bool least_erased_first) : least_erased_first_(least_erased_first) {}

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(heap_.size()); }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    void reserve(std::size_t blocks) { heap_.reserve(blocks); }
    void clear() { heap_.clear(); }
    void add(BlockIndex block, std::uint32_t erases) {
        heap_.push_back({next_order_++, least_erased_first_ ? erases : 0, block});
        std::ranges::push_heap(heap_, std::greater{}, &Free::key);
    }
    /// Removes and returns the next block. REQUIRES: not empty().
    BlockIndex take() {
        SOLIDTLM_CHECK(!heap_.empty(), "there is a free block");
        std::ranges::pop_heap(heap_, std::greater{}, &Free::key);
        const BlockIndex block = heap_.back().block;
        heap_.pop_back();
        return block;
    }

    void serialize(hal::StateArchive& archive) { archive(hal::list(heap_), next_order_); }

  private:
    /// The block with the smallest key leaves first.
    struct Free {
        std::uint64_t order = 0;  ///< the order in which blocks became free
        std::uint32_t erases = 0;
        BlockIndex block = 0;

        [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> key() const { return {erases, order}; }
        void serialize(hal::StateArchive& archive) { archive(order, erases, block); }
    };

    bool least_erased_first_;
    std::vector<Free> heap_;
    std::uint64_t next_order_ = 0;
};

}  // namespace solidtlm::fw
