// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/cached_map.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "fw/map_cache/cached_map_parts.h"

namespace solidtlm::fw {

struct CachedMap::MissAwaiter : Waitable {
    MissAwaiter(CachedMap& owner, Miss& missed) : map(owner), miss(missed) {}
    CachedMap& map;
    Miss& miss;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) const {
        miss.waiter = &handle.promise();
        map.environment_.executor.suspend(*miss.waiter, *this);
        map.enqueue(miss);
    }
    void await_resume() const noexcept {}
    [[nodiscard]] std::string describe() const override {
        return "translation page " + std::to_string(map.page_of(miss.fetch.lpn).value);
    }
};

CachedMap::CachedMap(Environment& environment, const DramMap& dram_map, Allocator& allocator)
    : environment_(environment),
      size_(map_area_size(environment.config)),
      base_(dram_map.map_cache),
      policy_(map_cache_policy(environment.config.map_cache.policy)
                  .make(environment.config.map_cache, size_, *this)),
      area_(environment, allocator, size_, dram_map.map_buffers),
      locks_(environment.executor, size_.translation_pages),
      in_cache_(std::size_t{size_.translation_pages} * size_.entries),
      on_flash_(std::size_t{size_.translation_pages} * size_.entries),
      waiting_(size_.translation_pages),
      room_(environment.executor, "there may be room in the map cache"),
      job_credits_(environment.executor, "buffers of translation pages", DramMap::kMapJobs),
      jobs_(DramMap::kMapJobs),
      cover_(size_, environment.config.map_cache.times) {
    SOLIDTLM_CHECK(environment.config.map_cache.size_bytes >= smallest_cache(environment.config),
                   "room for one miss");
    std::uint64_t next =
        dram_map.map_buffers.value + std::uint64_t{MapArea::kMoves} * size_.entries * kMapEntryBytes;
    for (MapJob& job : jobs_) {
        job.buffer = DramAddress{next};
        next += std::uint64_t{size_.entries} * kMapEntryBytes;
        free_jobs_.push_back(&job);
    }
}

CachedMap::~CachedMap() = default;

void CachedMap::tell(hal::Metrics& metrics) const {
    counters_.tell(metrics);
    area_.counters().tell(metrics);
}

void CachedMap::reset_counters() {
    counters_ = MapCounters{};
    area_.reset_counters();
}

Ppa CachedMap::peek(Lpn lpn) const {
    if ((in_cache_[lpn.value] | on_flash_[lpn.value]) == 0) {
        return kUnmapped;  // wherever it is: checks ask for every page of a large drive
    }
    return policy_->find(lpn) != kNoNode ? cached(lpn) : Ppa{on_flash_[lpn.value] - 1};
}

/// The core reaches for an entry. Where it lies in the cache is the policy's; the model spreads entries
/// evenly.
void CachedMap::touch_dram(Lpn lpn, std::uint32_t bytes, bool write) {
    const std::uint64_t lines =
        std::max<std::uint64_t>(1, environment_.config.map_cache.size_bytes / kDramLineBytes);
    const std::uint64_t offset =
        lpn.value / kMapEntriesPerLine % lines * kDramLineBytes +
        (bytes < kDramLineBytes ? lpn.value % kMapEntriesPerLine * kMapEntryBytes : 0);
    Executor& executor = environment_.executor;
    executor.add_access(environment_.dram->core_access(DramAddress{base_.value + offset}, bytes, write,
                                                       executor.pending_stall()));
}

/// One page request. The node is pinned.
Task<Node> CachedMap::access(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge) {
    ++counters_.lookups;
    Node node = policy_->find(lpn);
    if (node != kNoNode) {
        ++counters_.hits;
        policy_->pin(node);
    } else {
        ++counters_.misses;
        ++waits.misses;
        while (true) {
            const Node brought = co_await fetch(lpn, ahead, ledger, waits, charge);
            node = policy_->find(lpn);
            if (node == brought) {
                break;
            }
            release_pin(brought);  // it changed its shape before its turn came
            if (node != kNoNode) {
                policy_->pin(node);
                break;
            }
            ++counters_.refetched;
        }
    }
    policy_->use(node, lpn);
    co_return node;
}

Task<void> CachedMap::lookup(Lpn first, std::span<Ppa> found, Ledger* ledger, Charge& charge) {
    const CycleCosts& cycles = environment_.config.cycles;
    const auto count = static_cast<std::uint32_t>(found.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const Lpn lpn{first.value + i};
        const Node node = co_await access(lpn, count - i - 1, ledger, counters_.translating, charge);
        if (i == 0 || lpn.value % kMapEntriesPerLine == 0) {
            touch_dram(lpn, kDramLineBytes, false);
        }
        found[i] = cached(lpn);
        release_pin(node);
    }
    co_await environment_.executor.spend(
        charge, std::uint64_t{count} * (cycles.unit_lookup + cycles.cache_search + cycles.cache_order),
        ledger);
}

