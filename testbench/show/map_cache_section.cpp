// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/map_cache_section.h"

#include "testbench/show/json_number.h"

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

/// Mean times of `misses` misses, microseconds.
Json time_section(const hal::Metrics& times, double misses) {
    const auto mean = [misses](double ps) { return misses == 0 ? 0.0 : ps / kPsPerUs / misses; };
    const double total = ps_of(times.time_at("total"));
    const double queue = ps_of(times.time_at("queue"));
    double core = total - queue;  // the rest, except the time that flash takes
    Json section{{"total", mean(total)}, {"queue", mean(queue)}, {"core", nullptr}};
    for (const auto& [stage, time] : times.of("flash").in_order()) {
        section[stage] = mean(time.value);
        core -= time.value;
    }
    section["core"] = mean(core);
    return section;
}

Json waits_section(const hal::Metrics& waits) {
    const double misses = waits.at("misses");
    return {{"misses", counter(misses)},
            {"read", time_section(waits.of("read"), misses)},
            {"write_back", time_section(waits.of("write_back"), misses)}};
}

/// `bytes`: the entry sizes that are counted.
Json closed_form_section(const hal::Metrics& cache, const std::string& bytes, const fw::FlashTimes& times) {
    const auto traffic = [&](const std::string& operations, const std::string& moved) {
        return fw::MapTraffic{cache.count("flash." + operations), cache.count(moved + "." + bytes)};
    };
    return penalty_section(
        fw::closed_form(traffic("miss_reads", "miss_bytes"), traffic("write_backs", "program_bytes"),
                        traffic("merge_reads", "merge_bytes"), times),
        cache.count("lookups"));
}

}  // namespace

Json map_cache_section(const DeviceTelemetry& device) {
    SOLIDTLM_CHECK(device.map_cache, "there is a map cache");
    const MapCacheTelemetry& map = *device.map_cache;
    const hal::Metrics cache = device.firmware.of("map_cache");
    const auto count = [&cache](const char* name) { return cache.count(name); };
    const std::uint64_t lookups = count("lookups");
    const fw::MapPenalty measured{cache.time_at("penalty_us.rm"), cache.time_at("penalty_us.pf"),
                                  cache.time_at("penalty_us.rf")};
    Json section{
        {"policy", map.policy},
        {"size_bytes", map.size_bytes},
        {"translation_pages", map.translation_pages},
        {"lookups", lookups},
        {"hits", count("hits")},
        {"hit_ratio", lookups == 0 ? Json(nullptr) : Json(cache.at("hits") / cache.at("lookups"))},
        {"misses", count("misses")},
        {"misses_joined", count("misses_joined")},
        {"misses_unwritten", count("misses_unwritten")},
        {"evictions", count("evictions")},
        {"evictions_dirty", count("evictions_dirty")},
        {"flash",
         {{"miss_reads", count("flash.miss_reads")},
          {"merge_reads", count("flash.merge_reads")},
          {"write_backs", count("flash.write_backs")},
          {"gc_reads", count("flash.gc_reads")},
          {"gc_programs", count("flash.gc_programs")},
          {"copy_reads", count("flash.copy_reads")},
          {"copies", count("flash.copies")},
          {"erases", count("flash.erases")}}},
        {"gc_entries", {{"cached", count("gc_entries.cached")}, {"uncached", count("gc_entries.uncached")}}},
        {"penalty_us",
         {{"closed_form", closed_form_section(cache, "bus", map.times)},
          {"closed_form_entries", closed_form_section(cache, "entries", map.times)},
          {"measured", penalty_section(measured, lookups)}}},
        {"miss_us",
         {{"translating", waits_section(cache.of("miss_us.translating"))},
          {"updating", waits_section(cache.of("miss_us.updating"))}}}};
    for (const auto& [entries, chosen] : cache.of("windows").in_order()) {
        section["windows"].push_back({{"entries", std::stoul(entries)}, {"chosen", counter(chosen.value)}});
    }
    return section;
}

}  // namespace solidtlm::testbench
