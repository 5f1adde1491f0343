// SPDX-License-Identifier: Apache-2.0
//
// Deduplication as a part of the page map: the system that finds duplicates, the class that shares pages, and
// the work in idle time. See docs/dedup.md.
#pragma once

#include <memory>

#include "fw/dedup/deduplicator.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class Dedup {
  public:
    /// REQUIRES: dedup.system is not none.
    Dedup(Services& services, const DramMap& dram_map, const Sharing::Parts& parts);

    /// Starts the work in idle time.
    void start();
    [[nodiscard]] bool at_rest() const { return !working_; }

    Deduplicator& system() { return *system_; }
    Sharing& sharing() { return sharing_; }
    DedupCounters& counters() { return counters_; }
    [[nodiscard]] DedupState state() const;
    void reset_counters();
    void serialize(hal::StateArchive& archive) { archive(*system_); }

    /// The page in `slot` was programmed and mapped.
    void programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge);

  private:
    Task<void> work();

    Services& services_;
    const DramMap& dram_map_;
    SharedPages& shared_;
    DedupCounters counters_;
    std::uint64_t forgotten_before_ = 0;
    Sharing sharing_;
    std::unique_ptr<Deduplicator> system_;
    Signal wake_;
    bool working_ = false;
};

}  // namespace solidtlm::fw
