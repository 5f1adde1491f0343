// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/cached_map.h"

#include "fw/map_cache/needs.h"

namespace solidtlm::fw {

CachedMap::CachedMap(Services& services, const DramMap& dram_map, Allocator& allocator)
    : services_(services),
      entries_(services, dram_map[kMapCacheEntries], watches_),
      area_(services, allocator, entries_.size(), dram_map[kMapBuffers]),
      locks_(services.executor, entries_.size().translation_pages),
      jobs_(services.executor, "buffers of translation pages", kMapJobs,
            DramAddress{dram_map[kMapBuffers].value +
                        std::uint64_t{MapArea::kMoves} * entries_.size().entries * kMapEntryBytes},
            entries_.size().entries * kMapEntryBytes),
      tools_{services, entries_, area_, locks_, jobs_, counters_},
      fetcher_(tools_),
      writer_(tools_),
      collected_(tools_, writer_) {}

void CachedMap::tell(hal::Metrics& metrics) const {
    counters_.tell(metrics);
    area_.counters().tell(metrics);
}

void CachedMap::reset_counters() {
    counters_ = MapCounters{};
    area_.reset_counters();
}

/// Serves one page request. Returns the node, pinned.
Task<Node> CachedMap::access(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge) {
    CachePolicy& policy = entries_.policy();
    ++counters_.lookups;
    Node node = policy.find(lpn);
    if (node != kNoNode) {
        ++counters_.hits;
        policy.pin(node);
    } else {
        ++counters_.misses;
        ++waits.misses;
        while (true) {
            const Node brought = co_await fetch(lpn, ahead, ledger, waits, charge);
            node = policy.find(lpn);
            if (node == brought) {
                break;
            }
            entries_.release_pin(brought);  // the node changed its shape before this coroutine ran
            if (node != kNoNode) {
                policy.pin(node);
                break;
            }
            ++counters_.refetched;
        }
    }
    policy.use(node, lpn);
    co_return node;
}

Task<void> CachedMap::lookup(Lpn first, std::span<Ppa> found, Ledger* ledger, Charge& charge) {
    const CycleCosts& cycles = services_.config.cycles;
    const auto count = static_cast<std::uint32_t>(found.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const Lpn lpn{first.value + i};
        const Node node = co_await access(lpn, count - i - 1, ledger, counters_.translating, charge);
        if (i == 0 || lpn.value % kMapEntriesPerLine == 0) {
            entries_.touch(lpn, kDramLineBytes, false);
        }
        found[i] = entries_.cached(lpn);
        entries_.release_pin(node);
    }
    co_await services_.executor.spend(
        charge, std::uint64_t{count} * (cycles.unit_lookup + cycles.cache_search + cycles.cache_order),
        ledger);
}

Task<void> CachedMap::update(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Ledger* ledger,
                             Charge& charge) {
    if (cause != Cause::host) {
        co_await collected_.carry_out(updates, listener, cause, charge);
        co_await keep_budget(nullptr, charge);
        co_return;
    }
    const CycleCosts& cycles = services_.config.cycles;
    for (std::size_t i = 0; i < updates.size(); ++i) {
        MapUpdate& update = updates[i];
        if (!listener.wanted(update)) {
            continue;
        }
        std::uint32_t ahead = 0;
        while (i + ahead + 1 < updates.size() &&
               updates[i + ahead + 1].lpn.value == update.lpn.value + ahead + 1) {
            ++ahead;
        }
        const Node node = co_await access(update.lpn, ahead, ledger, counters_.updating, charge);
        if (listener.wanted(update)) {  // the update is still wanted
            entries_.touch(update.lpn, kMapEntryBytes, true);
            entries_.apply(node, update, listener, charge);
        }
        entries_.release_pin(node);
        co_await keep_budget(ledger, charge);
    }
    co_await services_.executor.spend(
        charge, updates.size() * (cycles.map_update + cycles.cache_search + cycles.cache_order), ledger,
        cause);
}

/// Called after a change that may have made a node grow. The caller must not hold a lock or a pin.
Task<void> CachedMap::keep_budget(Ledger* ledger, Charge& charge) {
    while (entries_.policy().over_budget()) {
        co_await services_.executor.spend(charge, services_.config.cycles.cache_search, ledger);
        co_await make_room(ledger, nullptr);
    }
}

/// Brings an entry into the cache and pins it.
Task<Node> CachedMap::fetch(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge) {
    Executor& executor = services_.executor;
    CachePolicy& policy = entries_.policy();
    const CycleCosts& cycles = services_.config.cycles;
    const Ps begin = executor.now();
    Ps merging{0};
    MapMiss miss;
    miss.fetch = policy.plan(lpn, ahead);
    if (policy.window_entries() != 0) {
        counters_.choose_window(miss.fetch.count);
    }
    miss.ledger = ledger;
    co_await executor.spend(charge, cycles.cache_search, ledger);
    while (miss.node == kNoNode && !policy.reserve(miss.fetch)) {
        merging += co_await make_room(ledger, &waits.write_back);
        miss.node = policy.find(lpn);  // another request may have brought it in
    }
    const Ps room = executor.now();
    if (miss.node != kNoNode) {
        ++counters_.joined;
        policy.pin(miss.node);
    } else {
        if (ledger != nullptr) {
            ledger->enter(Stage::map_read, room);
        }
        miss.accounted = room;
        co_await fetcher_.fetch(miss);
    }
    waits.read += miss.waits;
    waits.read.total += executor.now() - room;
    waits.write_back.total += room - begin;
    counters_.measured.read_miss += executor.now() - room;
    counters_.measured.read_merge += merging;
    counters_.measured.program += room - begin - merging;
    co_return miss.node;
}

/// Evicts one victim, or waits until there may be one. Returns the time of the merging read, if any.
Task<Ps> CachedMap::make_room(Ledger* ledger, MapTime* waits) {
    Executor& executor = services_.executor;
    CachePolicy& policy = entries_.policy();
    const Node victim = policy.victim();
    const auto mark = [&](Stage stage) {
        if (ledger != nullptr) {
            ledger->enter(stage, executor.now());
        }
    };
    Ps merging{0};
    if (victim == kNoNode) {
        mark(Stage::map_write_back);
        const Ps since = executor.now();
        co_await entries_.room().wait();
        tools_.add_queue(waits, since);
        mark(Stage::firmware_wait);
        co_return merging;
    }
    if (policy.demote(victim)) {
        ++counters_.evictions;
        entries_.room().notify();
        co_await executor.spend(services_.config.cycles.cache_evict, ledger);
        co_return merging;
    }
    if (policy.dirty(victim)) {
        policy.pin(victim);
        mark(Stage::map_write_back);
        merging = co_await writer_.write_back(victim, waits);
        mark(Stage::firmware_wait);
        policy.unpin(victim);
        if (policy.dirty(victim) || policy.pinned(victim)) {
            entries_.room().notify();  // it is used again, so it stays
            co_return merging;
        }
        ++counters_.dirty_evictions;
    }
    ++counters_.evictions;
    policy.drop(victim);
    entries_.room().notify();  // the caller takes the room first, if it still needs it
    co_await executor.spend(services_.config.cycles.cache_evict, ledger);
    co_return merging;
}

std::string CachedMap::check() const {
    const std::string found = entries_.check();
    return found.empty() ? area_.check() : found;
}

}  // namespace solidtlm::fw
