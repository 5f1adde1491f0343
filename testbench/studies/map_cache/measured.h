// SPDX-License-Identifier: Apache-2.0
//
// What came out of one cache on one load, in numbers that tables, figures and claims are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/studies/map_cache/policy.h"

namespace solidtlm::testbench::map_cache {

constexpr double kPercent = 100.0;

/// Mean of a page request, microseconds.
struct Penalty {
    double rm = 0.0;
    double pf = 0.0;
    double rf = 0.0;
    double total = 0.0;
};

/// How often bsb chose a window.
struct WindowShare {
    std::uint32_t entries = 0;
    std::uint64_t chosen = 0;
};

struct Measured {
    std::string load;
    Policy policy;
    std::uint64_t size_bytes = 0;
    std::uint64_t lookups = 0;
    double hit_ratio = 0.0;
    Penalty entries;                   ///< closed form, the bytes of the entries alone: the study's figure
    Penalty bus;                       ///< closed form, whole sectors or codewords
    std::optional<Penalty> measured;   ///< the time that passed, with contention; none without time
    std::vector<WindowShare> windows;  ///< bsb: shortest first
    /// bsb without time: the same for each of equal parts of the load; all in the order of `windows`.
    std::vector<std::vector<std::uint64_t>> windows_over_time;

    /// Point::derived, explained in docs/map-cache-study.md.
    [[nodiscard]] Json derived() const;
};

/// REQUIRES: the section `map_cache` of a result.
[[nodiscard]] Measured measured_of(const Json& map_cache);

/// None: that cache was not run on that load.
[[nodiscard]] const Measured* find(std::span<const Measured> all, const std::string& load,
                                   const std::string& policy, std::uint64_t size_bytes);

/// "full" or "tafp_64", as in firmware.map_cache.bsb_candidates; `whole`: entries of a translation page.
[[nodiscard]] std::string window_name(std::uint32_t entries, std::uint32_t whole);

}  // namespace solidtlm::testbench::map_cache
