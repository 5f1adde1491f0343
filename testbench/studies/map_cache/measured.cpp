// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/measured.h"

#include <algorithm>

namespace solidtlm::testbench::map_cache {
namespace {

Penalty penalty_of(const Json& section) {
    return Penalty{section.at("rm"), section.at("pf"), section.at("rf"), section.at("total")};
}

}  // namespace

Json Measured::derived() const {
    Json json{{"hit_ratio", hit_ratio}, {"penalty_entries_us", entries.total}, {"penalty_bus_us", bus.total}};
    if (measured) {
        json["penalty_measured_us"] = measured->total;
    }
    std::uint64_t misses = 0;
    for (const WindowShare& window : windows) {
        misses += window.chosen;
    }
    for (const WindowShare& window : windows) {
        json["window_" + std::to_string(window.entries) + "_share"] =
            misses == 0 ? 0.0 : static_cast<double>(window.chosen) / static_cast<double>(misses);
    }
    return json;
}

Measured measured_of(const Json& map_cache) {
    Measured measured;
    measured.size_bytes = map_cache.at("size_bytes");
    measured.lookups = map_cache.at("lookups");
    measured.hit_ratio = map_cache.at("hit_ratio");
    const Json& penalty = map_cache.at("penalty_us");
    measured.entries = penalty_of(penalty.at("closed_form_entries"));
    measured.bus = penalty_of(penalty.at("closed_form"));
    if (!penalty.at("measured").at("total").is_null()) {
        measured.measured = penalty_of(penalty.at("measured"));
    }
    if (map_cache.contains("windows")) {
        for (const Json& window : map_cache.at("windows")) {
            measured.windows.push_back(WindowShare{window.at("entries"), window.at("chosen")});
        }
    }
    std::ranges::sort(measured.windows, {}, &WindowShare::entries);
    return measured;
}

const Measured* find(std::span<const Measured> all, const std::string& load, const std::string& policy,
                     std::uint64_t size_bytes) {
    const auto found = std::ranges::find_if(all, [&](const Measured& each) {
        return each.load == load && each.policy.name == policy && each.size_bytes == size_bytes;
    });
    return found == all.end() ? nullptr : &*found;
}

std::string window_name(std::uint32_t entries, std::uint32_t whole) {
    return entries == whole ? "full" : "tafp_" + std::to_string(entries * 4);
}

}  // namespace solidtlm::testbench::map_cache
