// SPDX-License-Identifier: Apache-2.0
//
// One superpage of units on their way from victims to a new place: which to read, keep, program and map. The
// collector carries these steps out and waits between them (collector.cpp).
#pragma once

#include <span>
#include <vector>

#include "fw/flash/carry_out.h"
#include "fw/flash/program_op.h"
#include "fw/flash/read_batch.h"
#include "fw/gc/relocator.h"
#include "fw/gc/victims.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

class Move : private MapListener {
  public:
    /// Reads to `buffer`, DRAM for one superpage.
    Move(Services& services, SuperblockTable& table, Allocator& allocator, Relocator& relocator,
         GcCounters& counters, DramAddress buffer)
        : services_(services),
          table_(table),
          allocator_(allocator),
          relocator_(relocator),
          counters_(counters),
          buffer_(buffer),
          names_(services.layout.units_per_superpage()),
          reads_(services),
          join_(services.executor, "flash reads of pages to be moved") {}

    [[nodiscard]] bool busy() const { return busy_; }
    /// Gathers units from `victims`, and is busy from then on. False if there is nothing worth moving.
    bool begin(Victims& victims) {
        held_ = victims.gather(runs_, names_, buffer_, cause_);
        busy_ = held_ > 0;
        noted_ = false;
        shrunk_ = false;
        return busy_;
    }
    /// Releases the units that no longer have to be moved.
    void let_go(const Victims& victims);
    /// let_go() has released some.
    [[nodiscard]] bool shrunk() const { return shrunk_; }
    /// Units that could not be moved stay valid in their victim. After a failure, the victim is searched
    /// again.
    void end(const Victims& victims, bool failed);
    [[nodiscard]] std::size_t units() const { return held_; }
    [[nodiscard]] Cause cause() const { return cause_; }
    /// True if the units are exactly those of one superpage.
    [[nodiscard]] bool whole_superpage() const;
    /// True if the first unit lies in SLC mode.
    [[nodiscard]] bool from_slc() const;

    /// Prepares the reads of the units, or of their spare areas alone. Returns the number of flash
    /// operations.
    std::size_t prepare_read(bool metadata_only);
    [[nodiscard]] Join::Awaiter read() {
        reads_.start(join_, nullptr, true);
        return join_.wait();
    }
    /// The reads have ended. Returns the number of operations.
    std::size_t end_read();
    /// Drops units that were overwritten or trimmed since they were gathered, or whose newer version is being
    /// programmed. Returns how many are left.
    std::size_t drop_stale();
    /// True if note() must be awaited before the units are programmed.
    [[nodiscard]] bool must_note() const { return !noted_ && relocator_.must_note(runs_); }
    Task<bool> note() {
        noted_ = true;
        return relocator_.note();
    }
    /// Prepares the program of the units at `at`. `copy_back`: inside the die, without the channel bus.
    hal::FlashOp& prepare_program(SuperpageAddress at, bool copy_back);
    /// The program has succeeded: updates the map. The last part of the core's work stays in `charge`.
    Task<void> remap(Charge& charge);
    /// The map has been updated.
    void end_remap();
    /// Program and map are done with.
    void programmed() { programming_ = false; }
    /// Its units are being programmed.
    [[nodiscard]] bool programming() const { return programming_; }
    /// The unit at `place` is being programmed elsewhere under its present name, or will be after note().
    [[nodiscard]] bool programming(Ppa place) const;

  private:
    void sort_by_name();
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& charge) override;

    Services& services_;
    SuperblockTable& table_;
    Allocator& allocator_;
    Relocator& relocator_;
    GcCounters& counters_;
    DramAddress buffer_;
    std::vector<MovedRun> runs_;
    std::vector<Lpn> names_;  // of the units in runs_
    std::size_t held_ = 0;    // units
    Cause cause_ = Cause::gc;
    ReadBatch reads_;
    Join join_;
    ProgramOp program_;
    std::vector<UnitRead> read_list_;
    std::vector<UnitWrite> write_list_;
    std::vector<MapUpdate> updates_;
    std::size_t not_mapped_ = 0;  // updates that have not been applied
    bool busy_ = false;
    bool shrunk_ = false;
    bool noted_ = false;        // flash has the records that say which units are shared
    bool programming_ = false;  // under the names that the units had when the program began
};

}  // namespace solidtlm::fw
