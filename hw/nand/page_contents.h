// SPDX-License-Identifier: Apache-2.0
//
// What the pages of a die hold. Memory is taken on first touch: in ContentMode::bytes page by page, with tags
// as tag_pages.h says.
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
    explicit PageContents(const NandConfig& config);

    /// Content of a page from `column_bytes` on. False: nothing was stored, `content` becomes zeros. `block`:
    /// plane * blocks + block.
    bool copy(std::size_t block, hal::Page page, std::uint32_t column_bytes,
              std::span<std::byte> content) const;
    /// What the slices leave out becomes zero.
    void store(std::size_t block, hal::Page page, std::span<const ProgramSlice> slices);
    /// The block was erased: what it holds does not count any more.
    void forget(std::size_t block);
    /// What one block holds, to or from a saved drive.
    template <class Archive>
    void serialize(Archive& archive, std::size_t block);
    /// Bytes held.
    [[nodiscard]] std::size_t memory() const;

  private:
    using Buffer = std::unique_ptr<std::byte[]>;

    void store_bytes(std::size_t block, hal::Page page, std::span<const ProgramSlice> slices);
    void store_tags(std::size_t block, hal::Page page, std::span<const ProgramSlice> slices);
    std::byte* for_write(std::size_t block, hal::Page page);

    hal::ContentMode mode_;
    std::uint32_t block_pages_;
    std::size_t page_content_;  ///< model bytes per page
    std::size_t page_sectors_;
    TagPages tags_;
    std::vector<std::vector<Buffer>> bytes_;  ///< by block and page: null for zeros; empty: all of them
    std::vector<Buffer> spare_;               ///< of erased pages, for reuse
};

}  // namespace solidtlm::hw
