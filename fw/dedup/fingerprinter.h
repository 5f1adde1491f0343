// SPDX-License-Identifier: Apache-2.0
//
// Computes the fingerprint of every page once, in idle time, and merges pages with equal fingerprints.
#pragma once

#include "fw/dedup/dedup_table.h"
#include "fw/dedup/deduplicator.h"
#include "fw/dedup/page_look.h"
#include "fw/dedup/unchecked_pages.h"

namespace solidtlm::fw {

class Fingerprinter {
  public:
    /// The table takes `bytes` of DRAM at `base`.
    Fingerprinter(const DedupTools& tools, DramAddress base, std::uint64_t bytes);

    /// The page at `place` is in use and has not been checked.
    void add(Ppa place) { unchecked_.add(place); }
    void moved(Ppa from, Ppa to);
    void forgotten(Ppa place);
    [[nodiscard]] std::uint64_t waiting() const { return unchecked_.count(); }
    Task<void> look_at_one();
    [[nodiscard]] const PageIndex& index() const { return table_.index; }
    void serialize(hal::StateArchive& archive) { archive(table_.index, unchecked_); }

  private:
    Task<void> take(Ppa place, PageIndex::Key key, Lpn lpn);

    DedupTools tools_;
    DedupTable table_;
    UncheckedPages unchecked_;
    PageLook look_;
};

/// Merges two pages found equal: `known` replaces `fresh` or, if `fresh` is already shared, the other way
/// round. False if they cannot be merged, for example because both are shared. `charge` is spent if they are
/// merged.
Task<bool> unite(DedupTools& tools, KnownPage known, KnownPage fresh, Charge& charge);

}  // namespace solidtlm::fw
