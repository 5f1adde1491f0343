// SPDX-License-Identifier: Apache-2.0
//
// What the pages of a die hold. Memory is taken on first touch: in ContentMode::bytes page by page, with tags
// block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fw/hal/types.h"
#include "hw/nand/config.h"
#include "hw/nand/tag_pages.h"

namespace solidtlm::hw {

/// Part of a page to program. Multiples of 512 bytes; content is content_bytes(mode, length) or null: zeros.
struct ProgramSlice {
    std::uint32_t column_bytes = 0;
    std::uint32_t length_bytes = 0;
    const std::byte* content = nullptr;
};

class PageContents {
  public:
    /// Of one block.
    struct Block {
        std::vector<std::unique_ptr<std::byte[]>> pages;  ///< bytes: null for zeros; empty: all of them
        TagPages tags;
    };

    explicit PageContents(const NandConfig& config);

    /// Content of a page from `column_bytes` on. False: nothing was stored, `content` becomes zeros.
    bool copy(const Block& block, hal::Page page, std::uint32_t column_bytes,
              std::span<std::byte> content) const;
    /// `first`: the page held nothing that counts, so what the slices leave out becomes zero.
    void store(Block& block, hal::Page page, std::span<const ProgramSlice> slices, bool first);
    /// The block was erased: what it holds does not count any more.
    void forget(Block& block);
    /// What one block holds, to or from a saved drive.
    template <class Archive>
    void serialize(Archive& archive, Block& block);
    /// Bytes held by a block.
    [[nodiscard]] std::size_t memory(const Block& block) const;
    /// Bytes held for blocks to come.
    [[nodiscard]] std::size_t spare_memory() const { return spare_.size() * page_content_; }

  private:
    void store_bytes(Block& block, hal::Page page, std::span<const ProgramSlice> slices, bool first);
    void store_tags(Block& block, hal::Page page, std::span<const ProgramSlice> slices, bool first);
    std::byte* for_write(Block& block, hal::Page page);

    hal::ContentMode mode_;
    std::uint32_t pages_;       ///< of a block
    std::size_t page_content_;  ///< model bytes a page
    std::size_t page_sectors_;
    std::vector<std::unique_ptr<std::byte[]>> spare_;  ///< of erased pages, for reuse
};

}  // namespace solidtlm::hw
