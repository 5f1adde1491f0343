// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/page_fetcher.h"

namespace solidtlm::fw {
namespace {

/// `window` without what `other` brings in, still including `lpn`; empty if `other` includes `lpn`.
MapRange without(const MapRange& window, const MapRange& other, Lpn lpn) {
    const std::uint32_t end = window.first.value + window.count;
    const std::uint32_t other_end = other.first.value + other.count;
    if (other.count == 0 || other_end <= window.first.value || end <= other.first.value) {
        return window;
    }
    if (lpn.value >= other.first.value && lpn.value < other_end) {
        return MapRange{window.first, 0};
    }
    return lpn < other.first ? MapRange{window.first, other.first.value - window.first.value}
                             : MapRange{Lpn{other_end}, end - other_end};
}

}  // namespace

PageFetcher::PageFetcher(const MapTools& tools)
    : tools_(tools),
      waiting_(tools.entries.size().translation_pages),
      cover_(tools.entries.size(), tools.services.config.map_cache.times) {}

void PageFetcher::enqueue(MapMiss& miss) {
    const Tpn page = tools_.entries.page_of(miss.fetch.lpn);
    Waiting& waiting = waiting_[page.value];
    miss.next = nullptr;
    (waiting.last != nullptr ? waiting.last->next : waiting.first) = &miss;
    waiting.last = &miss;
    if (!waiting.served) {
        waiting.served = true;
        tools_.services.executor.spawn(serve(page));
    }
}

/// Reads a translation page for all misses that wait for it, until no miss is left.
Task<void> PageFetcher::serve(Tpn page) {
    co_await tools_.locks.acquire(page);
    Executor& executor = tools_.services.executor;
    Waiting& waiting = waiting_[page.value];
    while (waiting.first != nullptr) {
        MapMiss* first = std::exchange(waiting.first, nullptr);
        waiting.last = nullptr;
        co_await read_for(page, first);
        for (MapMiss* miss = first; miss != nullptr;) {
            MapMiss* next = miss->next;
            if (!install(*miss)) {
                --tools_.counters.joined;  // the miss is not served yet
                enqueue(*miss);
            } else {
                if (miss->ledger != nullptr) {
                    miss->ledger->enter(Stage::firmware_wait, executor.now());
                }
                executor.post(*miss->waiter);
            }
            miss = next;
        }
    }
    waiting.served = false;
    tools_.locks.release(page);
}

/// Decides which entries each miss brings in: no entry twice, and none that is cached already. False if all
/// are cached.
bool PageFetcher::plan_windows(MapMiss* first) {
    const CachePolicy& policy = tools_.entries.policy();
    bool anything = false;
    cover_.clear();
    for (MapMiss* miss = first; miss != nullptr; miss = miss->next) {
        miss->window.count = 0;
        if (policy.find(miss->fetch.lpn) != kNoNode) {
            continue;
        }
        MapRange window = policy.window(miss->fetch);
        for (const MapMiss* other = first; other != miss && window.count > 0; other = other->next) {
            window = without(window, other->window, miss->fetch.lpn);
        }
        miss->window = window;
        cover_.add(window);
        anything |= window.count > 0;
    }
    return anything;
}

Task<void> PageFetcher::read_for(Tpn page, MapMiss* first) {
    MapCounters& counters = tools_.counters;
    for (const MapMiss* miss = first->next; miss != nullptr; miss = miss->next) {
        ++counters.joined;
    }
    if (!tools_.area.written(page)) {
        ++(plan_windows(first) ? counters.unwritten : counters.joined);
        add_queue(first);
        co_return;
    }
    co_await tools_.jobs.acquire();
    add_queue(first);
    MapJob& job = tools_.jobs.take();
    if (plan_windows(first)) {
        job.count_in(counters.miss_reads, &counters.miss_bytes, cover_.bytes_to_read());
        cover_.pieces(false, job.buffer, job.pieces);
        co_await tools_.area.read(page, job);
        for (MapMiss* miss = first; miss != nullptr; miss = miss->next) {
            miss->waits.add(job.ledger);
            miss->accounted = job.ledger.last();
        }
        const Services& services = tools_.services;
        co_await services.executor.spend(services.config.cycles.cache_insert, nullptr, Cause::map);
    } else {
        ++counters.joined;
    }
    tools_.jobs.give_back(job);
}

/// Puts the entries that were read into the cache, except those already there. False if the missed entry left
/// the cache while others were being read, so that another read is needed.
bool PageFetcher::install(MapMiss& miss) {
    CachedEntries& entries = tools_.entries;
    miss.node = entries.policy().find(miss.fetch.lpn);
    if (miss.node != kNoNode) {
        entries.policy().cancel(miss.fetch);
        entries.room().notify();
    } else if (miss.window.count == 0) {
        return false;
    } else {
        entries.load(miss.window);
        miss.node = entries.policy().insert(miss.fetch, miss.window);
    }
    entries.policy().pin(miss.node);
    return true;
}

/// Counts the time up to now as waiting for the lock of the translation page and a buffer.
void PageFetcher::add_queue(MapMiss* first) const {
    for (MapMiss* miss = first; miss != nullptr; miss = miss->next) {
        tools_.add_queue(&miss->waits, miss->accounted);
        miss->accounted = tools_.services.executor.now();
    }
}

}  // namespace solidtlm::fw
