// SPDX-License-Identifier: Apache-2.0
//
// The workloads of studies A, B and C as statistical models: one file each in patterns/, described with
// their parameters in docs/workloads.md. Sources: Lee et al. 2013, table 2 and figure 2 (study B); Ha et al.
// 2011, table 1 and figure 5 (study A); Park and Shin 2014 (study C).
//
// A translation page covers 1,024 pages of 4 KiB: 4 MiB of logical addresses. "Page" is a page of 4 KiB.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "testbench/workload/pattern.h"

namespace solidtlm::testbench {

constexpr std::uint64_t kSectorsPerPage = 8;
constexpr std::uint64_t kSectorsPerTranslationPage = 1024 * kSectorsPerPage;

constexpr std::uint64_t gib(double value) {
    return static_cast<std::uint64_t>(value * hal::kGiB);
}

inline SizeShare kib(std::uint64_t size, double weight) {
    return {size * hal::kKiB / hal::kSectorBytes, weight};
}

/// What the studies publish: lengths in GiB.
struct Published {
    double address;  ///< of the drive
    double actual;   ///< from the lowest to the highest address used
    double unique;
    std::uint64_t requests;
};

/// Requests of a total that the study gives as GiB and a mean in KiB.
constexpr std::uint64_t requests_of(double total_gib, double mean_kib) {
    return static_cast<std::uint64_t>(total_gib * 1024 * 1024 / mean_kib);
}

/// A workload of that size.
[[nodiscard]] WorkloadConfig with(const Published& published);
/// Shrinks addresses, unique data and requests. REQUIRES: full size; 0 < scale <= 1.
void scale_study(WorkloadConfig& config, double scale);

/// `parts` numbers below `limit`, ascending and different: one anywhere in each of `parts` equal strata, but
/// the first at 0 and the last at the end. REQUIRES: 1 <= parts <= limit.
[[nodiscard]] std::vector<std::uint64_t> spread_places(std::uint64_t parts, std::uint64_t limit,
                                                       Random& random);

/// Fisher-Yates.
template <class Value>
void shuffle(std::vector<Value>& values, Random& random) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random.below(i)]);
    }
}

/// A number of requests with the given mean, at least 1, geometrically distributed: true while it goes on.
[[nodiscard]] inline bool goes_on(double mean, Random& random) {
    return random.chance(1 - 1 / mean);
}

[[nodiscard]] inline Operation draw_operation(double read_share, Random& random) {
    return random.chance(read_share) ? Operation::read : Operation::write;
}

}  // namespace solidtlm::testbench
