// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/map_cache_section.h"

#include "testbench/results/json_number.h"

namespace solidtlm::testbench {

Json penalty_section(const fw::MapPenalty& penalty, std::uint64_t lookups) {
    const auto mean = [lookups](Ps sum) {
        return lookups == 0 ? Json(nullptr) : Json(ps_of(sum) / kPsPerUs / static_cast<double>(lookups));
    };
    return {{"rm", mean(penalty.read_miss)},
            {"pf", mean(penalty.program)},
            {"rf", mean(penalty.read_merge)},
            {"total", mean(penalty.read_miss + penalty.program + penalty.read_merge)}};
}

namespace {

/// What a flash operation goes through; the rest of its ledger is the core's.
bool of_flash(hal::Stage stage) {
    return (stage >= hal::Stage::dram_wait && stage <= hal::Stage::ecc) || stage >= hal::Stage::die_wait;
}

/// Mean of a miss, microseconds.
Json time_section(const fw::MapTime& time, std::uint64_t misses) {
    const auto mean = [misses](Ps sum) {
        return misses == 0 ? 0.0 : ps_of(sum) / kPsPerUs / static_cast<double>(misses);
    };
    Json section{{"total", mean(time.total)}, {"queue", mean(time.queue)}, {"core", nullptr}};
    Ps core = time.total - time.queue;
    for (std::size_t i = 0; i < time.flash.size(); ++i) {
        if (of_flash(static_cast<hal::Stage>(i))) {
            section[std::string(hal::kStageNames[i])] = mean(time.flash[i]);
            core -= time.flash[i];
        }
    }
    section["core"] = mean(core);
    return section;
}

Json waits_section(const fw::MapWaits& waits) {
    return {{"misses", waits.misses},
            {"read", time_section(waits.read, waits.misses)},
            {"write_back", time_section(waits.write_back, waits.misses)}};
}

}  // namespace

Json map_cache_section(const MapCacheTelemetry& map) {
    const fw::MapCounters& cache = map.cache;
    const Json hit_ratio = cache.lookups == 0
                               ? Json(nullptr)
                               : Json(static_cast<double>(cache.hits) / static_cast<double>(cache.lookups));
    const auto closed_form = [&](std::uint64_t fw::MapBytes::*bytes) {
        return penalty_section(fw::closed_form(cache, map.times, bytes), cache.lookups);
    };
    Json section{
        {"policy", map.policy},
        {"size_bytes", map.size_bytes},
        {"translation_pages", map.translation_pages},
        {"lookups", cache.lookups},
        {"hits", cache.hits},
        {"hit_ratio", hit_ratio},
        {"misses", cache.misses},
        {"misses_joined", cache.joined},
        {"misses_unwritten", cache.unwritten},
        {"evictions", cache.evictions},
        {"evictions_dirty", cache.dirty_evictions},
        {"flash",
         {{"miss_reads", cache.miss_reads},
          {"merge_reads", cache.merge_reads},
          {"write_backs", cache.write_backs},
          {"gc_reads", cache.gc_reads},
          {"gc_programs", cache.gc_programs},
          {"copy_reads", map.area.copied_reads},
          {"copies", map.area.copied},
          {"erases", map.area.erased}}},
        {"gc_entries", {{"cached", cache.gc_cached}, {"uncached", cache.gc_uncached}}},
        {"penalty_us",
         {{"closed_form", closed_form(&fw::MapBytes::bus)},
          {"closed_form_entries", closed_form(&fw::MapBytes::entries)},
          {"measured", penalty_section(cache.measured, cache.lookups)}}},
        {"miss_us",
         {{"translating", waits_section(cache.translating)}, {"updating", waits_section(cache.updating)}}}};
    for (const fw::MapWindowCount& window : cache.windows) {
        if (window.entries != 0) {
            section["windows"].push_back({{"entries", window.entries}, {"chosen", window.chosen}});
        }
    }
    return section;
}

}  // namespace solidtlm::testbench
