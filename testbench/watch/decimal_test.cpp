// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/decimal.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <string>

namespace solidtlm::testbench {
namespace {

std::string decimal_of(std::uint64_t value) {
    std::array<char, kDecimalBytes> bytes{};
    return {bytes.data(), put_decimal(bytes.data(), value)};
}

TEST(Decimal, HasEveryDigitOfEveryNumberOfEightDigitsAndFewer) {
    for (std::uint64_t first = 0; first < decimal::kEightDigits; first += 10'000) {
        // Each half of eight digits is divided on its own, so all four-digit numbers are tried in either
        // half.
        for (const std::uint64_t value : {first, first + 9'999, first / 10'000, first + first / 10'000}) {
            ASSERT_EQ(decimal_of(value), std::to_string(value));
        }
    }
}

TEST(Decimal, HandlesMoreThanEightDigits) {
    std::mt19937_64 random{1};
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t value = random() >> (random() % 64);
        ASSERT_EQ(decimal_of(value), std::to_string(value));
    }
    std::uint64_t power = 1;
    for (int zeros = 0; zeros < 20; ++zeros, power *= 10) {
        ASSERT_EQ(decimal_of(power), std::to_string(power));
        ASSERT_EQ(decimal_of(power - 1), std::to_string(power - 1));
    }
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(decimal_of(kMost), std::to_string(kMost));
}

}  // namespace
}  // namespace solidtlm::testbench
