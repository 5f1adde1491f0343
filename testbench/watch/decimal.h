// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers as decimal digits, eight at a time: a table of commands has some fifteen times in picoseconds
// per line. std::to_chars writes only two digits at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace solidtlm::testbench {

static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte of a word");

/// Most bytes that put_decimal() writes, counted from `at`; those after the number are scratch.
constexpr std::size_t kDecimalBytes = 24;

namespace decimal {

constexpr std::uint64_t kEightDigits = 100'000'000;

/// The digits of a number below 10^8, one per byte, the first digit in the lowest byte. Halves, quarters and
/// eighths of the word are divided at once by multiplication, which is exact for numbers of four and of two
/// digits.
[[nodiscard]] constexpr std::uint64_t digits_of(std::uint64_t value) {
    const std::uint64_t fours = value / 10'000 | (value % 10'000) << 32U;
    const std::uint64_t hundreds = (fours * 10'486 >> 20U) & 0x7F0000007FU;
    const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16U;
    const std::uint64_t tens = (twos * 103 >> 10U) & 0xF000F000F000FU;
    return tens | (twos - 10 * tens) << 8U;
}

inline char* put_word(char* at, std::uint64_t digits, unsigned left_out) {
    constexpr std::uint64_t kZeros = 0x3030303030303030U;
    const std::uint64_t text = (digits | kZeros) >> (8 * left_out);
    std::memcpy(at, &text, sizeof text);
    return at + (sizeof text - left_out);
}

inline char* put_several(char* at, std::uint64_t value) {
    if (value >= kEightDigits) {
        at = put_several(at, value / kEightDigits);
        return put_word(at, digits_of(value % kEightDigits), 0);
    }
    const std::uint64_t digits = digits_of(value);
    return put_word(at, digits, static_cast<unsigned>(std::countr_zero(digits)) / 8);
}

}  // namespace decimal

/// Returns the end of the digits. REQUIRES: room for kDecimalBytes.
inline char* put_decimal(char* at, std::uint64_t value) {
    if (value < 10) {
        *at = static_cast<char>('0' + value);
        return at + 1;
    }
    return decimal::put_several(at, value);
}

}  // namespace solidtlm::testbench
