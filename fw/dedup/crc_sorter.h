// SPDX-License-Identifier: Apache-2.0
//
// Sorts pages by their CRC32 when they are written: a value not met before means a unique page, any other
// value a page that may be a duplicate.
#pragma once

#include <vector>

#include "fw/dedup/dedup_table.h"
#include "fw/dedup/deduplicator.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

/// Stands for the place of a page that is still in the write buffer. No page on flash has this place.
constexpr Ppa pending_place(Slot slot) {
    return Ppa{kFirstVirtual + slot.value};
}
constexpr bool is_pending(Ppa place) {
    return place.value >= kFirstVirtual;
}
/// REQUIRES: is_pending(place).
constexpr Slot slot_of(Ppa place) {
    SOLIDTLM_CHECK(is_pending(place), "the place stands for a page in the write buffer");
    return Slot{place.value - kFirstVirtual};
}

class CrcSorter {
  public:
    /// `keeps_candidates`: a page that may be a duplicate gets its own entry.
    CrcSorter(const DedupTools& tools, std::uint64_t table_bytes, bool keeps_candidates);

    Task<Admission> admit(Slot slot, Ledger* ledger);
    void programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge);
    void left(Slot slot);

    DedupTable table;

  private:
    DedupTools tools_;
    bool keeps_candidates_;
    struct Admitted {
        PageIndex::Key key{};
        bool candidate = false;
    };
    std::vector<Admitted> admitted_;  // by slot
};

}  // namespace solidtlm::fw
