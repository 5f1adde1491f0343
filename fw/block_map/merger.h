// SPDX-License-Identifier: Apache-2.0
//
// Carries out the merges that a BlockLayer describes: copies pages, erases blocks.
//
// The copies of a merge go to the parallel units of its target, one lane each. A lane reads ahead as many
// superpages as there are buffers (gc.pipeline_depth) and programs them in ascending order; with full
// striping a merge thus works on all dies at once. Erases run in the background. If the host reads a page of
// a block that is then erased, the flash controllers keep that order (hw/nand/die_queue.h).
#pragma once

#include <memory>
#include <vector>

#include "fw/block_map/block_counters.h"
#include "fw/block_map/block_layer.h"
#include "fw/block_map/block_tables.h"
#include "fw/block_map/block_usage.h"
#include "fw/flash/carry_out.h"
#include "fw/flash/program_op.h"
#include "fw/flash/read_batch.h"
#include "fw/runtime/join.h"
#include "fw/translation/lost_pages.h"

namespace solidtlm::fw {

/// Incidents during merges that docs/block-map.md does not cover.
struct MergeIncidents {
    std::uint64_t copied_back = 0;       ///< pages copied inside their die
    std::uint64_t failed_merges = 0;     ///< started again after a failed program
    std::uint64_t unreadable_pages = 0;  ///< lost
};

class BlockMerger {
  public:
    /// The parts of a block map that merges work on.
    struct Parts {
        const BlockPlaces& places;
        BlockLayer& layer;
        BlockUsage& usage;
        BlockTables& tables;
        BlockCounters& counters;
    };
    BlockMerger(Services& services, Parts parts, DramAddress buffers);
    ~BlockMerger();

    /// True if a host program is under way in a block that `merge` touches. The caller then waits and asks
    /// the layer again.
    [[nodiscard]] bool busy(const Merge& merge) const;
    /// Copies the pages, reports the merge to the layer, and starts the erases. REQUIRES: !busy(merge), and
    /// no other merge is under way.
    Task<void> run(const Merge& merge);
    /// Blocks that are being erased.
    [[nodiscard]] std::uint32_t erasing() const { return erasing_; }
    LostPages& lost() { return lost_; }
    [[nodiscard]] const LostPages& lost() const { return lost_; }
    [[nodiscard]] const MergeIncidents& incidents() const { return incidents_; }
    void serialize(hal::StateArchive& archive) { archive(lost_); }
    void reset_incidents() { incidents_ = MergeIncidents{}; }

  private:
    struct Move;
    struct Lane;
    struct Erase;

    void distribute(const Merge& merge);
    Task<void> run_lane(const Merge& merge, Lane& lane);
    Task<void> begin_read(const Merge& merge, const Lane& lane, Move& move);
    Task<void> begin_program(const Merge& merge, const Lane& lane, Move& move);
    Task<void> end_program(const Merge& merge, const Lane& lane, Move& move);
    [[nodiscard]] bool inside_die(const Merge& merge, const Lane& lane, const Move& move) const;
    void gather_writes(const Merge& merge, const Lane& lane, Move& move);
    void finish(const Merge& merge);
    void start_erase(BlockId block);
    void tell(hal::Deed deed, hal::Reason reason, BlockId block,
              std::uint32_t count = hal::Decision::kNotTold) const;
    Task<void> erase(Erase& work);

    Services& services_;
    Parts parts_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // by Pu
    Join lanes_done_;
    bool failed_ = false;              // a program of the present merge failed
    std::uint32_t failed_offset_ = 0;  // in the target: where it failed
    std::vector<const Merge::Copy*> unreadable_;
    LostPages lost_;
    MergeIncidents incidents_;
    std::vector<std::unique_ptr<Erase>> erases_;
    std::vector<Erase*> idle_erases_;
    std::uint32_t erasing_ = 0;
};

}  // namespace solidtlm::fw
