// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/map_cache_section.h"

namespace solidtlm::testbench {

Json penalty_section(const fw::MapPenalty& penalty, std::uint64_t lookups) {
    constexpr double kPsPerUs = 1e6;
    const auto mean = [lookups](Ps sum) {
        return lookups == 0
                   ? Json(nullptr)
                   : Json(static_cast<double>(sum.count()) / kPsPerUs / static_cast<double>(lookups));
    };
    return {{"rm", mean(penalty.read_miss)},
            {"pf", mean(penalty.program)},
            {"rf", mean(penalty.read_merge)},
            {"total", mean(penalty.read_miss + penalty.program + penalty.read_merge)}};
}

Json map_cache_section(const MapCacheTelemetry& map) {
    const fw::MapCounters& cache = map.cache;
    const Json hit_ratio = cache.lookups == 0
                               ? Json(nullptr)
                               : Json(static_cast<double>(cache.hits) / static_cast<double>(cache.lookups));
    const auto closed_form = [&](std::uint64_t fw::MapBytes::*bytes) {
        return penalty_section(fw::closed_form(cache, map.times, bytes), cache.lookups);
    };
    Json section{{"policy", map.policy},
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
                   {"measured", penalty_section(cache.measured, cache.lookups)}}}};
    for (const fw::MapWindowCount& window : cache.windows) {
        if (window.entries != 0) {
            section["windows"].push_back({{"entries", window.entries}, {"chosen", window.chosen}});
        }
    }
    return section;
}

}  // namespace solidtlm::testbench
