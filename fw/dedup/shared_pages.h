// SPDX-License-Identifier: Apache-2.0
//
// Physical pages that several logical pages share: the second level of the map (CAFTL, FAST 2011). A shared
// page has a virtual block: its place and how many logical pages refer to it. See docs/dedup.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fw/dedup/virtual_block.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

class SharedPages {
  public:
    explicit SharedPages(std::uint64_t most);

    [[nodiscard]] std::uint32_t capacity() const { return static_cast<std::uint32_t>(blocks_.size()); }
    [[nodiscard]] std::uint32_t used() const { return used_; }
    [[nodiscard]] std::uint64_t references() const { return references_; }

    /// Takes a virtual block for the page at `at`, without references; none if all are in use. REQUIRES:
    /// find(at) is none.
    std::optional<VirtualBlock> share(Ppa at);
    /// The virtual block of the page at `at`, if it is shared.
    [[nodiscard]] std::optional<VirtualBlock> find(Ppa at) const;
    /// Where the shared page lies; kUnmapped if `block` is not in use.
    [[nodiscard]] Ppa place(VirtualBlock block) const { return blocks_[block.value].place; }
    [[nodiscard]] std::uint32_t references(VirtualBlock block) const {
        return blocks_[block.value].references;
    }
    void refer(VirtualBlock block) {
        ++blocks_[block.value].references;
        ++references_;
    }
    /// Removes one reference. True if it was the last one: the block is free again, and the page is no longer
    /// needed.
    bool release(VirtualBlock block);
    void move(VirtualBlock block, Ppa to);
    /// After a loss of power: `block` lies at `at`. Called once for each block, before references are added.
    void restore(VirtualBlock block, Ppa at);

    void serialize(hal::StateArchive& archive) {
        archive(blocks_, buckets_, hal::list(free_), used_, references_);
    }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
    struct Block {
        Ppa place = kUnmapped;
        std::uint32_t references = 0;
        std::uint32_t chain = kNone;  // next block in the same bucket

        void serialize(hal::StateArchive& archive) { archive(place, references, chain); }
    };
    [[nodiscard]] std::size_t bucket(Ppa at) const;
    void link(VirtualBlock block);
    void unlink(VirtualBlock block);

    std::vector<Block> blocks_;
    std::vector<std::uint32_t> buckets_;
    std::vector<VirtualBlock> free_;
    std::uint32_t used_ = 0;
    std::uint64_t references_ = 0;
};

}  // namespace solidtlm::fw
