// SPDX-License-Identifier: Apache-2.0
//
// Where the pages of a block lie on flash.
//
// With full striping a block is a group: the superblocks of one number of all parallel units, with its pages
// rotating over planes and stripe. Without striping it is one superblock; consecutive numbers lie on
// consecutive parallel units of the stripe. Mapping units are NAND pages, so a superpage has one unit per
// plane.
#pragma once

#include "fw/block_map/block_layer.h"
#include "fw/drive/layout.h"

namespace solidtlm::fw {

class BlockPlaces {
  public:
    BlockPlaces(const MediaLayout& layout, StripingMode striping)
        : layout_(layout),
          striped_(striping == StripingMode::full),
          by_plane_(layout.planes_per_pu()),
          by_unit_(striped_ ? layout.pus() : 1),
          by_block_(striped_ ? 1 : layout.pus()) {}

    /// Parallel units that a block spans.
    [[nodiscard]] std::uint32_t units() const { return striped_ ? layout_.pus() : 1; }
    /// The `index`-th of them.
    [[nodiscard]] Pu unit(BlockId block, std::uint32_t index) const {
        return layout_.stripe(striped_ ? index : by_block_.remainder(block.value));
    }
    [[nodiscard]] Superblock superblock(BlockId block) const {
        return Superblock{by_block_.quotient(block.value)};
    }
    [[nodiscard]] SuperpageAddress superpage(BlockPage page) const {
        const std::uint32_t superpage = by_plane_.quotient(page.offset);
        const std::uint32_t row = by_unit_.quotient(superpage);
        return SuperpageAddress{unit(page.block, superpage - row * units()), superblock(page.block), row};
    }
    /// Plane of its parallel unit: which page of the superpage.
    [[nodiscard]] std::uint8_t plane(std::uint32_t offset) const {
        return static_cast<std::uint8_t>(by_plane_.remainder(offset));
    }
    /// Number of the superpage that holds the page at `offset`; ascending with `offset`.
    [[nodiscard]] std::uint32_t superpage_number(std::uint32_t offset) const {
        return by_plane_.quotient(offset);
    }
    [[nodiscard]] Ppa ppa(BlockPage page) const {
        return layout_.ppa(superpage(page), by_plane_.remainder(page.offset));
    }

  private:
    const MediaLayout& layout_;
    bool striped_;
    Divider by_plane_;
    Divider by_unit_;   // superpages of a row
    Divider by_block_;  // blocks with one superblock number
};

}  // namespace solidtlm::fw
