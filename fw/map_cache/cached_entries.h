// SPDX-License-Identifier: Apache-2.0
//
// The entries of a cached map: those that the policy has cached, their values in the cache, and the values in
// the translation pages on flash.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "fw/hal/zeroed_memory.h"
#include "fw/map_cache/map_cache.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class CachedEntries : private EntrySource {
  public:
    /// `base`: the cache in DRAM. `watches`: a list of observers that changed() notifies.
    CachedEntries(Services& services, DramAddress base, MapWatch* const& watches);

    [[nodiscard]] CachePolicy& policy() { return *policy_; }
    [[nodiscard]] const CachePolicy& policy() const { return *policy_; }
    [[nodiscard]] const MapAreaSize& size() const { return size_; }
    [[nodiscard]] Tpn page_of(Lpn lpn) const { return Tpn{lpn.value / size_.entries}; }

    /// Valid only if the policy has a node for `lpn`.
    [[nodiscard]] Ppa cached(Lpn lpn) const { return Ppa{in_cache_[lpn.value] - 1}; }
    [[nodiscard]] Ppa on_flash(Lpn lpn) const { return Ppa{on_flash_[lpn.value] - 1}; }
    /// The place of `lpn`, whether its entry is cached or on flash.
    [[nodiscard]] Ppa peek(Lpn lpn) const;
    /// How many pages from `lpn` on are known never to have had an entry.
    [[nodiscard]] std::uint32_t never_mapped(Lpn lpn) const {
        return touched_[page_of(lpn).value] ? 0 : size_.entries - lpn.value % size_.entries;
    }
    void prefetch(Lpn lpn) const { in_cache_.prefetch(lpn.value); }

    /// Changes a cached entry; false if the present value is not the expected one.
    bool apply(Node node, MapUpdate& update, MapListener& listener, Charge& charge);
    /// Sets the entries of `range` that are not cached to their values on flash.
    void load(const MapRange& range);
    /// The translation page holds `to` for `lpn` from now on.
    void set_on_flash(Lpn lpn, Ppa to) {
        touched_[page_of(lpn).value] = true;
        on_flash_[lpn.value] = to.value + 1;  // kUnmapped wraps around to 0
    }
    /// An entry has a new value: notifies the observers.
    void changed(Lpn lpn, Ppa to);
    /// The core accesses an entry in DRAM. Where an entry lies in the cache is up to the policy; the model
    /// spreads the entries evenly.
    void touch(Lpn lpn, std::uint32_t bytes, bool write);

    void release_pin(Node node) {
        policy_->unpin(node);
        if (!policy_->pinned(node) && room_.has_waiters()) {
            room_.notify();
        }
    }
    /// Notified when a node is no longer pinned, or room has been released.
    [[nodiscard]] Signal& room() { return room_; }
    void serialize(hal::StateArchive& archive) {
        archive(*policy_, in_cache_, on_flash_);
        if (archive.loading()) {
            touched_.assign(touched_.size(), true);
        }
    }
    /// A description of the first contradiction, or an empty string.
    [[nodiscard]] std::string check() const;

  private:
    [[nodiscard]] std::uint32_t entry(Lpn lpn) const override { return in_cache_[lpn.value]; }
    void entries(Lpn first, std::span<std::uint32_t> found) const override {
        std::copy_n(&in_cache_[first.value], found.size(), found.begin());
    }

    Services& services_;
    DramAddress base_;
    MapWatch* const& watches_;
    MapAreaSize size_;
    std::unique_ptr<CachePolicy> policy_;
    hal::ZeroedMemory<std::uint32_t> in_cache_;  // by LPN: Ppa + 1
    hal::ZeroedMemory<std::uint32_t> on_flash_;  // by LPN: Ppa + 1 in its translation page
    std::vector<bool> touched_;                  // by translation page: some entry may differ from kUnmapped
    Signal room_;
};

}  // namespace solidtlm::fw
