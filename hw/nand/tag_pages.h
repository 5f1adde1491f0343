// SPDX-License-Identifier: Apache-2.0
//
// The tags of the sectors of one flash block (ContentMode::tags), page after page. Eight sectors whose tags
// follow each other take one word (hw/tlm/tag_run.h), others nine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/tlm/tag_run.h"

namespace solidtlm::hw {

class TagPages {
  public:
    /// Nothing was ever stored, or there is no memory for it yet.
    [[nodiscard]] bool empty() const { return firsts_.empty(); }
    /// Takes memory for `sectors`, all of them zeros.
    void allocate(std::size_t sectors) { firsts_.resize((sectors + kRunSectors - 1) / kRunSectors); }

    /// Tags from `sector` of the block on. REQUIRES: they lie within what was allocated.
    void copy(std::size_t sector, std::span<std::byte> tags) const;
    void store(std::size_t sector, std::span<const std::byte> tags);
    void clear(std::size_t sector, std::size_t sectors);
    /// What is stored does not count any more.
    void forget();

    template <class Archive>
    void serialize(Archive& archive, std::size_t sectors);
    /// Bytes held.
    [[nodiscard]] std::size_t memory() const;

  private:
    static constexpr std::size_t kWordBits = 64;

    /// Runs whose tags do not follow each other.
    struct Others {
        std::vector<std::uint64_t> runs;  ///< bits
        std::vector<RunTags> tags;        ///< firsts_ has the place of a run's

        [[nodiscard]] bool has(std::size_t run) const {
            return (runs[run / kWordBits] >> run % kWordBits & 1U) != 0;
        }
    };
    [[nodiscard]] const RunTags* other(std::size_t run) const {
        return others_ && others_->has(run) ? &others_->tags[firsts_[run]] : nullptr;
    }
    [[nodiscard]] RunTags load(std::size_t run) const {
        const RunTags* const tags = other(run);
        return tags != nullptr ? *tags : expand_run(firsts_[run]);
    }
    [[nodiscard]] std::size_t words() const { return (firsts_.size() + kWordBits - 1) / kWordBits; }
    void prefetch_behind(std::size_t sector) const;
    void put(std::size_t run, const RunTags& tags);
    void put_other(std::size_t run, const RunTags& tags);

    std::vector<std::uint64_t> firsts_;  ///< by run: tag of its first sector, or place in others_
    std::unique_ptr<Others> others_;     ///< null: there are none
};

}  // namespace solidtlm::hw
