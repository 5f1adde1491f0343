// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/horizon.h"

#include <gtest/gtest.h>

#include <limits>

namespace solidtlm::hal {
namespace {

using namespace std::chrono_literals;

TEST(Horizon, SumsStopBehindIt) {
    EXPECT_EQ(kHorizon, Ps{9'000'000s});
    EXPECT_EQ(instant_after(3us, 4ns), Ps{3'004ns});
    EXPECT_EQ(instant_after(Ps{0}, Ps{0}), Ps{0});
    EXPECT_EQ(instant_after(Ps{1s}, kHorizon - Ps{1s}), kHorizon);
    EXPECT_EQ(instant_after(kHorizon, Ps{0}), kHorizon);
    for (const auto& [at, duration] :
         {std::pair{Ps{1}, kHorizon}, std::pair{kHorizon, Ps{1}}, std::pair{kHorizon, kHorizon},
          std::pair{kBeyondHorizon, Ps{0}}, std::pair{Ps{0}, Ps::max()}, std::pair{Ps::max(), Ps::max()}}) {
        EXPECT_EQ(instant_after(at, duration), kBeyondHorizon) << at.count() << " " << duration.count();
    }
}

TEST(Horizon, QuotientsStopBehindIt) {
    EXPECT_EQ(nearest_instant(0.0), Ps{0});
    EXPECT_EQ(nearest_instant(2.5), Ps{3});
    EXPECT_EQ(nearest_instant(9e18), kHorizon);
    for (const double ps : {9.1e18, 1e19, 1e300, std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(nearest_instant(ps), kBeyondHorizon) << ps;
    }
}

}  // namespace
}  // namespace solidtlm::hal
