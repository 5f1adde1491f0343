// SPDX-License-Identifier: Apache-2.0
//
// The claims B1 to B6 of Lee et al. 2013, judged by rules that are fixed beforehand
// (docs/map-cache-study.md). All penalties are the study's: the closed form with the bytes of the entries.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/studies/load_properties.h"
#include "testbench/studies/map_cache/measured.h"
#include "testbench/studies/map_cache/published.h"

namespace solidtlm::testbench::map_cache {

/// By how much bsb reduces the mean penalty against `policy`, percent. None: one of the two was not run, or
/// `policy` costs nothing.
[[nodiscard]] std::optional<double> reduction(std::span<const Measured> all, const std::string& load,
                                              std::uint64_t size_bytes, const std::string& policy);

/// One number of table 3 beside ours.
struct Comparison {
    std::string load;
    std::uint64_t size_bytes = 0;
    std::string against;  ///< half_page or full_page
    double published = 0.0;
    double measured = 0.0;

    static constexpr double kNear = 10.0;  ///< percentage points
    static constexpr double kEven = 5.0;   ///< a reduction below this is none

    [[nodiscard]] bool near() const;
    /// Both say that bsb is better, or both that it is worse, or both that there is hardly a difference.
    [[nodiscard]] bool same_direction() const;
};
/// Table 3 as far as it was run.
[[nodiscard]] std::vector<Comparison> table_three(std::span<const Measured> all);

/// What B6 asks for, as in docs/workloads.md. Fractions of the page requests with a distance other than 0.
struct Shape {
    bool zero_is_most_frequent = false;
    double negative = 0.0;
    double near_ahead = 0.0;  ///< +1 ... +63
    double far_ahead = 0.0;   ///< +64 and more
    double least_quarter_ahead = 0.0;
    double top_fifth = 0.0;  ///< share of the page requests that the most used fifth of the pages has

    [[nodiscard]] bool is(Locality locality) const;
};
[[nodiscard]] Shape shape_of(const LoadProperties& properties);

struct LoadShape {
    std::string load;
    Shape shape;
};

/// B1 to B6, those that what was run says anything about. `cut`: not the whole workloads were run.
[[nodiscard]] std::vector<Claim> claims_of(std::span<const Measured> all, std::span<const LoadShape> shapes,
                                           bool cut);

}  // namespace solidtlm::testbench::map_cache
