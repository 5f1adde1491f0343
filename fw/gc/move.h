// SPDX-License-Identifier: Apache-2.0
//
// One superpage's worth of units on their way from victims to a new place.
#pragma once

#include <vector>

#include "fw/gc/relocator.h"
#include "fw/gc/victims.h"
#include "fw/media/program_op.h"
#include "fw/media/read_batch.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

class Move : private MapListener {
  public:
    /// Reads to `buffer`, one superpage of DRAM.
    Move(Environment& environment, SuperblockTable& table, Allocator& allocator, Relocator& relocator,
         GcCounters& counters, DramAddress buffer)
        : environment_(environment),
          table_(table),
          allocator_(allocator),
          relocator_(relocator),
          counters_(counters),
          buffer_(buffer),
          reads_(environment),
          join_(environment.executor, "flash reads of pages to be moved") {}

    [[nodiscard]] bool busy() const { return busy_; }
    /// Gathers from `victims`; busy from now on. False if there is nothing worth moving.
    bool begin(Victims& victims) {
        busy_ = victims.gather(units_, buffer_, cause_);
        noted_ = false;
        return busy_;
    }
    void end() {
        units_.clear();
        busy_ = false;
    }
    [[nodiscard]] std::vector<Victims::Unit>& units() { return units_; }
    /// They are all that one superpage has.
    [[nodiscard]] bool whole_superpage() const;

    /// Reads the units, or their spare areas alone.
    Task<void> read(bool metadata_only);
    /// Keeps no units that were overwritten or trimmed since they were gathered, or whose newer version is on
    /// its way. Returns how many are left.
    std::size_t drop_stale();
    /// note() must be waited for before program().
    [[nodiscard]] bool must_note() const;
    Task<bool> note();
    /// False if it failed. `copy_back`: inside the die, without the channel bus. If it has not failed, the
    /// last of the core's work is left in `charge`.
    Task<bool> program(SuperpageAddress at, bool copy_back, Charge& charge);
    /// The map follows a program.
    Task<void> remap(SuperpageAddress at, Charge& charge);
    /// Program and map are done with.
    void programmed() { programming_ = false; }
    /// The unit at `place` is being programmed elsewhere, under the name that it has now.
    [[nodiscard]] bool programming(Ppa place) const;

  private:
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(const MapUpdate& update, Charge& charge) override;

    Environment& environment_;
    SuperblockTable& table_;
    Allocator& allocator_;
    Relocator& relocator_;
    GcCounters& counters_;
    DramAddress buffer_;
    std::vector<Victims::Unit> units_;
    Cause cause_ = Cause::gc;
    ReadBatch reads_;
    Join join_;
    ProgramOp program_;
    std::vector<UnitRead> read_list_;
    std::vector<UnitWrite> write_list_;
    std::vector<MapUpdate> updates_;
    bool busy_ = false;
    bool noted_ = false;        // that its shared units are shared is on flash
    bool programming_ = false;  // under the names that the units had when it began
};

}  // namespace solidtlm::fw
