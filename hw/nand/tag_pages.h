// SPDX-License-Identifier: Apache-2.0
//
// The tags of the sectors of a die (ContentMode::tags), block after block, page after page. Eight sectors
// with consecutive tags take one word (hw/tlm/tag_run.h), others nine. Memory is allocated on first touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fw/hal/zeroed_memory.h"
#include "hw/tlm/tag_run.h"

namespace solidtlm::hw {

class TagPages {
  public:
    TagPages(std::size_t blocks, std::size_t block_sectors);

    /// Copies the tags of a block from `sector` on. REQUIRES: all lie within the block.
    void copy(std::size_t block, std::size_t sector, std::span<std::byte> tags) const;
    void store(std::size_t block, std::size_t sector, std::span<const std::byte> tags);
    void clear(std::size_t block, std::size_t sector, std::size_t sectors);
    /// Drops the contents of a block.
    void forget(std::size_t block);

    /// Saves or loads one block.
    template <class Archive>
    void serialize(Archive& archive, std::size_t block);
    /// Bytes of memory in use.
    [[nodiscard]] std::size_t memory() const;

  private:
    static constexpr std::size_t kWordBits = 64;

    /// Runs of a block whose tags are not consecutive.
    struct Others {
        std::vector<std::uint64_t> runs;  ///< one bit per run
        std::vector<RunTags> tags;        ///< firsts_ holds each run's place here

        [[nodiscard]] bool has(std::size_t run) const {
            return (runs[run / kWordBits] >> run % kWordBits & 1U) != 0;
        }
    };
    [[nodiscard]] std::uint64_t first(std::size_t block, std::size_t run) const {
        return firsts_[block * block_runs_ + run];
    }
    [[nodiscard]] std::uint64_t& first(std::size_t block, std::size_t run) {
        return firsts_[block * block_runs_ + run];
    }
    [[nodiscard]] const RunTags* other(std::size_t block, std::size_t run) const {
        const Others* const others = others_[block].get();
        return others != nullptr && others->has(run) ? &others->tags[first(block, run)] : nullptr;
    }
    [[nodiscard]] RunTags load(std::size_t block, std::size_t run) const {
        const RunTags* const tags = other(block, run);
        return tags != nullptr ? *tags : expand_run(first(block, run));
    }
    [[nodiscard]] std::size_t words() const { return (block_runs_ + kWordBits - 1) / kWordBits; }
    void prefetch_behind(std::size_t block, std::size_t sector) const;
    void put(std::size_t block, std::size_t run, const RunTags& tags);

    std::size_t block_runs_;
    hal::ZeroedMemory<std::uint64_t> firsts_;      ///< by run: tag of its first sector, or place in Others
    std::vector<std::unique_ptr<Others>> others_;  ///< by block; null if there are none
    std::vector<bool> stored_;                     ///< by block: data has been stored
};

}  // namespace solidtlm::hw
