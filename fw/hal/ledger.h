// SPDX-License-Identifier: Apache-2.0
//
// Where each picosecond of a host command goes.
//
// Invariant: from start() on, the command is in exactly one stage at every instant; enter() closes the
// current stage and opens the next. Instants must not go back: an enter() before the last mark is a bug and
// shows up as a residual, because the stages then no longer add up to the latency that the host measured with
// its own clock.
//
// Forks: each branch has its own ledger, which starts at the fork. join() splices the branch that finished
// last into the trunk. HolderTimes splits the wait for a resource by the holders of the resource.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "fw/hal/check.h"
#include "fw/hal/types.h"

namespace solidtlm::hal {

/// The stages of a host command. `die_wait` and `channel_wait` are each followed by one stage per Holder.
enum class Stage : std::uint8_t {
    host_queue,          ///< the host holds it back: no free slot, or libata's rule for non-queued commands
    link_wait,           ///< a frame waits for the half-duplex link
    link_transfer,       ///< a frame of this command is on the link
    command_queue,       ///< in the device's queue: not fetched yet, or waits for an overlapping command
    firmware_wait,       ///< ready to go on, but the core works on something else
    firmware_execute,    ///< the core works on it
    write_buffer_stall,  ///< waits for write-buffer space, or for buffered data to reach flash (FLUSH, FUA)
    gc_stall,            ///< as above, while the write buffer itself waits for free blocks
    map_read,            ///< a map-cache miss reads a translation page
    map_write_back,      ///< a map-cache miss first writes a dirty translation page back
    dram_wait,           ///< waits until the DRAM serves it
    dram_transfer,       ///< moves data to or from DRAM
    channel_transfer,    ///< command, address, data or status cycles on the channel bus
    array,               ///< tR, tPROG or tBERS
    ecc,                 ///< ECC encode or decode
    hash,                ///< waits for the hash unit or is in it
    completion,          ///< the final status is on its way to the host
    link_wake,           ///< the link comes up from a power state
    read_ahead,          ///< waits for data that was requested from flash before the host asked for it
    doorbell,            ///< in its submission queue; the doorbell is on its way to the drive
    sq_fetch,            ///< the drive knows of it, and fetches it when arbitration and a free slot allow
    prp_fetch,           ///< the drive fetches the addresses of its data
    hba_fetch,           ///< the host's adapter has other work, or fetches the command from memory
    hba_dma,             ///< the host's adapter has other work, or moves data or status from or to memory
    hba_wait,            ///< done, but the host bus adapter serves the end of another command
    hba_work,            ///< the host bus adapter serves its end with its own firmware
    interrupt_latency,   ///< the interrupt is on its way to the host's processor
    interrupt_wait,      ///< the host has the status, but interrupt coalescing holds the interrupt back
    host_cpu_wait,       ///< the host's processor works on another command
    host_cpu,            ///< the host's processor submits it or handles its completion
    die_wait,            ///< first of kHolders stages: the die is held by ...
    channel_wait = die_wait + kHolders,  ///< first of kHolders stages: the channel bus is held by ...
};
constexpr std::size_t kStages = static_cast<std::size_t>(Stage::channel_wait) + kHolders;

/// Groups of stages that occur only in some runs.
enum class StageGroup : std::uint8_t {
    always,
    power,        ///< the link has power states (hw/sata/link_power.h)
    ahead,        ///< the drive reads ahead of the host (fw/read_cache)
    queues,       ///< the host's commands are in queues in its memory (hw/nvme)
    adapter,      ///< the host reaches the drive through an adapter with registers and DMA (hw/ahci)
    host_delays,  ///< a status takes time to reach the host's processor (testbench/sim/host/config.h)
    host_times,   ///< the host itself takes time (testbench/sim/host/config.h)
};
constexpr std::size_t kStageGroups = 7;
constexpr StageGroup group_of(Stage stage) {
    if (stage < Stage::link_wake || stage > Stage::host_cpu) {
        return StageGroup::always;
    }
    if (stage == Stage::link_wake) {
        return StageGroup::power;
    }
    if (stage == Stage::read_ahead) {
        return StageGroup::ahead;
    }
    if (stage <= Stage::prp_fetch) {
        return StageGroup::queues;
    }
    if (stage <= Stage::hba_dma) {
        return StageGroup::adapter;
    }
    return stage <= Stage::interrupt_latency ? StageGroup::host_delays : StageGroup::host_times;
}

constexpr Stage die_wait_for(Holder holder) {
    return static_cast<Stage>(static_cast<std::size_t>(Stage::die_wait) + static_cast<std::size_t>(holder));
}
constexpr Stage channel_wait_for(Holder holder) {
    return static_cast<Stage>(static_cast<std::size_t>(Stage::channel_wait) +
                              static_cast<std::size_t>(holder));
}

constexpr std::array<std::string_view, kStages> kStageNames{"host_queue",
                                                            "link_wait",
                                                            "link_transfer",
                                                            "command_queue",
                                                            "firmware_wait",
                                                            "firmware_execute",
                                                            "write_buffer_stall",
                                                            "gc_stall",
                                                            "map_read",
                                                            "map_write_back",
                                                            "dram_wait",
                                                            "dram_transfer",
                                                            "channel_transfer",
                                                            "array",
                                                            "ecc",
                                                            "hash",
                                                            "completion",
                                                            "link_wake",
                                                            "read_ahead",
                                                            "doorbell",
                                                            "sq_fetch",
                                                            "prp_fetch",
                                                            "hba_fetch",
                                                            "hba_dma",
                                                            "hba_wait",
                                                            "hba_work",
                                                            "interrupt_latency",
                                                            "interrupt_wait",
                                                            "host_cpu_wait",
                                                            "host_cpu",
                                                            "die_wait_host",
                                                            "die_wait_map",
                                                            "die_wait_gc",
                                                            "die_wait_merge",
                                                            "die_wait_wear",
                                                            "die_wait_dedup",
                                                            "die_wait_recovery",
                                                            "die_wait_patrol",
                                                            "die_wait_erase",
                                                            "channel_wait_host",
                                                            "channel_wait_map",
                                                            "channel_wait_gc",
                                                            "channel_wait_merge",
                                                            "channel_wait_wear",
                                                            "channel_wait_dedup",
                                                            "channel_wait_recovery",
                                                            "channel_wait_patrol",
                                                            "channel_wait_erase"};

/// How long a resource has been held since the start of the simulation, by holder.
using HolderTimes = std::array<Ps, kHolders>;

/// A resource with at most one holder at a time, and how long each kind of holder has held it.
class HolderClock {
  public:
    /// REQUIRES: the resource is free.
    void take(Holder holder, Ps now) {
        SOLIDTLM_CHECK(!held_, "a resource has one holder at a time");
        holder_ = holder;
        since_ = now;
        held_ = true;
    }
    /// REQUIRES: the resource is held.
    void release(Ps now) {
        SOLIDTLM_CHECK(held_, "the resource is held");
        times_[static_cast<std::size_t>(holder_)] += now - since_;
        held_ = false;
    }
    [[nodiscard]] bool held() const { return held_; }
    [[nodiscard]] Holder holder() const { return holder_; }
    /// Cumulative times up to `now`, including the current holder's.
    [[nodiscard]] HolderTimes snapshot(Ps now) const {
        HolderTimes times = times_;
        if (held_) {
            times[static_cast<std::size_t>(holder_)] += now - since_;
        }
        return times;
    }

