// SPDX-License-Identifier: Apache-2.0
//
// Flash with parity over dies: the firmware above sees a group of dies as one die (die_group.h) and never
// learns that a page was rebuilt.
//
// - A program (of a page or a whole word line on each plane) or an erase of a whole superpage or superblock
//   goes to all dies of the group. The flash controller sums up the parity on its way, for the die that holds
//   it in this block. The operation fails if one of them does. Single pages (translation pages, the recovery
//   log) have no parity.
// - A read goes to the dies that have the pages. A page that cannot be corrected is rebuilt: the other pages
//   of its stripe are read one after the other, and summed up in DRAM where its data belongs. If one of them
//   cannot be read, or had not been written when power was lost, the page stays uncorrectable.
// - The spare area of the parity page is the sum of those of its stripe, so metadata is rebuilt, too.
// - While the drive boots, a stripe that is erased except for its parity must not be written to, because
// power
//   was lost between the dies. It reads as uncorrectable.
// - An erase waits for reads of its block, because a page that is rebuilt is read from other dies.
//
// Each further descriptor costs the core CycleCosts::flash_issue and flash_complete.
#pragma once

#include <array>
#include <vector>

#include "fw/drive/flash_layer.h"
#include "fw/drive/split_operation.h"
#include "fw/hal/metrics.h"
#include "fw/parity/die_group.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class ParityFlash : public FlashLayer {
  public:
    /// The references must outlive it. REQUIRES: config.reliability.parity().
    ParityFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash);

    /// REQUIRES: a read, a program or an erase.
    void submit(hal::FlashOp& op) override;
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& block) const override {
        return GroupMarks(group_, below()).factory_bad(block);
    }
    /// Operations of the die of the group that has most.
    [[nodiscard]] std::uint32_t pending(hal::Channel channel, hal::Die die) const override;

    /// The real place of the page that the firmware above calls `seen`.
    [[nodiscard]] hal::FlashAddress place_of(const hal::FlashAddress& seen) const {
        return group_.place_of(seen);
    }
    void tell(hal::Metrics& metrics) const;
    void reset_counters() { counters_ = {}; }

  private:
    /// The part of an operation that one die of the group does.
    struct Part : OperationPart {
        std::array<std::byte, hal::kMaxPagesPerOp * hal::kMaxSpareBytes> spare{};
        std::array<std::uint8_t, hal::kMaxPagesPerOp> seen{};  ///< index of each page in the whole operation
        bool parity = false;                                   ///< no plane holds data: they hold the parity
    };
    /// An operation, with a part for each die of the group; parts without planes have nothing to do.
    using Work = SplitOperation<Part>;
    struct Counters {
        std::uint64_t parity_pages = 0;
        std::uint64_t rebuilt = 0;
        std::uint64_t lost = 0;
    };

    Task<void> run(hal::FlashOp& op);
    /// True if the operation is on all planes of the group.
    [[nodiscard]] bool is_whole(const hal::FlashOp& op) const { return op.planes == group_.data_planes(); }
    /// True if a read of the block that `erase` will erase is under way.
    [[nodiscard]] bool is_being_read(const hal::FlashOp& erase) const;
    void split(const hal::FlashOp& op, Work& work) const;
    void add_parity(const hal::FlashOp& op, Work& work) const;
    [[nodiscard]] std::uint8_t in_parity(const hal::FlashOp& op, std::uint32_t slot) const;
    void start(Part& part, Join& join, Ledger* ledger);
    static void gather(hal::FlashOp& op, const Work& work);
    Task<void> rebuild(hal::FlashOp& op, Work& work);
    Task<void> look_at_parity(hal::FlashOp& op, Work& work);
    Task<void> read_alone(Part& part, const hal::FlashOp& of, const hal::FlashAddress& at, Work& work);
    Task<bool> rebuild_page(hal::FlashOp& op, std::uint8_t plane, Work& work);

    const DieGroup group_;
    const CycleCosts cycles_;
    Executor& executor_;
    SplitPool<Part> works_;
    std::vector<const hal::FlashOp*> reads_;  // reads under way
    Signal read_ended_;
    Counters counters_;
};

}  // namespace solidtlm::fw
