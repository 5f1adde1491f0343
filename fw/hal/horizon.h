// SPDX-License-Identifier: Apache-2.0
//
// How far simulated time reaches, and sums of times that come from a user. A user's duration is as long as
// the user likes: such a sum or quotient is never computed with the operators of Ps, which wrap after 106
// days.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::hal {

/// The last instant of a run, and the longest duration that a user may give. Between it and Ps::max() lie 62
/// hours, more than all durations together that the keys of a drive allow.
constexpr Ps kHorizon{9'000'000'000'000'000'000};
constexpr double kHorizonSeconds = 9e6;
static_assert(kHorizon.count() / 1'000'000'000'000 == 9'000'000);
/// For messages.
constexpr std::string_view kHorizonText = "9000000s (104 days)";
/// Stands for all instants after the horizon. No run gets there.
constexpr Ps kBeyondHorizon = kHorizon + Ps{1};

/// `at` + `duration`, or kBeyondHorizon. REQUIRES: neither is negative.
constexpr Ps instant_after(Ps at, Ps duration) {
    return at > kHorizon - std::min(duration, kBeyondHorizon) ? kBeyondHorizon : at + duration;
}

/// The nearest instant, or kBeyondHorizon. REQUIRES: 0 or more, perhaps infinite.
inline Ps nearest_instant(double ps) {
    return ps <= static_cast<double>(kHorizon.count()) ? Ps{std::llround(ps)} : kBeyondHorizon;
}

}  // namespace solidtlm::hal