Task<void> CachedMap::update(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Ledger* ledger,
                             Charge& charge) {
    if (cause != Cause::host) {
        co_await collect(updates, listener, cause, charge);
        co_return;
    }
    const CycleCosts& cycles = environment_.config.cycles;
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
        if (listener.wanted(update)) {  // still
            touch_dram(update.lpn, kMapEntryBytes, true);
            apply(node, update, listener, charge);
        }
        release_pin(node);
        co_await keep_budget(ledger, charge);
    }
    co_await environment_.executor.spend(
        charge, updates.size() * (cycles.map_update + cycles.cache_search + cycles.cache_order), ledger,
        cause);
}

/// After a change that made something grow. Nothing may be locked or pinned by the caller.
Task<void> CachedMap::keep_budget(Ledger* ledger, Charge& charge) {
    while (policy_->over_budget()) {
        co_await environment_.executor.spend(charge, environment_.config.cycles.cache_search, ledger);
        co_await make_room(ledger, nullptr);
    }
}

/// Changes a cached entry; false if it is not what was expected.
bool CachedMap::apply(Node node, MapUpdate& update, MapListener& listener, Charge& charge) {
    update.previous = cached(update.lpn);
    if (update.expected != MapUpdate::kAnyPpa && update.expected != update.previous) {
        return false;
    }
    if (update.previous != update.fresh) {
        in_cache_[update.lpn.value] = update.fresh.value + 1;  // kUnmapped wraps to 0
        policy_->mark_dirty(node, update.lpn);
        changed(update.lpn, update.fresh);
    }
    listener.applied(update, charge);
    return true;
}

void CachedMap::changed(Lpn lpn, Ppa to) {
    for (MapWatch* watch = watches_; watch != nullptr; watch = watch->next()) {
        watch->changed(lpn, to);
    }
}

void CachedMap::release_pin(Node node) {
    policy_->unpin(node);
    if (!policy_->pinned(node) && room_.has_waiters()) {
        room_.notify();
    }
}

/// Brings an entry into the cache and pins it.
Task<Node> CachedMap::fetch(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge) {
    Executor& executor = environment_.executor;
    const CycleCosts& cycles = environment_.config.cycles;
    const Ps begin = executor.now();
    Ps merging{0};
    Miss miss;
    miss.fetch = policy_->plan(lpn, ahead);
    if (policy_->window_entries() != 0) {
        counters_.choose_window(miss.fetch.count);
    }
    miss.ledger = ledger;
    co_await executor.spend(charge, cycles.cache_search, ledger);
    while (miss.node == kNoNode && !policy_->reserve(miss.fetch)) {
        merging += co_await make_room(ledger, &waits.write_back);
        miss.node = policy_->find(lpn);  // it may have come in meanwhile
    }
    const Ps room = executor.now();
    if (miss.node != kNoNode) {
        ++counters_.joined;
        policy_->pin(miss.node);
    } else {
        if (ledger != nullptr) {
            ledger->enter(Stage::map_read, room);
        }
        miss.accounted = room;
        MissAwaiter awaiter(*this, miss);
        co_await awaiter;
    }
    waits.read += miss.waits;
    waits.read.total += executor.now() - room;
    waits.write_back.total += room - begin;
    counters_.measured.read_miss += executor.now() - room;
    counters_.measured.read_merge += merging;
    counters_.measured.program += room - begin - merging;
    co_return miss.node;
}

/// Takes one victim out, or waits until there may be one. Returns the time of the merging read, if any.
Task<Ps> CachedMap::make_room(Ledger* ledger, MapTime* waits) {
    Executor& executor = environment_.executor;
    const Node victim = policy_->victim();
    const auto mark = [&](Stage stage) {
        if (ledger != nullptr) {
            ledger->enter(stage, executor.now());
        }
    };
    Ps merging{0};
    if (victim == kNoNode) {
        mark(Stage::map_write_back);
        const Ps since = executor.now();
        co_await room_.wait();
        waited(waits, since);
        mark(Stage::firmware_wait);
        co_return merging;
    }
    if (policy_->demote(victim)) {
        ++counters_.evictions;
        room_.notify();
        co_await executor.spend(environment_.config.cycles.cache_evict, ledger);
        co_return merging;
    }
    if (policy_->dirty(victim)) {
        policy_->pin(victim);
        mark(Stage::map_write_back);
        merging = co_await write_back(victim, waits);
        mark(Stage::firmware_wait);
        policy_->unpin(victim);
        if (policy_->dirty(victim) || policy_->pinned(victim)) {
            room_.notify();  // in use again: it stays
            co_return merging;
        }
        ++counters_.dirty_evictions;
    }
    ++counters_.evictions;
    policy_->drop(victim);
    room_.notify();  // the caller takes the room first, if it still needs it
    co_await executor.spend(environment_.config.cycles.cache_evict, ledger);
    co_return merging;
}

void CachedMap::enqueue(Miss& miss) {
    const Tpn page = page_of(miss.fetch.lpn);
    Waiting& waiting = waiting_[page.value];
    miss.next = nullptr;
    (waiting.last != nullptr ? waiting.last->next : waiting.first) = &miss;
    waiting.last = &miss;
    if (!waiting.served) {
        waiting.served = true;
        environment_.executor.spawn(serve(page));
    }
}

