// SPDX-License-Identifier: Apache-2.0
//
// Groups of dies that protect each other's data, and how firmware sees such a group as one die.
//
// A group has firmware.reliability.parity_dies dies with the same number, one on each of neighbouring
// channels. Firmware sees one die on one channel, which has as many planes as all the group's dies but one.
// Pages at the same place on all dies of the group are a stripe. One of them holds the parity of the others,
// on a different die from block to block. The plane that firmware sees selects one of the other dies.
#pragma once

#include "fw/drive/config.h"
#include "fw/hal/flash.h"

namespace solidtlm::fw {

/// `flash` as firmware sees it in groups of `dies`. REQUIRES: can_group().
[[nodiscard]] FlashLayout grouped(FlashLayout flash, std::uint32_t dies);
[[nodiscard]] bool can_group(const FlashLayout& flash, std::uint32_t dies);
/// The real layout from which grouped() derived config.flash. Its `same_block` is not meaningful, because
/// operations of groups always use equal block numbers.
[[nodiscard]] FlashLayout physical_layout(const FirmwareConfig& config);

class DieGroup {
  public:
    /// REQUIRES: config.reliability.parity().
    explicit DieGroup(const FirmwareConfig& config);

    [[nodiscard]] std::uint32_t dies() const { return dies_; }
    /// Planes of a die.
    [[nodiscard]] std::uint32_t planes() const { return planes_; }
    /// Planes of the group, as firmware sees them.
    [[nodiscard]] std::uint32_t data_planes() const { return planes_ * (dies_ - 1); }
    /// The die of the group that holds the parity of a block's pages.
    [[nodiscard]] std::uint32_t parity_die(hal::Block block) const { return block.value % dies_; }
    /// The die of the group that holds the page that firmware addresses.
    [[nodiscard]] std::uint32_t die_of(const hal::FlashAddress& seen) const {
        const std::uint32_t data = seen.plane.value / planes_;
        return data < parity_die(seen.block) ? data : data + 1;
    }
    /// The page of the same stripe on die `die` of the group.
    [[nodiscard]] hal::FlashAddress on_die(const hal::FlashAddress& seen, std::uint32_t die) const;
    /// The real place of the page.
    [[nodiscard]] hal::FlashAddress place_of(const hal::FlashAddress& seen) const {
        return on_die(seen, die_of(seen));
    }

  private:
    std::uint32_t dies_;
    std::uint32_t planes_;
};

/// Factory marks of a group: a block is bad if it is bad on one of the group's dies.
class GroupMarks : public hal::FactoryMarks {
  public:
    /// Both arguments must outlive it.
    GroupMarks(const DieGroup& group, const hal::FactoryMarks& flash) : group_(group), flash_(&flash) {}
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& block) const override;
    [[nodiscard]] bool all_good() const override { return flash_->all_good(); }

  private:
    const DieGroup& group_;
    const hal::FactoryMarks* flash_;
};

}  // namespace solidtlm::fw