  private:
    HolderTimes times_{};
    Ps since_{};
    Holder holder_{};
    bool held_ = false;
};

class Ledger {
  public:
    /// Resets all stages and begins in `stage` at `at`.
    void start(Stage stage, Ps at) {
        stages_.fill(Ps{0});
        begin_ = last_ = at;
        current_ = stage;
    }

    /// Closes the current stage at `at` and opens `stage`.
    void enter(Stage stage, Ps at) {
        if (at > last_) {  // an instant that goes back is counted twice and becomes a residual
            stages_[static_cast<std::size_t>(current_)] += at - last_;
            previous_ = current_;
        }
        last_ = at;
        current_ = stage;
    }

    /// Closes the current stage at `at` and opens `stage`, even if hardware has already marked stages that it
    /// expected after `at`: that time is taken back, first from the stage closed last. For commands that are
    /// aborted.
    void interrupt(Stage stage, Ps at) {
        Ps excess = last_ > at ? last_ - at : Ps{0};
        take_back(previous_, excess);
        if (previous_ >= Stage::die_wait) {  // the time of a wait is divided among several holders
            const Stage first = previous_ < Stage::channel_wait ? Stage::die_wait : Stage::channel_wait;
            for (std::size_t i = 0; i < kHolders; ++i) {
                take_back(static_cast<Stage>(static_cast<std::size_t>(first) + i), excess);
            }
        }
        for (std::size_t i = kStages; i > 0 && excess > Ps{0}; --i) {
            take_back(static_cast<Stage>(i - 1), excess);
        }
        last_ = std::min(last_, at);
        enter(stage, at);
    }