/// Reads a translation page for all that wait for it, until nobody does.
Task<void> CachedMap::serve(Tpn page) {
    co_await locks_.acquire(page);
    Waiting& waiting = waiting_[page.value];
    while (waiting.first != nullptr) {
        Miss* first = std::exchange(waiting.first, nullptr);
        waiting.last = nullptr;
        co_await read_for(page, first);
        for (Miss* miss = first; miss != nullptr;) {
            Miss* next = miss->next;
            if (!install(*miss)) {
                --counters_.joined;  // not yet
                enqueue(*miss);
            } else {
                if (miss->ledger != nullptr) {
                    miss->ledger->enter(Stage::firmware_wait, environment_.executor.now());
                }
                environment_.executor.post(*miss->waiter);
            }
            miss = next;
        }
    }
    waiting.served = false;
    locks_.release(page);
}

/// Says what each miss brings in: no entry twice, nothing that is there already. False if nothing is missing.
bool CachedMap::plan_windows(Miss* first) {
    bool anything = false;
    cover_.clear();
    for (Miss* miss = first; miss != nullptr; miss = miss->next) {
        miss->window.count = 0;
        if (policy_->find(miss->fetch.lpn) != kNoNode) {
            continue;
        }
        MapRange window = policy_->window(miss->fetch);
        for (const Miss* other = first; other != miss && window.count > 0; other = other->next) {
            window = without(window, other->window, miss->fetch.lpn);
        }
        miss->window = window;
        cover_.add(window);
        anything |= window.count > 0;
    }
    return anything;
}

Task<void> CachedMap::read_for(Tpn page, Miss* first) {
    for (const Miss* miss = first->next; miss != nullptr; miss = miss->next) {
        ++counters_.joined;
    }
    if (!area_.written(page)) {
        ++(plan_windows(first) ? counters_.unwritten : counters_.joined);
        waited(first);
        co_return;
    }
    co_await job_credits_.acquire(1);
    waited(first);
    MapJob& job = take_job();
    if (plan_windows(first)) {
        job.count_in(counters_.miss_reads, &counters_.miss_bytes, cover_.bytes_to_read());
        cover_.pieces(false, job.buffer, job.pieces);
        co_await area_.read(page, job);
        for (Miss* miss = first; miss != nullptr; miss = miss->next) {
            miss->waits.add(job.ledger);
            miss->accounted = job.ledger.last();
        }
        co_await environment_.executor.spend(environment_.config.cycles.cache_insert, nullptr, Cause::map);
    } else {
        ++counters_.joined;
    }
    free_job(job);
}

/// What was read enters the cache, as far as it is not there already. False if the entry left the cache while
/// others were being read: it takes another read.
bool CachedMap::install(Miss& miss) {
    miss.node = policy_->find(miss.fetch.lpn);
    if (miss.node != kNoNode) {
        policy_->cancel(miss.fetch);
        room_.notify();
    } else if (miss.window.count == 0) {
        return false;
    } else {
        for (std::uint32_t i = 0; i < miss.window.count; ++i) {
            const Lpn lpn{miss.window.first.value + i};
            if (policy_->find(lpn) == kNoNode) {
                in_cache_[lpn.value] = on_flash_[lpn.value];
            }
        }
        miss.node = policy_->insert(miss.fetch, miss.window);
    }
    policy_->pin(miss.node);
    return true;
}

void CachedMap::waited(MapTime* waits, Ps since) const {
    if (waits != nullptr) {
        waits->queue += environment_.executor.now() - since;
    }
}

/// Up to now for their translation page's lock and a buffer.
void CachedMap::waited(Miss* first) const {
    for (Miss* miss = first; miss != nullptr; miss = miss->next) {
        waited(&miss->waits, miss->accounted);
        miss->accounted = environment_.executor.now();
    }
}

MapJob& CachedMap::take_job() {
    SOLIDTLM_CHECK(!free_jobs_.empty(), "who takes a buffer of translation pages has a credit");
    MapJob& job = *free_jobs_.back();
    free_jobs_.pop_back();
    return job;
}

void CachedMap::free_job(MapJob& job) {
    free_jobs_.push_back(&job);
    job_credits_.release(1);
}

std::string CachedMap::check() const {
    if (policy_->bytes_used() > environment_.config.map_cache.size_bytes) {
        return "the map cache holds " + std::to_string(policy_->bytes_used()) + " bytes";
    }
    for (std::uint32_t lpn = 0; lpn < environment_.layout.exported_units(); ++lpn) {
        if (in_cache_[lpn] == on_flash_[lpn]) {  // nearly all of a large drive
            continue;
        }
        const Node node = policy_->find(Lpn{lpn});
        // A pinned one may be on its way to flash: clean already, and not there yet.
        if (node != kNoNode && !policy_->dirty(node) && !policy_->pinned(node)) {
            return "LPN " + std::to_string(lpn) + " is cached as clean, but its translation page differs";
        }
    }
    const std::string found = policy_->check();
    return found.empty() ? area_.check() : found;
}

}  // namespace solidtlm::fw
