// SPDX-License-Identifier: Apache-2.0
//
// The workloads of studies A, B and C as statistical models, one file each in patterns/; docs/workloads.md
// describes them with their parameters. Sources: Lee et al. 2013, table 2 and figure 2 (study B); Ha et al.
// 2011, table 1 and figure 5 (study A); Park and Shin 2014 (study C).
//
// A translation page covers 1,024 pages of 4 KiB: 4 MiB of logical addresses. "Page" means a page of 4 KiB.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "testbench/sim/load/pattern.h"

namespace solidtlm::testbench {

constexpr std::uint64_t kSectorsPerPage = 8;
constexpr std::uint64_t kSectorsPerTranslationPage = 1024 * kSectorsPerPage;

constexpr std::uint64_t gib(double value) {
    return static_cast<std::uint64_t>(value * hal::kGiB);
}

inline SizeShare kib(std::uint64_t size, double weight) {
    return {size * hal::kKiB / hal::kSectorBytes, weight};
}

/// Published sizes, in GiB.
struct Published {
    double address;  ///< size of the drive
    double actual;   ///< from the lowest to the highest address used
    double unique;
    std::uint64_t requests;
};

/// Number of requests for a total in GiB and a mean in KiB, as the study gives them.
constexpr std::uint64_t requests_of(double total_gib, double mean_kib) {
    return static_cast<std::uint64_t>(total_gib * 1024 * 1024 / mean_kib);
}

/// A workload of the published size.
[[nodiscard]] WorkloadConfig with(const Published& published);
/// Scales addresses, unique data and requests down. REQUIRES: full size; 0 < scale <= 1.
void scale_study(WorkloadConfig& config, double scale);

/// `parts` distinct ascending numbers below `limit`: a random one from each of `parts` equal strata, except
/// that the first number is 0 and the last one is the end. REQUIRES: 1 <= parts <= limit.
[[nodiscard]] std::vector<std::uint64_t> spread_places(std::uint64_t parts, std::uint64_t limit,
                                                       Random& random);

/// Fisher-Yates shuffle.
template <class Value>
void shuffle(std::vector<Value>& values, Random& random) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random.below(i)]);
    }
}

/// For a geometrically distributed number of requests, at least 1, with the given mean: true if another
/// request follows.
[[nodiscard]] inline bool goes_on(double mean, Random& random) {
    return random.chance(1 - 1 / mean);
}

[[nodiscard]] inline Operation draw_operation(double read_share, Random& random) {
    return random.chance(read_share) ? Operation::read : Operation::write;
}

}  // namespace solidtlm::testbench
