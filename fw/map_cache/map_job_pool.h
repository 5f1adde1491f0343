// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/pool_order.h"
#include "fw/hal/check.h"
#include "fw/map_cache/map_area.h"
#include "fw/map_cache/needs.h"
#include "fw/runtime/semaphore.h"

namespace solidtlm::fw {

/// Buffers of translation pages that the cache reads or writes, kMapJobs at once.
class MapJobPool {
  public:
    /// `next`: the DRAM address of the first buffer; the others follow it.
    MapJobPool(Executor& executor, DramAddress next, std::uint32_t page_bytes)
        : credits_(executor, "buffers of translation pages", kMapJobs), jobs_(kMapJobs) {
        for (MapJob& job : jobs_) {
            job.buffer = next;
            next.value += page_bytes;
            free_.push_back(&job);
        }
    }

    /// Waits for a buffer. The caller then gets one with take().
    [[nodiscard]] Semaphore::Awaiter acquire() { return credits_.acquire(1); }
    /// REQUIRES: acquire() has ended.
    MapJob& take() {
        SOLIDTLM_CHECK(!free_.empty(), "take() follows acquire()");
        MapJob& job = *free_.back();
        free_.pop_back();
        return job;
    }
    void give_back(MapJob& job) {
        free_.push_back(&job);
        credits_.release(1);
    }
    void serialize(hal::StateArchive& archive) { serialize_order(archive, jobs_, free_); }

  private:
    Semaphore credits_;
    std::vector<MapJob> jobs_;
    std::vector<MapJob*> free_;
};

}  // namespace solidtlm::fw
