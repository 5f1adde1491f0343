// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/map_counters.h"

namespace solidtlm::fw {
namespace {

/// True for stages of a flash operation; the other stages of its ledger are the core's.
bool of_flash(hal::Stage stage) {
    return (stage >= hal::Stage::dram_wait && stage <= hal::Stage::ecc) || stage >= hal::Stage::die_wait;
}

void tell_time(hal::Metrics& metrics, const std::string& name, const MapTime& time) {
    metrics.time(name + ".total", "all of it", time.total);
    metrics.time(name + ".queue", "for a lock, a buffer or room", time.queue);
    for (std::size_t i = 0; i < time.flash.size(); ++i) {
        if (of_flash(static_cast<hal::Stage>(i))) {
            metrics.time(name + ".flash." + std::string(hal::kStageNames[i]), "of flash operations",
                         time.flash[i]);
        }
    }
}

void tell_waits(hal::Metrics& metrics, const std::string& kind, const MapWaits& waits) {
    const std::string name = "map_cache.miss_us." + kind;
    metrics.counter(name + ".misses", "misses", "of page requests of this kind", waits.misses);
    tell_time(metrics, name + ".read", waits.read);
    tell_time(metrics, name + ".write_back", waits.write_back);
}

void tell_bytes(hal::Metrics& metrics, const std::string& name, const MapBytes& bytes) {
    metrics.counter("map_cache." + name + ".bus", "B", "over the bus, in whole ECC codewords", bytes.bus);
    metrics.counter("map_cache." + name + ".entries", "B", "of the entries alone", bytes.entries);
}

}  // namespace

void MapCounters::tell(hal::Metrics& metrics) const {
    const auto count = [&](const std::string& name, const char* unit, const char* what, std::uint64_t value) {
        metrics.counter("map_cache." + name, unit, what, value);
    };
    count("lookups", "requests", "of mapping units", lookups);
    count("hits", "requests", "whose entry was cached", hits);
    count("misses", "requests", "whose entry was not", misses);
    count("misses_joined", "misses", "that another one's read served", joined);
    count("misses_refetched", "reads", "for misses whose entry was gone again", refetched);
    count("misses_unwritten", "misses", "on a translation page that is not on flash yet", unwritten);
    count("evictions", "nodes", "that left", evictions);
    count("evictions_dirty", "nodes", "that were written back first", dirty_evictions);
    count("evictions_unwritten", "nodes", "that had nothing on flash to merge with", unwritten_merges);
    count("flash.miss_reads", "pages", "read for misses", miss_reads);
    count("flash.merge_reads", "pages", "read for evictions", merge_reads);
    count("flash.write_backs", "pages", "programmed for evictions", write_backs);
    count("flash.gc_reads", "pages", "read for data collection", gc_reads);
    count("flash.gc_programs", "pages", "programmed for data collection", gc_programs);
    count("flash.failed_programs", "programs", "that failed and were repeated", failed_programs);
    count("gc_entries.cached", "entries", "that data collection changed in the cache", gc_cached);
    count("gc_entries.uncached", "entries", "that data collection changed on flash", gc_uncached);
    tell_bytes(metrics, "miss_bytes", miss_bytes);
    tell_bytes(metrics, "merge_bytes", merge_bytes);
    tell_bytes(metrics, "program_bytes", program_bytes);
    metrics.time("map_cache.penalty_us.rm", "of page requests: reads for misses", measured.read_miss);
    metrics.time("map_cache.penalty_us.pf", "programs for evictions, waits for room included",
                 measured.program);
    metrics.time("map_cache.penalty_us.rf", "reads for evictions", measured.read_merge);
    tell_waits(metrics, "translating", translating);
    tell_waits(metrics, "updating", updating);
    for (const MapWindowCount& window : windows) {
        if (window.entries != 0) {
            count("windows." + std::to_string(window.entries), "misses", "that wanted so many entries",
                  window.chosen);
        }
    }
}

void MapAreaCounters::tell(hal::Metrics& metrics) const {
    metrics.counter("map_cache.flash.copy_reads", "pages", "read by the map area's collection", copied_reads);
    metrics.counter("map_cache.flash.copies", "pages", "programmed by the map area's collection", copied);
    metrics.counter("map_cache.flash.erases", "blocks", "of the map area", erased);
    metrics.counter("map_cache.flash.failed_copies", "programs", "of the map area's collection that failed",
                    failed_copies);
}

}  // namespace solidtlm::fw
