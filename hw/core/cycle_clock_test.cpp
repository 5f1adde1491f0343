// SPDX-License-Identifier: Apache-2.0
#include "hw/core/cycle_clock.h"

#include <gtest/gtest.h>

#include <random>

namespace solidtlm::hw {
namespace {

using hal::Ps;

TEST(CycleClock, WholePeriods) {
    CycleClock clock(500.0);
    EXPECT_EQ(clock.advance(1), Ps{2000});
    EXPECT_EQ(clock.advance(0), Ps{0});
    EXPECT_EQ(clock.advance(1'000'000'000'000), Ps{2'000'000'000'000'000});
}

TEST(CycleClock, CarriesTheRemainder) {
    CycleClock clock(175.0);  // 5714 2/7 ps
    EXPECT_EQ(clock.advance(1), Ps{5714});
    EXPECT_EQ(clock.advance(1), Ps{5714});
    EXPECT_EQ(clock.advance(1), Ps{5714});
    EXPECT_EQ(clock.advance(1), Ps{5715}) << "4 * 2/7 > 1";
    EXPECT_EQ(clock.advance(3), Ps{40'000 - 3 * 5714 - 5715}) << "seven cycles are 40 ns";
}

TEST(CycleClock, PiecesTakeAsLongAsTheWhole) {
    std::mt19937_64 random(5);
    for (const double mhz : {175.0, 333.333, 400.0, 666.667, 1200.001, 0.001}) {
        CycleClock pieces(mhz);
        CycleClock whole(mhz);
        std::uint64_t cycles = 0;
        Ps sum{0};
        for (int i = 0; i < 10'000; ++i) {
            const std::uint64_t piece = random() % 1000;
            cycles += piece;
            sum += pieces.advance(piece);
        }
        EXPECT_EQ(sum, whole.advance(cycles)) << mhz;
        const auto khz = static_cast<long double>(std::llround(mhz * 1000));
        EXPECT_EQ(sum.count(),
                  static_cast<std::int64_t>(std::floor(static_cast<long double>(cycles) * 1e9L / khz)))
            << mhz;
    }
}

}  // namespace
}  // namespace solidtlm::hw
