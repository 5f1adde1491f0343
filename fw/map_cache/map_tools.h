// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/map_cache/cached_entries.h"
#include "fw/map_cache/map_area.h"
#include "fw/map_cache/map_counters.h"
#include "fw/map_cache/page_locks.h"

namespace solidtlm::fw {

/// The parts that read and write translation pages of a cached map.
struct MapTools {
    Services& services;
    CachedEntries& entries;
    MapArea& area;
    PageLocks& locks;
    JobPool<MapJob>& jobs;  ///< kMapJobs
    MapCounters& counters;

    /// Counts the time since `since` as spent in a queue. `waits` may be null.
    void add_queue(MapTime* waits, Ps since) const {
        if (waits != nullptr) {
            waits->queue += services.executor.now() - since;
        }
    }
};

}  // namespace solidtlm::fw
