// SPDX-License-Identifier: Apache-2.0
#include "fw/read_cache/read_cache.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::fw {

void ReadCacheCounters::tell(hal::Metrics& metrics) const {
    metrics.counter("read_cache.hits", "units", "units that the host read from the read cache", hits);
    metrics.counter("read_cache.fetched_units", "units", "units read from flash ahead of the host", fetched);
    metrics.counter("read_cache.unused_units", "units",
                    "the part of read_cache.fetched_units that was dropped unread", unused);
    metrics.counter("read_cache.waits", "segments", "segments of reads that waited for a fetch on its way",
                    waits);
}

ReadCache::ReadCache(Services& services, DramAddress base, const WriteBuffer& buffer,
                     Translation& translation)
    : services_(services),
      base_(base),
      buffer_(buffer),
      translation_(translation),
      ahead_(static_cast<std::uint32_t>(services.config.read_cache.ahead_bytes / services.config.unit_bytes)),
      share_(services.config.read_cache.share(services.config.unit_bytes)),
      streams_(services.config.read_cache.streams, services.config.read_cache.trigger),
      fetched_to_(services.config.read_cache.streams),
      entries_(std::size_t{services.config.read_cache.streams} * share_),
      arrived_(services.executor, "units that are read ahead have arrived") {
    SOLIDTLM_CHECK(ahead_ > 0 && share_ >= ReadCacheConfig::kLeastShare * ahead_,
                   "a stream's share has room for reading ahead");
}

/// Keeps at least `ahead_` units after the host's position in the cache or on their way. Units are fetched in
/// aligned parts of `ahead_` units, so one part arrives while the host reads the part before.
void ReadCache::read(std::uint64_t lba, std::uint32_t sectors) {
    const std::optional<std::uint32_t> stream = streams_.read(lba, sectors);
    if (!stream) {
        return;
    }
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    const auto host = static_cast<std::uint32_t>((lba + sectors + per_unit - 1) / per_unit);
    std::uint32_t& next = fetched_to_[*stream];
    if (next < host || next - host > 2 * ahead_) {  // another sequence, or the host has overtaken the fetches
        next = host;
    }
    if (next - host > ahead_) {
        return;
    }
    const std::uint64_t demanded = (host + std::uint64_t{2} * ahead_) / ahead_ * ahead_;
    const auto end =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(demanded, services_.layout.exported_units()));
    while (next < end) {
        const std::uint32_t part = std::min(end, (next / ahead_ + 1) * ahead_);
        next = fetch_part(*stream, next, part);
        if (next < part) {
            break;
        }
    }
}

/// Fetches units from `from` up to `end`. Returns the first unit that has no room, or `end`.
std::uint32_t ReadCache::fetch_part(std::uint32_t stream, std::uint32_t from, std::uint32_t end) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    Fetch* fetch = nullptr;
    Lpn lpn{from};
    for (; lpn.value < end; ++lpn) {
        if (buffer_.find(lpn) != kNoSlot || find(lpn)) {
            continue;
        }
        const Slot slot = slot_of(stream, lpn);
        if (!take(slot, lpn)) {
            break;
        }
        fetch = fetch != nullptr ? fetch : &take_fetch();
        LogicalRead* last = fetch->reads.empty() ? nullptr : &fetch->reads.back();
        if (last != nullptr && last->lpn.value + last->units(per_unit) == lpn.value &&
            fetch->slots.back().value + 1 == slot.value) {
            last->sectors += per_unit;
        } else {
            fetch->reads.push_back(LogicalRead{lpn, address(slot), 0, per_unit});
        }
        fetch->slots.push_back(slot);
    }
    if (fetch != nullptr) {
        services_.executor.spawn(run(*fetch));
    }
    return lpn.value;
}

/// Assigns the slot to `lpn`. False if the slot is in use.
bool ReadCache::take(Slot slot, Lpn lpn) {
    Entry& entry = at(slot);
    if (entry.state == State::fetching || entry.pins > 0) {
        return false;
    }
    count_unused(entry);
    entry = Entry{lpn, State::fetching, false, 0};
    ++fetching_;
    ++counters_.fetched;
    return true;
}

Task<void> ReadCache::run(Fetch& fetch) {
    Executor& executor = services_.executor;
    const CycleCosts& cycles = services_.config.cycles;
    Charge charge = executor.charge(fetch.slots.size() * cycles.read_cache_insert);
    co_await fetch.reader->begin_read(fetch.reads, fetch.join, nullptr, true, charge);
    co_await fetch.join.wait();
    co_await executor.spend(fetch.reader->operations() * cycles.flash_complete);
    settle(fetch);
}

