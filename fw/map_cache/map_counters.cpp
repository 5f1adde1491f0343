// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/map_counters.h"

namespace solidtlm::fw {
namespace {

/// True for stages of a flash operation; the other stages of its ledger are the core's.
bool of_flash(hal::Stage stage) {
    return (stage >= hal::Stage::dram_wait && stage <= hal::Stage::ecc) || stage >= hal::Stage::die_wait;
}

void tell_time(hal::Metrics& metrics, const std::string& name, const MapTime& time) {
    metrics.time(name + ".total", "total time of misses", time.total);
    metrics.time(name + ".queue", "time of misses that waited for a lock, a buffer or room", time.queue);
    for (std::size_t i = 0; i < time.flash.size(); ++i) {
        if (of_flash(static_cast<hal::Stage>(i))) {
            metrics.time(name + ".flash." + std::string(hal::kStageNames[i]),
                         "time of misses in this stage of flash operations", time.flash[i]);
        }
    }
}

void tell_waits(hal::Metrics& metrics, const std::string& kind, const MapWaits& waits) {
    const std::string name = "map_cache.miss_us." + kind;
    metrics.counter(name + ".misses", "misses", "misses of page requests of this kind", waits.misses);
    tell_time(metrics, name + ".read", waits.read);
    tell_time(metrics, name + ".write_back", waits.write_back);
}

void tell_bytes(hal::Metrics& metrics, const std::string& name, const MapBytes& bytes) {
    metrics.counter("map_cache." + name + ".bus", "B", "bytes on the bus, in whole ECC codewords", bytes.bus);
    metrics.counter("map_cache." + name + ".entries", "B", "bytes of the map entries alone", bytes.entries);
}

}  // namespace

void MapCounters::tell(hal::Metrics& metrics) const {
    const auto count = [&](const std::string& name, const char* unit, const char* what, std::uint64_t value) {
        metrics.counter("map_cache." + name, unit, what, value);
    };
    count("lookups", "requests", "look-ups of a mapping unit", lookups);
    count("hits", "requests", "look-ups whose entry was cached", hits);
    count("misses", "requests", "look-ups whose entry was not cached", misses);
    count("misses_joined", "misses", "misses served by the read of another miss", joined);
    count("misses_refetched", "reads", "reads repeated because the entry had been evicted meanwhile",
          refetched);
    count("misses_unwritten", "misses", "misses on a translation page that is not on flash yet", unwritten);
    count("evictions", "nodes", "nodes evicted", evictions);
    count("evictions_dirty", "nodes", "nodes written back before they were evicted", dirty_evictions);
    count("evictions_unwritten", "nodes", "nodes written back without a page on flash to merge with",
          unwritten_merges);
    count("flash.miss_reads", "pages", "translation pages read for misses", miss_reads);
    count("flash.merge_reads", "pages", "translation pages read for write-backs", merge_reads);
    count("flash.write_backs", "pages", "translation pages programmed for write-backs", write_backs);
    count("flash.gc_reads", "pages", "translation pages read because collection moved data", gc_reads);
    count("flash.gc_programs", "pages", "translation pages programmed because collection moved data",
          gc_programs);
    count("flash.failed_programs", "programs", "programs of translation pages that failed and were repeated",
          failed_programs);
    count("gc_entries.cached", "entries", "cached entries changed because collection moved their data",
          gc_cached);
    count("gc_entries.uncached", "entries", "entries changed on flash because collection moved their data",
          gc_uncached);
    tell_bytes(metrics, "miss_bytes", miss_bytes);
    tell_bytes(metrics, "merge_bytes", merge_bytes);
    tell_bytes(metrics, "program_bytes", program_bytes);
    metrics.time("map_cache.penalty_us.rm", "time of page requests for reads of misses (T_rm)",
                 measured.read_miss);
    metrics.time("map_cache.penalty_us.pf",
                 "time of page requests for programs of write-backs (T_pf), waits for room included",
                 measured.program);
    metrics.time("map_cache.penalty_us.rf", "time of page requests for reads of write-backs (T_rf)",
                 measured.read_merge);
    tell_waits(metrics, "translating", translating);
    tell_waits(metrics, "updating", updating);
    for (const MapWindowCount& window : windows) {
        if (window.entries != 0) {
            count("windows." + std::to_string(window.entries), "misses",
                  "misses with a window of this many entries", window.chosen);
        }
    }
}

void MapAreaCounters::tell(hal::Metrics& metrics) const {
    metrics.counter("map_cache.flash.copy_reads", "pages",
                    "translation pages read by the map area's collection", copied_reads);
    metrics.counter("map_cache.flash.copies", "pages",
                    "translation pages programmed by the map area's collection", copied);
    metrics.counter("map_cache.flash.erases", "blocks", "blocks of the map area erased", erased);
    metrics.counter("map_cache.flash.failed_copies", "programs",
                    "programs of the map area's collection that failed", failed_copies);
}

}  // namespace solidtlm::fw
