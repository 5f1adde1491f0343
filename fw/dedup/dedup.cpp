// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/dedup.h"

#include "fw/dedup/needs.h"
#include "fw/drive/host_activity.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

Dedup::Dedup(Services& services, const DramMap& dram_map, const Sharing::Parts& parts)
    : services_(services),
      dram_map_(dram_map),
      shared_(parts.shared),
      sharing_(services, parts, dram_map[kSharedPages]),
      system_(dedup_system(services.config.dedup.system.name)
                  .make(DedupTools{services, parts.buffer, parts.shared, sharing_, counters_, dram_map})),
      wake_(services.executor, "pages wait to be looked at") {}

void Dedup::start() {
    services_.executor.spawn(work());
}

void Dedup::programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) {
    system_->programmed(slot, lpn, place, charge);
    if (wake_.has_waiters() && system_->waiting() > 0) {
        wake_.notify();
    }
}

Task<void> Dedup::work() {
    HostActivity& host = *services_.activity;
    while (true) {
        if (system_->waiting() == 0) {
            co_await wake_.wait();
            continue;
        }
        co_await host.wait_idle();
        ++counters_.idle_periods;
        working_ = true;
        while (system_->waiting() > 0 && !host.busy()) {
            co_await system_->look_at_one();
        }
        working_ = false;
    }
}

DedupState Dedup::state() const {
    DedupState state;
    state.counters = counters_;
    state.counters.evicted = system_->forgotten_entries() - forgotten_before_;
    state.shared_pages = shared_.used();
    state.references = shared_.references();
    state.waiting = system_->waiting();
    state.table_entries = system_->table_entries();
    state.table_bytes =
        dram_map_.bytes(kSharedPages) + dram_map_.bytes(kDedupTable) + dram_map_.bytes(kUncheckedMarks);
    return state;
}

void Dedup::reset_counters() {
    counters_ = DedupCounters{};
    forgotten_before_ = system_->forgotten_entries();
}

}  // namespace solidtlm::fw
