// SPDX-License-Identifier: Apache-2.0
//
// Makes logical pages share a physical one. Map, virtual blocks and recovery log change in one step, so that
// a power cut leaves either the whole change or nothing.
#pragma once

#include "fw/dedup/shared_pages.h"
#include "fw/page_map/page_map.h"

namespace solidtlm::fw {

/// A physical page, and the only logical page that names it (any value if the page is shared).
struct KnownPage {
    Lpn lpn{kNoLpn};
    Ppa place = kUnmapped;
};

class Sharing : private MapListener {
  public:
    /// What becomes of a page in the write buffer whose contents are known.
    enum class Written : std::uint8_t {
        no,         ///< it must be programmed
        unchanged,  ///< flash has it: its own page holds these contents, and no other logical page shares it
        shared,     ///< it refers to a shared page, which a record says
    };

    Sharing(PageMap& pages, SharedPages& shared, DramAddress shared_table)
        : pages_(pages), shared_(shared), shared_table_(shared_table) {}

    /// The page at duplicate.place, which only duplicate.lpn names, has the contents of `kept`: both logical
    /// pages share `kept` from now on. False if that is not possible now: one of them is being rewritten or
    /// has changed, no virtual block is free, or the recovery log is full. Waits for nothing but the core.
    /// `charge` is spent if they share.
    Task<bool> merge(KnownPage duplicate, KnownPage kept, Charge& charge);
    /// The new contents of `lpn`, which are in the write buffer and not on flash, equal those of `kept`:
    /// `lpn` refers to `kept`. If that is its present page and collection empties the superblock, the page is
    /// programmed like any other: collection may have left it behind, because a program would make it
    /// invalid (fw/gc/collector.h). The caller frees the slot of an `unchanged` page at once, so that this
    /// still holds when collection reaches the page.
    Task<Written> merge_written(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge);

    /// Charges the core for finding the place of a shared page.
    void look_up(VirtualBlock block);

  private:
    static constexpr std::uint32_t kKept = 1;  // tag of the update for the page that stays
    [[nodiscard]] bool possible(const KnownPage& kept, Lpn except) const;
    Task<bool> share(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge);
    void touch(VirtualBlock block, bool write);
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& charge) override;

    PageMap& pages_;
    SharedPages& shared_;
    DramAddress shared_table_;
};

}  // namespace solidtlm::fw