    /// Closes a wait at `at`: the time since the last mark belongs to the holders of the resource, by the
    /// difference of the two snapshots. `first` is Stage::die_wait or Stage::channel_wait; `next` opens.
    void close_wait(Stage first, const HolderTimes& before, const HolderTimes& after, Stage next, Ps at) {
        Ps longest{0};
        for (std::size_t i = 0; i < kHolders; ++i) {
            const std::size_t stage = static_cast<std::size_t>(first) + i;
            const Ps part = after[i] - before[i];
            stages_[stage] += part;
            if (part > longest) {
                longest = part;
                previous_ = static_cast<Stage>(stage);
            }
        }
        last_ = at;
        current_ = next;
    }

    /// Splices a branch that began at or after the last mark: the trunk's current stage lasts until the
    /// branch began, then the branch's stages follow; `next` opens where the branch ended.
    void join(const Ledger& branch, Stage next) {
        enter(next, branch.begin_);
        for (std::size_t i = 0; i < kStages; ++i) {
            stages_[i] += branch.stages_[i];
        }
        if (branch.last_ > branch.begin_) {
            previous_ = branch.previous_;
        }
        last_ = branch.last_;
    }

    [[nodiscard]] Ps operator[](Stage stage) const { return stages_[static_cast<std::size_t>(stage)]; }
    [[nodiscard]] Stage current() const { return current_; }
    /// The HostCommand::id of the ledger's command, 0 if none. start() does not change it.
    [[nodiscard]] std::uint32_t command_id() const { return command_id_; }
    void set_command_id(std::uint32_t id) { command_id_ = id; }
    [[nodiscard]] Ps begin() const { return begin_; }
    /// Instant of the last mark.
    [[nodiscard]] Ps last() const { return last_; }
    /// Sum of all stages; equals last() - begin() unless there is a bug.
    [[nodiscard]] Ps total() const {
        Ps sum{0};
        for (const Ps part : stages_) {
            sum += part;
        }
        return sum;
    }

  private:
    void take_back(Stage stage, Ps& excess) {
        Ps& time = stages_[static_cast<std::size_t>(stage)];
        const Ps part = std::min(time, excess);
        time -= part;
        excess -= part;
    }

    std::array<Ps, kStages> stages_{};
    Ps begin_{};
    Ps last_{};
    Stage current_{};
    Stage previous_{};  // last closed stage that took time; for a wait, the stage of the longest holder
    std::uint32_t command_id_ = 0;
};

}  // namespace solidtlm::hal
