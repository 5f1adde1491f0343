// SPDX-License-Identifier: Apache-2.0
//
// A map of which only part is in DRAM. A policy decides what; this class does the flash work and keeps every
// entry true while it is done.
//
// A miss makes room (a dirty victim is merged with its translation page and written), then its translation
// page is read; misses on one translation page that wait at the same time share the read. Translation pages
// are locked one by one, and nobody who holds a lock waits for anything but flash, DRAM for one page and
// space in the map area, none of which depends on a lock: no deadlock. What was fetched stays pinned until
// the one who asked has seen it: no livelock, however small the cache.
//
// Entries in flight. A victim, and whatever is written with it, remains usable; it counts as clean from the
// instant its value is taken for the program, and is dirty again if it changes afterwards. What translation
// pages hold on flash changes only when their program has ended.
//
// Data collection changes cached entries in place. The others it writes to their translation pages directly,
// together with what is dirty there, one program a page.
#pragma once

#include <memory>
#include <vector>

#include "fw/map_cache/map_cache.h"
#include "fw/map_cache/page_locks.h"
#include "fw/map_cache/sector_cover.h"
#include "fw/media/zeroed_memory.h"
#include "fw/runtime/semaphore.h"

namespace solidtlm::fw {

class CachedMap : public MapCache, private EntrySource {
  public:
    /// REQUIRES: map_cache.policy is not full_table.
    CachedMap(Environment& environment, const DramMap& dram_map, Allocator& allocator);
    ~CachedMap() override;

    void start() override { area_.start(); }
    Task<void> restore(const MediaScan& scan, RecoveryReport& report) override;
    Task<void> lookup(Lpn first, std::span<Ppa> found, Ledger* ledger, Charge& charge) override;
    Task<void> update(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Ledger* ledger,
                      Charge& charge) override;
    void prefetch(Lpn lpn) const override { in_cache_.prefetch(lpn.value); }
    [[nodiscard]] Ppa peek(Lpn lpn) const override;
    [[nodiscard]] bool complete() const override { return false; }
    [[nodiscard]] bool wants_order() const override { return policy_->wants_order(); }
    [[nodiscard]] bool at_rest() const override { return !area_.active(); }
    [[nodiscard]] bool worn_out() const override { return area_.worn_out(); }
    void tell(hal::Metrics& metrics) const override;
    void reset_counters() override;
    [[nodiscard]] std::string check() const override;

  private:
    struct Miss;
    struct MissAwaiter;
    struct Rewrite;
    struct Collection;
    struct Waiting {
        Miss* first = nullptr;
        Miss* last = nullptr;
        bool served = false;  // somebody reads for them, or will
    };

    [[nodiscard]] std::uint32_t entry(Lpn lpn) const override { return in_cache_[lpn.value]; }
    void entries(Lpn first, std::span<std::uint32_t> found) const override {
        std::copy_n(&in_cache_[first.value], found.size(), found.begin());
    }
    Task<void> keep_budget(Ledger* ledger, Charge& charge);
    Task<Node> access(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge);
    Task<Node> fetch(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge);
    Task<Ps> make_room(Ledger* ledger, MapTime* waits);
    Task<Ps> write_back(Node victim, MapTime* waits);
    Task<Ps> rewrite(Tpn page, Rewrite& work);
    Task<bool> merge(Tpn page, Rewrite& work, MapJob& job);
    Task<bool> program(Tpn page, Rewrite& work, MapJob& job);
    Task<void> restore_page(Tpn page, Join& join);
    Task<void> serve(Tpn page);
    Task<void> read_for(Tpn page, Miss* first);
    bool plan_windows(Miss* first);
    bool install(Miss& miss);
    void enqueue(Miss& miss);
    Task<void> collect(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Charge& charge);
    Task<void> collect_into(Tpn page, std::span<MapUpdate* const> updates, Collection& collection);
    bool apply(Node node, MapUpdate& update, MapListener& listener, Charge& charge);
    void persist(const Rewrite& work);
    void changed(Lpn lpn, Ppa to);
    void release_pin(Node node);
    MapJob& take_job();
    void free_job(MapJob& job);
    void waited(MapTime* waits, Ps since) const;
    void waited(Miss* first) const;
    Rewrite& take_rewrite();
    void touch_dram(Lpn lpn, std::uint32_t bytes, bool write);

    [[nodiscard]] Tpn page_of(Lpn lpn) const { return Tpn{lpn.value / size_.entries}; }
    [[nodiscard]] Ppa cached(Lpn lpn) const { return Ppa{in_cache_[lpn.value] - 1}; }

    Environment& environment_;
    MapAreaSize size_;
    DramAddress base_;
    std::unique_ptr<CachePolicy> policy_;
    MapArea area_;
    PageLocks locks_;
    ZeroedMemory<std::uint32_t> in_cache_;  // by LPN: Ppa + 1; means nothing where the policy has no node
    ZeroedMemory<std::uint32_t> on_flash_;  // what the translation pages hold
    std::vector<Waiting> waiting_;          // by translation page
    Signal room_;                           // something is not pinned any more, or room was given back
    Semaphore job_credits_;
    std::vector<MapJob> jobs_;
    std::vector<MapJob*> free_jobs_;
    std::vector<std::unique_ptr<Rewrite>> rewrites_;
    std::vector<Rewrite*> free_rewrites_;
    std::vector<std::unique_ptr<Collection>> collections_;
    std::vector<Collection*> free_collections_;
    SectorCover cover_;  // scratch, never across a wait
    MapCounters counters_;
};

}  // namespace solidtlm::fw
