// SPDX-License-Identifier: Apache-2.0
//
// Makes logical pages share a physical one: map, virtual blocks and recovery log change in one step, so that
// a power cut finds either all of it or nothing.
#pragma once

#include <cstdint>

#include "fw/buffer/write_buffer.h"
#include "fw/dedup/shared_pages.h"
#include "fw/flash/superblock_table.h"
#include "fw/log/recovery_log.h"
#include "fw/map_cache/map_cache.h"

namespace solidtlm::fw {

/// A physical page, and the logical one that alone names it (any, where the page is shared).
struct KnownPage {
    Lpn lpn{kNoLpn};
    Ppa place = kUnmapped;
};

/// What sharing asks of the page map.
class PageOwner {
  public:
    virtual ~PageOwner() = default;
    /// A logical page does not refer to `entry` any more.
    virtual void drop(Ppa entry) = 0;
    /// Collection is programming the page at `place` elsewhere, under the name that it has now. Shared
    /// meanwhile, the copy would be of no use.
    [[nodiscard]] virtual bool being_moved(Ppa place) const = 0;
};

class Sharing : private MapListener {
  public:
    struct Parts {
        SharedPages& shared;
        SuperblockTable& table;
        MapCache& map;
        WriteBuffer& buffer;
        RecoveryLog& log;
        PageOwner& owner;
    };
    Sharing(Services& services, Parts parts, DramAddress shared_table)
        : services_(services), parts_(parts), shared_table_(shared_table) {}

    /// The page at duplicate.place, which duplicate.lpn names alone, has the contents of `kept`: both share
    /// that one from now on. False if that cannot be now: one of them is being rewritten, or has changed;
    /// no virtual block is free; the recovery log takes nothing. Waits for nothing but the core. `charge` is
    /// spent if they share.
    Task<bool> merge(KnownPage duplicate, KnownPage kept, Charge& charge);
    /// `lpn`, whose new contents are in the write buffer and not on flash, has the contents of `kept`.
    Task<bool> merge_written(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge);

    /// Costs the core what it takes to find the place of a shared page.
    void look_up(VirtualBlock block);

  private:
    static constexpr std::uint32_t kKept = 1;  // tag: the page itself stays
    [[nodiscard]] bool possible(const KnownPage& kept, Lpn except) const;
    Task<bool> share(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge);
    void touch(VirtualBlock block, bool write);
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& charge) override;

    Services& services_;
    Parts parts_;
    DramAddress shared_table_;
};

}  // namespace solidtlm::fw
