// SPDX-License-Identifier: Apache-2.0
//
// The contents of a die's pages. Memory is allocated on first touch: in ContentMode::bytes page by page, with
// tags as tag_pages.h describes.
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

/// Part of a page to program. All sizes are multiples of 512 bytes; content is content_bytes(mode, length)
/// long, or null for zeros.
struct ProgramSlice {
    std::uint32_t column_bytes = 0;
    std::uint32_t length_bytes = 0;
    const std::byte* content = nullptr;
};

class PageContents {
  public:
    explicit PageContents(const NandConfig& config);

    /// Copies the content of a page from `column_bytes` on. False, with zeros in `content`, if nothing was
    /// stored. `block`: plane * blocks + block.
    bool copy(std::size_t block, hal::Page page, std::uint32_t column_bytes,
              std::span<std::byte> content) const;
    /// Stores the slices; the rest of the page becomes zeros.
    void store(std::size_t block, hal::Page page, std::span<const ProgramSlice> slices);
    /// The block was erased: drops its contents.
    void forget(std::size_t block);
    /// Saves or loads the contents of one block.
    template <class Archive>
    void serialize(Archive& archive, std::size_t block);
    /// Bytes of memory in use.
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
    std::vector<std::vector<Buffer>> bytes_;  ///< by block and page: null for zeros; empty if all are zeros
    std::vector<Buffer> spare_;               ///< buffers of erased pages, for reuse
};

}  // namespace solidtlm::hw
