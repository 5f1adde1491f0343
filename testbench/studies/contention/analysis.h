// SPDX-License-Identifier: Apache-2.0
//
// What limits a point, told by what was measured, and from where on more channels or a larger cache gain
// little.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/studies/contention/bound.h"
#include "testbench/studies/contention/point.h"
#include "testbench/studies/contention/sweep.h"

namespace solidtlm::testbench::contention {

/// A point that was simulated.
struct MeasuredPoint {
    Panel panel;
    std::uint32_t channels = 1;
    std::uint64_t cache_bytes = kWholeMap;
    Measured measured;
    Demand demand;
    Bounds bounds;

    /// Measured throughput as a fraction of the least bound.
    [[nodiscard]] double of_bound() const { return measured.mb_per_s / bounds.least(); }
};

/// Busy so much of the time, a resource is full.
constexpr double kFull = 0.95;
/// A step that gains less is not worth it.
constexpr double kLeastGain = 0.05;
/// Of so many lookups that hit, a larger cache has nothing to gain.
constexpr double kAllHit = 0.999;

/// What keeps a point from being faster. A resource that is full; else what requests spend most of their time
/// on, which more of them at a time could make use of.
enum class Limit : std::uint8_t {
    link,
    channels,
    dies,
    core,
    dram,
    one_channel,  ///< the busiest is full, the mean is not
    one_die,
    misses,  ///< nothing is full; misses take the largest part of the time
    flash,   ///< nothing is full; reading or programming data does
    host_link,
    firmware,
    queue,
};
[[nodiscard]] Limit limit_of(const Measured& measured);
/// "link", "one_die", "misses", ...
[[nodiscard]] std::string_view limit_name(Limit limit);
/// In words, with the numbers.
[[nodiscard]] std::string limit_text(const Measured& measured);

/// Where a row of points, ascending in one dimension, stops being worth a step.
struct Knee {
    std::size_t at = 0;  ///< index of the first point from which no step gains kLeastGain
    double gain = 0.0;   ///< of the next step, a doubling: 0.03 is 3 %
    double rest = 0.0;   ///< of all steps that follow, together
};
/// None where the last step is worth it. `sizes[i]` belongs to `values[i]`; where a step is no doubling its
/// gain is taken as that of a doubling, (b / a)^(1 / log2 of the sizes). A size of 0 is one doubling beyond
/// the one before.
[[nodiscard]] std::optional<Knee> knee_of(std::span<const double> values, std::span<const double> sizes);

/// A line of an answer.
struct Answer {
    std::uint32_t channels = 0;            ///< of the point
    std::uint64_t cache_bytes = 0;         ///< of the point
    const MeasuredPoint* point = nullptr;  ///< where it stops; the last one where it does not
    std::optional<Knee> knee;
};

/// For each cache size, the number of channels from which a doubling gains little; none for a row of one.
/// REQUIRES: points of one panel, which outlive the answer.
[[nodiscard]] std::vector<Answer> enough_channels(std::span<const MeasuredPoint> panel);
/// For each number of channels, the cache size.
[[nodiscard]] std::vector<Answer> enough_cache(std::span<const MeasuredPoint> panel);

/// The different channels, caches of a panel, ascending.
[[nodiscard]] std::vector<std::uint32_t> channels_of(std::span<const MeasuredPoint> panel);
[[nodiscard]] std::vector<std::uint64_t> caches_of(std::span<const MeasuredPoint> panel);
/// Null: that point failed.
[[nodiscard]] const MeasuredPoint* find(std::span<const MeasuredPoint> panel, std::uint32_t channels,
                                        std::uint64_t cache_bytes);

}  // namespace solidtlm::testbench::contention
