// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/collected_updates.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::fw {

CollectedUpdates::Collection& CollectedUpdates::take() {
    const Services& services = tools_.services;
    if (free_.empty()) {
        SOLIDTLM_CHECK(all_.size() < std::size_t{services.layout.pus()} * services.config.gc.pipeline_depth,
                       "each move of data collection updates the map once");
        all_.push_back(std::make_unique<Collection>(services.executor));
        free_.push_back(all_.back().get());
    }
    Collection& collection = *free_.back();
    free_.pop_back();
    return collection;
}

Task<void> CollectedUpdates::carry_out(std::span<MapUpdate> updates, MapListener& listener, Cause cause,
                                       Charge& charge) {
    CachedEntries& entries = tools_.entries;
    Executor& executor = tools_.services.executor;
    const CycleCosts& cycles = tools_.services.config.cycles;
    Collection& collection = take();
    collection.listener = &listener;
    std::vector<MapUpdate*>& uncached = collection.uncached;
    uncached.clear();
    for (MapUpdate& update : updates) {
        const Node node = entries.policy().find(update.lpn);
        if (node == kNoNode) {
            uncached.push_back(&update);
            continue;
        }
        entries.touch(update.lpn, kMapEntryBytes, true);
        tools_.counters.gc_cached += entries.apply(node, update, listener, charge) ? 1 : 0;
    }
    co_await executor.spend(charge, updates.size() * (cycles.map_update + cycles.cache_search), nullptr,
                            cause);
    std::sort(uncached.begin(), uncached.end(),
              [](const MapUpdate* a, const MapUpdate* b) { return a->lpn < b->lpn; });
    for (std::size_t first = 0; first < uncached.size();) {
        const Tpn page = entries.page_of(uncached[first]->lpn);
        std::size_t end = first;
        while (end < uncached.size() && entries.page_of(uncached[end]->lpn) == page) {
            ++end;
        }
        collection.join.add();
        executor.spawn(write(page, std::span(uncached).subspan(first, end - first), collection));
        first = end;
    }
    co_await collection.join.wait();
    free_.push_back(&collection);
}

Task<void> CollectedUpdates::write(Tpn page, std::span<MapUpdate* const> updates, Collection& collection) {
    CachedEntries& entries = tools_.entries;
    co_await tools_.locks.acquire(page);
    PageWriter::Rewrite& work = writer_.take();
    work.listener = collection.listener;
    for (MapUpdate* update : updates) {
        const Node node = entries.policy().find(update->lpn);
        if (node == kNoNode) {
            work.moved.push_back(update);
        } else {  // the entry came into the cache during the wait
            Charge none;
            tools_.counters.gc_cached += entries.apply(node, *update, *collection.listener, none) ? 1 : 0;
        }
    }
    if (work.moved.empty()) {
        writer_.give_back(work);
    } else {
        entries.policy().collect_page(page, work.pieces);
        co_await writer_.rewrite(page, work);
    }
    tools_.locks.release(page);
    collection.join.done();
}

}  // namespace solidtlm::fw
