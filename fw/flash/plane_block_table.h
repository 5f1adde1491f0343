// SPDX-License-Identifier: Apache-2.0
//
// Blocks of one plane each, in the superblocks after the data area: those of the map area and of the recovery
// log. They are numbered plane by plane, so that neighbours lie on different planes, and on different dies if
// there are several.
#pragma once

#include "fw/drive/layout.h"
#include "fw/flash/block_table.h"

namespace solidtlm::fw {

class PlaneBlockTable : public BlockTable {
  public:
    /// `first`: the superblock at which the area begins in each parallel unit.
    PlaneBlockTable(const MediaLayout& layout, Superblock first, BlockIndex blocks)
        : BlockTable(blocks, layout.area_pages()), layout_(layout), first_(first) {}

    /// Planes of the device.
    [[nodiscard]] std::uint32_t planes() const { return layout_.pus() * layout_.planes_per_pu(); }
    [[nodiscard]] hal::FlashAddress address(BlockIndex block, std::uint32_t page) const {
        const std::uint32_t plane = block % planes();
        const Superblock superblock{first_.value + block / planes()};
        return layout_.nand_page(Pu{plane / layout_.planes_per_pu()}, superblock,
                                 plane % layout_.planes_per_pu(), page);
    }

  private:
    const MediaLayout& layout_;
    Superblock first_;
};

}  // namespace solidtlm::fw
