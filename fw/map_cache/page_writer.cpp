// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/page_writer.h"

#include "fw/hal/check.h"

namespace solidtlm::fw {

PageWriter::PageWriter(const MapTools& tools)
    : tools_(tools), cover_(tools.entries.size(), tools.services.config.map_cache.times) {}

PageWriter::Rewrite& PageWriter::take() {
    if (free_.empty()) {
        SOLIDTLM_CHECK(all_.size() < tools_.entries.size().translation_pages,
                       "each locked page is written once");
        all_.push_back(std::make_unique<Rewrite>());
        free_.push_back(all_.back().get());
    }
    Rewrite& work = *free_.back();
    free_.pop_back();
    work.pieces.clear();
    work.moved.clear();
    work.listener = nullptr;
    work.waits = nullptr;
    return work;
}

Task<Ps> PageWriter::write_back(Node victim, MapTime* waits) {
    CachePolicy& policy = tools_.entries.policy();
    const Tpn page = tools_.entries.page_of(policy.range(victim).first);
    const Ps since = tools_.services.executor.now();
    co_await tools_.locks.acquire(page);
    tools_.add_queue(waits, since);
    Ps merging{0};
    if (policy.dirty(victim)) {  // otherwise another coroutine has written it meanwhile
        Rewrite& work = take();
        work.waits = waits;
        policy.collect(victim, work.pieces);
        merging = co_await rewrite(page, work);
    }
    tools_.locks.release(page);
    co_return merging;
}

Task<Ps> PageWriter::rewrite(Tpn page, Rewrite& work) {
    SOLIDTLM_CHECK(tools_.locks.held(page), "the translation page is locked");
    CachedEntries& entries = tools_.entries;
    const Ps begin = tools_.services.executor.now();
    for (const MapPiece& piece : work.pieces) {
        entries.policy().pin(piece.node);
    }
    co_await tools_.jobs.acquire();
    tools_.add_queue(work.waits, begin);
    MapJob& job = tools_.jobs.take();
    const bool merged = co_await merge(page, work, job);
    const Ps merging = merged ? tools_.services.executor.now() - begin : Ps{0};
    // Drops entries that the host has changed or trimmed since they were gathered.
    std::erase_if(work.moved, [&entries](MapUpdate* update) {
        update->previous = entries.on_flash(update->lpn);
        return update->expected != update->previous;
    });
    bool done = work.listener != nullptr && work.moved.empty();
    while (!done) {
        done = co_await program(page, work, job);
    }
    tools_.jobs.give_back(job);
    for (const MapPiece& piece : work.pieces) {
        entries.release_pin(piece.node);
    }
    give_back(work);
    co_return merging;
}

/// Reads the parts of the page that the cache lacks. False if there is nothing to read.
Task<bool> PageWriter::merge(Tpn page, Rewrite& work, MapJob& job) {
    const bool collecting = work.listener != nullptr;
    MapCounters& counters = tools_.counters;
    cover_.clear();
    for (const MapPiece& piece : work.pieces) {
        cover_.add(piece.range);
    }
    if (cover_.whole_page()) {
        co_return false;
    }
    if (!tools_.area.written(page)) {
        counters.unwritten_merges += collecting ? 0 : 1;
        co_return false;
    }
    if (collecting) {
        job.count_in(counters.gc_reads);
    } else {
        job.count_in(counters.merge_reads, &counters.merge_bytes, cover_.bytes_to_merge());
    }
    cover_.pieces(true, job.buffer, job.pieces);
    co_await tools_.area.read(page, job);
    if (work.waits != nullptr) {
        work.waits->add(job.ledger);
    }
    co_return true;
}

/// Programs the page with the present values of its entries. False if the program failed. If the area is worn
/// out, entries that can no longer be written stay in DRAM beyond the budget (the model keeps them in its own
/// store), and the drive is read-only.
Task<bool> PageWriter::program(Tpn page, Rewrite& work, MapJob& job) {
    CachedEntries& entries = tools_.entries;
    MapCounters& counters = tools_.counters;
    const Ps since = tools_.services.executor.now();
    const std::optional<MapPlace> place = co_await tools_.area.allocate(page);
    tools_.add_queue(work.waits, since);
    work.values.clear();
    for (const MapPiece& piece : work.pieces) {
        entries.policy().mark_clean(piece);
        for (std::uint32_t i = 0; i < piece.range.count; ++i) {
            work.values.push_back(entries.cached(Lpn{piece.range.first.value + i}));
        }
    }
    bool ok = true;
    if (place) {
        if (work.listener != nullptr) {
            job.count_in(counters.gc_programs);
        } else {
            job.count_in(counters.write_backs, &counters.program_bytes, cover_.bytes_to_program());
        }
        ok = co_await program_at(page, *place, job);
        if (work.waits != nullptr) {
            work.waits->add(job.ledger);
        }
    }
    if (ok) {
        persist(work);
        co_return true;
    }
    ++counters.failed_programs;
    for (const MapPiece& piece : work.pieces) {
        for (std::uint32_t i = 0; i < piece.range.count; ++i) {
            entries.policy().mark_dirty(piece.node, Lpn{piece.range.first.value + i});
        }
    }
    co_return false;
}

Task<bool> PageWriter::program_at(Tpn page, MapPlace place, MapJob& job) {
    job.move(tools_.entries.size().entries * kMapEntryBytes);
    return tools_.area.program(page, place, job);
}

/// The program has ended: flash now holds the values that were taken for it.
void PageWriter::persist(const Rewrite& work) {
    CachedEntries& entries = tools_.entries;
    std::size_t value = 0;
    for (const MapPiece& piece : work.pieces) {
        for (std::uint32_t i = 0; i < piece.range.count; ++i) {
            entries.set_on_flash(Lpn{piece.range.first.value + i}, work.values[value++]);
        }
    }
    for (MapUpdate* update : work.moved) {
        ++tools_.counters.gc_uncached;
        entries.set_on_flash(update->lpn, update->fresh);
        entries.changed(update->lpn, update->fresh);
        Charge none;
        work.listener->applied({update, 1}, none);
    }
}

Task<void> PageWriter::restore(Tpn page) {
    co_await tools_.jobs.acquire();
    MapJob& job = tools_.jobs.take();
    bool done = false;
    while (!done) {
        const std::optional<MapPlace> place = co_await tools_.area.allocate(page);
        std::uint64_t programs = 0;
        job.count_in(programs);
        done = !place || co_await program_at(page, *place, job);
    }
    tools_.jobs.give_back(job);
}

}  // namespace solidtlm::fw
