// SPDX-License-Identifier: Apache-2.0
//
// What the files of the collector share.
#pragma once

#include <memory>
#include <vector>

#include "fw/media/gc/collector.h"

namespace solidtlm::fw {

/// One superpage's worth of units on their way to a new place.
struct GarbageCollector::Move {
    struct Unit {
        Ppa from;
        Lpn lpn{kNoLpn};
        DramAddress dram;
        Victim* victim = nullptr;
        bool keep = true;  // still to be moved
    };

    Move(Environment& environment, DramAddress at)
        : reads(environment), join(environment.executor), buffer(at) {}

    std::vector<Unit> units;
    Cause cause = Cause::gc;
    ReadBatch reads;
    Join join;
    ProgramOp program;
    DramAddress buffer;
    std::vector<UnitRead> read_list;
    std::vector<UnitWrite> write_list;
    std::vector<MapUpdate> updates;
    bool busy = false;
    bool noted = false;        // that its shared units are shared is on flash
    bool programming = false;  // under the names that the units had when it began
};

/// Collection of one parallel unit.
struct GarbageCollector::UnitState {
    UnitState(Environment& environment, Pu unit)
        : pu(unit),
          wake(environment.executor),
          space(environment.executor),
          pipeline(environment.executor, environment.config.gc.pipeline_depth) {}

    Pu pu;
    Signal wake;                // look again
    Signal space;               // a superblock was erased, or a unit became invalid
    std::uint32_t waiting = 0;  // moves that wait for space
    Semaphore pipeline;
    std::vector<std::unique_ptr<Victim>> victims;  // being emptied, oldest first
    std::vector<std::unique_ptr<Move>> moves;
    std::uint32_t erasing = 0;
    bool asleep = false;
    bool has_space = false;  // since save_space()
    bool wear_due = false;   // static wear levelling has something to do
};

}  // namespace solidtlm::fw
