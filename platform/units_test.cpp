// SPDX-License-Identifier: Apache-2.0
#include "platform/units.h"

#include <gtest/gtest.h>

#include <random>

namespace solidtlm::platform {
namespace {

using hal::Ps;
using namespace std::chrono_literals;

TEST(Duration, IsReadExactlyInEveryUnit) {
    EXPECT_EQ(parse_duration("50us"), Ps{50us});
    EXPECT_EQ(parse_duration("3.5ms"), Ps{3500us});
    EXPECT_EQ(parse_duration("13.75 ns"), Ps{13'750});
    EXPECT_EQ(parse_duration("17.5ns"), Ps{17'500});
    EXPECT_EQ(parse_duration("0.001ns"), Ps{1});
    EXPECT_EQ(parse_duration(" 7ps "), Ps{7});
    EXPECT_EQ(parse_duration("1.500000000000s"), Ps{1500ms});
    EXPECT_EQ(parse_duration("9223372s"), Ps{9'223'372s});
    EXPECT_EQ(parse_duration("5US"), Ps{5us});
    EXPECT_EQ(parse_duration(".5us"), Ps{500ns});
    EXPECT_EQ(parse_duration("1.us"), Ps{1us});
}

TEST(Duration, RefusesWhatIsNotAWholeNumberOfPicosecondsOrTooLarge) {
    for (const char* text : {"",      "us",       "50",       "0",
                             "-1us",  "+1us",     "1e3us",    ".us",
                             "1min",  "1.2.3us",  "50 u s",   "50usx",
                             "0.5ps", "1.0001ns", "9223373s", "99999999999999999999ps",
                             "nan",   "inf s",    "5 0us",    "0.000000000000000000001s",
                             "1,5us"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
}

TEST(Duration, IsPrintedShortAndExact) {
    EXPECT_EQ(format_duration(Ps{0}), "0s");
    EXPECT_EQ(format_duration(Ps{13'750}), "13.75ns");
    EXPECT_EQ(format_duration(Ps{3500us}), "3.5ms");
    EXPECT_EQ(format_duration(Ps{1'000'001}), "1.000001us");
    EXPECT_EQ(format_duration(Ps{999}), "999ps");
    EXPECT_EQ(format_duration(Ps{2s}), "2s");
}

TEST(Size, IsReadInPowersOfTenAndOfTwo) {
    EXPECT_EQ(parse_size("0"), 0U);
    EXPECT_EQ(parse_size("4096"), 4096U);
    EXPECT_EQ(parse_size("12B"), 12U);
    EXPECT_EQ(parse_size("16MiB"), 16ULL * 1024 * 1024);
    EXPECT_EQ(parse_size("64 GiB"), 64ULL * 1024 * 1024 * 1024);
    EXPECT_EQ(parse_size(" 64\tGiB "), 64ULL * 1024 * 1024 * 1024);
    EXPECT_EQ(parse_size("2TiB"), std::uint64_t{1} << 41);
    EXPECT_EQ(parse_size("1.5KiB"), 1536U);
    EXPECT_EQ(parse_size("400GB"), 400'000'000'000ULL);
    EXPECT_EQ(parse_size("0.5KB"), 500U);
    EXPECT_EQ(parse_size("2TB"), 2'000'000'000'000ULL);
    EXPECT_EQ(parse_size("976773168 sectors"), 500'107'862'016ULL) << "LBA count of 500 GB (IDEMA LBA1-03)";
    EXPECT_EQ(parse_size("8388608TiB"), std::uint64_t{1} << 63);
    EXPECT_EQ(parse_size("18446744073709551615"), ~std::uint64_t{0});
    EXPECT_EQ(parse_size("18446744073709551616"), std::nullopt);
    EXPECT_EQ(parse_size("16777215.9999999TiB"), std::nullopt) << "not whole";
}

TEST(Size, ABareLetterIsAPowerOf1024) {
    EXPECT_EQ(parse_size("4k"), 4096U);
    EXPECT_EQ(parse_size("16M"), 16ULL * 1024 * 1024);
    EXPECT_EQ(parse_size("1.5g"), 3ULL << 29U);
    EXPECT_EQ(parse_size("2 t"), std::uint64_t{1} << 41);
    EXPECT_EQ(parse_size(".5k"), 512U);
}

TEST(Size, LettersAreNotCaseSensitive) {
    EXPECT_EQ(parse_size("4kib"), 4096U);
    EXPECT_EQ(parse_size("16mib"), 16ULL * 1024 * 1024);
    EXPECT_EQ(parse_size("4kB"), 4000U);
    EXPECT_EQ(parse_size("4Kb"), 4000U);
    EXPECT_EQ(parse_size("7b"), 7U);
}

TEST(Size, RefusesWhatIsNotAWholeNumberOfBytesOrNotASize) {
    for (const char* text : {"",
                             "MiB",
                             "k",
                             ".",
                             ".k",
                             "-1",
                             "+1",
                             "1.5",
                             "0.1k",
                             "0.3KiB",
                             "1..5k",
                             "1.2.3k",
                             "4kk",
                             "4x",
                             "4 k b",
                             "1e6",
                             "0x10",
                             "16777216TiB",
                             "99999999999t",
                             "99999999999999999999",
                             "0.000000000000000000001k",
                             "4k,"}) {
        EXPECT_FALSE(parse_size(text)) << text;
    }
}

TEST(Count, ABareLetterIsAPowerOf1000) {
    EXPECT_EQ(parse_count("100000"), 100'000U);
    EXPECT_EQ(parse_count("100k"), 100'000U);
    EXPECT_EQ(parse_count("1.5M"), 1'500'000U);
    EXPECT_EQ(parse_count("2G"), 2'000'000'000U);
    for (const char* text : {"", "k", "1.5", "1KiB", "1t", "-1"}) {
        EXPECT_FALSE(parse_count(text)) << text;
    }
}

TEST(Count, MayBeWrittenWithAPowerOfTen) {
    EXPECT_EQ(parse_count("1e6"), 1'000'000U);
    EXPECT_EQ(parse_count("1E6"), 1'000'000U);
    EXPECT_EQ(parse_count("2.5e+06"), 2'500'000U) << "as printf writes it";
    EXPECT_EQ(parse_count("0.5e1"), 5U);
    EXPECT_EQ(parse_count("1e0"), 1U);
    EXPECT_EQ(parse_count("18446744e12"), 18'446'744'000'000'000'000U);
    for (const char* text : {"e6", "1e", "1e+", "1e-3", "1.5e0", "1e6k", "1ke6", "1e6e6", "1e13",
                             "18446745e12", "1e99999999999"}) {
        EXPECT_FALSE(parse_count(text)) << text;
    }
}

TEST(Number, RatesTakeALetterAndSharesAPercentSign) {
    EXPECT_EQ(parse_rate("50k"), 50000.0);
    EXPECT_EQ(parse_rate("1.5M"), 1.5e6);
    EXPECT_EQ(parse_rate("0"), std::nullopt);
    EXPECT_EQ(parse_rate("2g"), 2e9);
    EXPECT_EQ(parse_rate("k"), std::nullopt);
    EXPECT_EQ(parse_rate(""), std::nullopt);
    EXPECT_EQ(parse_share("30%"), 0.3);
    EXPECT_EQ(parse_share("1"), 1.0);
    EXPECT_EQ(parse_share("1.01"), std::nullopt);
    EXPECT_EQ(parse_share("-0.1"), std::nullopt);
    EXPECT_EQ(parse_share("nan"), std::nullopt);
    EXPECT_EQ(parse_number("inf"), std::nullopt);
    EXPECT_EQ(format_number(1), "1");
    EXPECT_EQ(parse_number(format_number(0.1)), 0.1);
}

TEST(Size, IsPrintedShortAndExact) {
    EXPECT_EQ(format_size(16U << 20), "16MiB");
    EXPECT_EQ(format_size(40'000'000'000), "40GB");
    EXPECT_EQ(format_size(1872), "1872");
    EXPECT_EQ(format_size(131'072), "128KiB");
    EXPECT_EQ(format_size(0), "0");
}

TEST(Size, AndDurationSurvivePrintingForRandomValues) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t value = random() >> (1 + random() % 63);
        EXPECT_EQ(parse_size(format_size(value)), value);
        EXPECT_EQ(parse_duration(format_duration(Ps{static_cast<std::int64_t>(value)})),
                  Ps{static_cast<std::int64_t>(value)});
    }
}

}  // namespace
}  // namespace solidtlm::platform
