// SPDX-License-Identifier: Apache-2.0
//
// A PageIndex in DRAM: searching and changing it costs the core cycles and DRAM accesses.
#pragma once

#include "fw/dedup/page_index.h"
#include "fw/drive/services.h"
#include "fw/hal/dram.h"

namespace solidtlm::fw {

class DedupTable {
  public:
    /// `bytes` of DRAM at `base`, `entry_bytes` per entry.
    DedupTable(Services& services, hal::DramAddress base, std::uint64_t bytes, std::uint32_t entry_bytes)
        : index(bytes / entry_bytes), services_(services), base_(base), entry_bytes_(entry_bytes) {}

    PageIndex index;  ///< access to it costs nothing

    /// The first page with this key, or kNone; adds the cost to `charge`.
    PageIndex::Position search(const PageIndex::Key& key, Charge& charge) {
        const PageIndex::Position position = index.first(key);
        access(position, false);
        charge += services_.executor.charge(services_.config.cycles.dedup_search);
        return position;
    }
    /// Adds `entry`, and the cost to `charge`.
    void insert(const PageIndex::Entry& entry, Charge& charge) {
        index.insert(entry);
        access(index.find(entry.place), true);
        charge += services_.executor.charge(services_.config.cycles.dedup_insert);
    }

  private:
    void access(PageIndex::Position position, bool write) {
        const std::uint64_t entry = position == PageIndex::kNone ? 0 : position;
        Executor& executor = services_.executor;
        executor.add_access(services_.dram->core_access(hal::DramAddress{base_.value + entry * entry_bytes_},
                                                        entry_bytes_, write, executor.pending_stall()));
    }

    Services& services_;
    hal::DramAddress base_;
    std::uint32_t entry_bytes_;
};

}  // namespace solidtlm::fw
