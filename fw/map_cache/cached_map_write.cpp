// SPDX-License-Identifier: Apache-2.0
//
// Translation pages on their way to flash: evictions and data collection.
#include <algorithm>

#include "fw/hal/check.h"
#include "fw/map_cache/cached_map_parts.h"

namespace solidtlm::fw {

CachedMap::Rewrite& CachedMap::take_rewrite() {
    if (free_rewrites_.empty()) {
        SOLIDTLM_CHECK(rewrites_.size() < size_.translation_pages, "each locked page is written once");
        rewrites_.push_back(std::make_unique<Rewrite>());
        free_rewrites_.push_back(rewrites_.back().get());
    }
    Rewrite& work = *free_rewrites_.back();
    free_rewrites_.pop_back();
    work.pieces.clear();
    work.moved.clear();
    work.listener = nullptr;
    work.waits = nullptr;
    return work;
}

/// Writes a dirty node, and what the policy writes with it. Returns the time of the merging read, if any.
Task<Ps> CachedMap::write_back(Node victim, MapTime* waits) {
    const Tpn page = page_of(policy_->range(victim).first);
    const Ps since = environment_.executor.now();
    co_await locks_.acquire(page);
    waited(waits, since);
    Ps merging{0};
    if (policy_->dirty(victim)) {  // or somebody has written it meanwhile
        Rewrite& work = take_rewrite();
        work.waits = waits;
        policy_->collect(victim, work.pieces);
        merging = co_await rewrite(page, work);
    }
    locks_.release(page);
    co_return merging;
}

/// Read, merge, program. REQUIRES: the page's lock is held. Frees `work`.
Task<Ps> CachedMap::rewrite(Tpn page, Rewrite& work) {
    SOLIDTLM_CHECK(locks_.held(page), "the translation page is locked");
    const Ps begin = environment_.executor.now();
    for (const MapPiece& piece : work.pieces) {
        policy_->pin(piece.node);
    }
    co_await job_credits_.acquire(1);
    waited(work.waits, begin);
    MapJob& job = take_job();
    const bool merged = co_await merge(page, work, job);
    const Ps merging = merged ? environment_.executor.now() - begin : Ps{0};
    // Entries that the host has changed or trimmed since they were gathered.
    std::erase_if(work.moved, [this](MapUpdate* update) {
        update->previous = Ppa{on_flash_[update->lpn.value] - 1};
        return update->expected != update->previous;
    });
    bool done = work.listener != nullptr && work.moved.empty();
    while (!done) {
        done = co_await program(page, work, job);
    }
    free_job(job);
    for (const MapPiece& piece : work.pieces) {
        release_pin(piece.node);
    }
    free_rewrites_.push_back(&work);
    co_return merging;
}

/// Reads what the cache does not contribute. False if there is nothing to read.
Task<bool> CachedMap::merge(Tpn page, Rewrite& work, MapJob& job) {
    const bool collecting = work.listener != nullptr;
    cover_.clear();
    for (const MapPiece& piece : work.pieces) {
        cover_.add(piece.range);
    }
    if (cover_.whole_page()) {
        co_return false;
    }
    if (!area_.written(page)) {
        counters_.unwritten_merges += collecting ? 0 : 1;
        co_return false;
    }
    if (collecting) {
        job.count_in(counters_.gc_reads);
    } else {
        job.count_in(counters_.merge_reads, &counters_.merge_bytes, cover_.bytes_to_merge());
    }
    cover_.pieces(true, job.buffer, job.pieces);
    co_await area_.read(page, job);
    if (work.waits != nullptr) {
        work.waits->add(job.ledger);
    }
    co_return true;
}

/// Programs the page with the entries as they are now. False if the program failed. Where the area is worn
/// out, what cannot be written any more stays in DRAM beyond the budget, which the model's store stands for;
/// the drive is read-only then.
Task<bool> CachedMap::program(Tpn page, Rewrite& work, MapJob& job) {
    const Ps since = environment_.executor.now();
    const std::optional<MapPlace> place = co_await area_.allocate(page);
    waited(work.waits, since);
    work.values.clear();
    for (const MapPiece& piece : work.pieces) {
        policy_->mark_clean(piece);
        for (std::uint32_t i = 0; i < piece.range.count; ++i) {
            work.values.push_back(in_cache_[piece.range.first.value + i]);
        }
    }
    bool ok = true;
    if (place) {
        if (work.listener != nullptr) {
            job.count_in(counters_.gc_programs);
        } else {
            job.count_in(counters_.write_backs, &counters_.program_bytes, cover_.bytes_to_program());
        }
        job.pieces.assign(1, hal::FlashPiece{0, 0, size_.entries * kMapEntryBytes, job.buffer});
        ok = co_await area_.program(page, *place, job);
        if (work.waits != nullptr) {
            work.waits->add(job.ledger);
        }
    }
    if (ok) {
        persist(work);
        co_return true;
    }
    ++counters_.failed_programs;
    for (const MapPiece& piece : work.pieces) {
        for (std::uint32_t i = 0; i < piece.range.count; ++i) {
            policy_->mark_dirty(piece.node, Lpn{piece.range.first.value + i});
        }
    }
    co_return false;
}

/// The program has ended: flash holds the values that were taken for it.
void CachedMap::persist(const Rewrite& work) {
    std::size_t value = 0;
    for (const MapPiece& piece : work.pieces) {
        for (std::uint32_t i = 0; i < piece.range.count; ++i) {
            on_flash_[piece.range.first.value + i] = work.values[value++];
        }
    }
    for (MapUpdate* update : work.moved) {
        ++counters_.gc_uncached;
        on_flash_[update->lpn.value] = update->fresh.value + 1;
        changed(update->lpn, update->fresh);
        Charge none;
        work.listener->applied(*update, none);
    }
}

/// Data collection has moved units: cached entries change where they are, the others on flash.
Task<void> CachedMap::collect(std::span<MapUpdate> updates, MapListener& listener, Cause cause,
                              Charge& charge) {
    const CycleCosts& cycles = environment_.config.cycles;
    if (free_collections_.empty()) {
        SOLIDTLM_CHECK(collections_.size() <
                           std::size_t{environment_.layout.pus()} * environment_.config.gc.pipeline_depth,
                       "each move of data collection updates the map once");
        collections_.push_back(std::make_unique<Collection>(environment_.executor));
        free_collections_.push_back(collections_.back().get());
    }
    Collection& collection = *free_collections_.back();
    free_collections_.pop_back();
    collection.listener = &listener;
    collection.uncached.clear();
    for (MapUpdate& update : updates) {
        const Node node = policy_->find(update.lpn);
        if (node == kNoNode) {
            collection.uncached.push_back(&update);
            continue;
        }
        touch_dram(update.lpn, kMapEntryBytes, true);
        counters_.gc_cached += apply(node, update, listener, charge) ? 1 : 0;
    }
    co_await environment_.executor.spend(charge, updates.size() * (cycles.map_update + cycles.cache_search),
                                         nullptr, cause);
    std::vector<MapUpdate*>& uncached = collection.uncached;
    std::sort(uncached.begin(), uncached.end(),
              [](const MapUpdate* a, const MapUpdate* b) { return a->lpn < b->lpn; });
    for (std::size_t first = 0; first < uncached.size();) {
        const Tpn page = page_of(uncached[first]->lpn);
        std::size_t end = first;
        while (end < uncached.size() && page_of(uncached[end]->lpn) == page) {
            ++end;
        }
        collection.join.add();
        environment_.executor.spawn(
            collect_into(page, std::span(uncached).subspan(first, end - first), collection));
        first = end;
    }
    co_await collection.join.wait();
    co_await keep_budget(nullptr, charge);
    free_collections_.push_back(&collection);
}

Task<void> CachedMap::collect_into(Tpn page, std::span<MapUpdate* const> updates, Collection& collection) {
    co_await locks_.acquire(page);
    Rewrite& work = take_rewrite();
    work.listener = collection.listener;
    for (MapUpdate* update : updates) {
        const Node node = policy_->find(update->lpn);
        if (node == kNoNode) {
            work.moved.push_back(update);
        } else {  // it came in while this waited
            Charge none;
            counters_.gc_cached += apply(node, *update, *collection.listener, none) ? 1 : 0;
        }
    }
    if (work.moved.empty()) {
        free_rewrites_.push_back(&work);
    } else {
        policy_->collect_page(page, work.pieces);
        co_await rewrite(page, work);
    }
    locks_.release(page);
    collection.join.done();
}

}  // namespace solidtlm::fw