void ReadCache::settle(Fetch& fetch) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    for (const Slot slot : fetch.slots) {
        Entry& entry = at(slot);
        entry.state = State::filled;
        --fetching_;
        if (entry.lpn == kNoLpn) {
            drop(slot);
        }
    }
    for (const LogicalRead& lost : fetch.reader->unreadable()) {  // an error only if the host reads it
        forget(lost.lpn, lost.units(per_unit));
    }
    fetch.reads.clear();
    fetch.slots.clear();
    free_fetches_.push_back(&fetch);
    for (Ledger* ledger : waiting_) {
        ledger->enter(Stage::firmware_wait, services_.executor.now());
    }
    waiting_.clear();
    arrived_.notify();
}

ReadCache::Fetch& ReadCache::take_fetch() {
    if (free_fetches_.empty()) {
        SOLIDTLM_CHECK(fetches_.size() < entries_.size(), "each fetch has its own slot");
        fetches_.push_back(std::make_unique<Fetch>(services_, translation_));
        free_fetches_.push_back(fetches_.back().get());
    }
    Fetch& fetch = *free_fetches_.back();
    free_fetches_.pop_back();
    return fetch;
}

std::optional<ReadCache::Slot> ReadCache::find(Lpn lpn) const {
    for (std::uint32_t stream = 0; stream < fetched_to_.size(); ++stream) {
        const Slot slot = slot_of(stream, lpn);
        if (entries_[slot.value].lpn == lpn) {
            return slot;
        }
    }
    return {};
}

bool ReadCache::fetching(Lpn first, std::uint32_t units) const {
    for (std::uint32_t unit = 0; fetching_ > 0 && unit < units; ++unit) {
        const std::optional<Slot> slot = find(Lpn{first.value + unit});
        if (slot && entries_[slot->value].state == State::fetching) {
            return true;
        }
    }
    return false;
}

Task<void> ReadCache::settled(Lpn first, std::uint32_t units, Ledger* ledger) {
    return fetching(first, units) ? wait(first, units, ledger) : Task<void>::ended();
}

Task<void> ReadCache::wait(Lpn first, std::uint32_t units, Ledger* ledger) {
    ++counters_.waits;
    do {
        ledger->enter(Stage::read_ahead, services_.executor.now());
        waiting_.push_back(ledger);
        co_await arrived_.wait();
    } while (fetching(first, units));
}

std::uint32_t ReadCache::absent(Lpn first, std::uint32_t most) const {
    std::uint32_t units = 0;
    while (units < most && !find(Lpn{first.value + units})) {
        ++units;
    }
    return units;
}

ReadCache::Slot ReadCache::pin(Lpn lpn) {
    const std::optional<Slot> slot = find(lpn);
    SOLIDTLM_CHECK(slot && at(*slot).state == State::filled, "a pinned unit has arrived");
    Entry& entry = at(*slot);
    entry.used = true;
    ++entry.pins;
    ++pins_;
    ++counters_.hits;
    return *slot;
}

void ReadCache::unpin(Slot slot) {
    Entry& entry = at(slot);
    SOLIDTLM_CHECK(entry.pins > 0, "the slot is pinned");
    --entry.pins;
    --pins_;
    if (entry.lpn == kNoLpn) {
        drop(slot);
    }
}

std::uint32_t ReadCache::forget(Lpn first, std::uint32_t units) {
    const auto slots = static_cast<std::uint32_t>(entries_.size());
    if (units < slots) {
        for (std::uint32_t unit = 0; unit < units; ++unit) {
            if (const std::optional<Slot> slot = find(Lpn{first.value + unit})) {
                drop(*slot);
            }
        }
        return units;
    }
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        const Lpn lpn = entries_[slot].lpn;
        if (lpn != kNoLpn && lpn.value - first.value < units) {  // smaller numbers wrap around
            drop(Slot{slot});
        }
    }
    return slots;
}

/// The slot no longer holds a unit. It becomes empty when it is neither being filled nor pinned.
void ReadCache::drop(Slot slot) {
    Entry& entry = at(slot);
    count_unused(entry);
    entry.lpn = kNoLpn;
    if (entry.state == State::filled && entry.pins == 0) {
        entry = Entry{};
    }
}

void ReadCache::count_unused(Entry& entry) {
    counters_.unused += entry.lpn != kNoLpn && !entry.used ? 1 : 0;
}

void ReadCache::forget_all() {
    SOLIDTLM_CHECK(at_rest(), "no fetch is under way");
    for (Entry& entry : entries_) {
        count_unused(entry);
        entry = Entry{};
    }
    std::ranges::fill(fetched_to_, 0);
    streams_.forget();
}

}  // namespace solidtlm::fw
