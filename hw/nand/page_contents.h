// SPDX-License-Identifier: Apache-2.0
//
// What the pages of a die hold. Memory is taken on first touch: in ContentMode::bytes page by page, else
// block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fw/hal/types.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

/// Part of a page to program. Multiples of 512 bytes; content is content_bytes(mode, length) or null: zeros.
struct ProgramSlice {
    std::uint32_t column_bytes = 0;
    std::uint32_t length_bytes = 0;
    const std::byte* content = nullptr;
};

class PageContents {
  public:
    /// Of one block: one buffer a group of pages, null for zeros; empty until something is stored.
    using Block = std::vector<std::unique_ptr<std::byte[]>>;

    explicit PageContents(const NandConfig& config);

    /// Null: zeros.
    [[nodiscard]] const std::byte* find(const Block& block, hal::Page page) const;
    /// `first`: the page held nothing that counts, so what the slices leave out becomes zero.
    void store(Block& block, hal::Page page, std::span<const ProgramSlice> slices, bool first);
    /// The block was erased: what it holds does not count any more.
    void forget(Block& block);
    /// What one block holds, to or from a saved drive.
    template <class Archive>
    void serialize(Archive& archive, Block& block);
    /// Bytes held.
    [[nodiscard]] std::size_t memory() const { return memory_; }

  private:
    std::byte* for_write(Block& block, hal::Page page);
    [[nodiscard]] std::size_t group_bytes() const { return page_content_ * group_pages_; }

    hal::ContentMode mode_;
    std::size_t page_content_;   ///< model bytes a page
    std::uint32_t group_pages_;  ///< pages that share a buffer
    std::size_t groups_;         ///< a block
    Block spare_;                ///< buffers of erased blocks, for reuse
    std::size_t memory_ = 0;
};

}  // namespace solidtlm::hw
