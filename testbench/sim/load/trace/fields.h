// SPDX-License-Identifier: Apache-2.0
//
// Splits a line of a trace into fields and numbers, without copies or locales.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

constexpr std::uint64_t kNsPerUs = 1000;
constexpr std::uint64_t kNsPerMs = 1000 * kNsPerUs;
constexpr std::uint64_t kNsPerSecond = 1000 * kNsPerMs;

constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 48;  ///< ATA's 48-bit addresses
constexpr std::uint64_t kSectorsPerPage = 8;                     ///< 4 KiB

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr char small_letter(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Removes the next field from `rest`; fields are separated by runs of blanks and tabs. Empty if there is
/// none.
inline std::string_view take_word(std::string_view& rest) {
    std::size_t begin = 0;
    while (begin < rest.size() && is_blank(rest[begin])) {
        ++begin;
    }
    std::size_t end = begin;
    while (end < rest.size() && !is_blank(rest[end])) {
        ++end;
    }
    const std::string_view word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return word;
}

/// As take_word(), but from the end.
inline std::string_view take_last_word(std::string_view& rest) {
    while (!rest.empty() && is_blank(rest.back())) {
        rest.remove_suffix(1);
    }
    std::size_t begin = rest.size();
    while (begin > 0 && !is_blank(rest[begin - 1])) {
        --begin;
    }
    const std::string_view word = rest.substr(begin);
    rest.remove_suffix(rest.size() - begin);
    return word;
}

/// Removes the next field from `rest`; every separator counts, so fields may be empty.
inline std::string_view take_field(std::string_view& rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view field = rest.substr(0, at);
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
    return field;
}

/// `text` without surrounding blanks and tabs.
inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Reads a whole number that fills all of `text`; false if it is not one or does not fit.
inline bool parse_number(std::string_view text, std::uint64_t& value, int base) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
    return error == std::errc{} && stopped == end && !text.empty();
}
/// As above for decimal digits only, the most frequent case in traces.
inline bool parse_number(std::string_view text, std::uint64_t& value) {
    constexpr std::size_t kAlwaysFit = 19;  // this many digits always fit in 64 bits
    if (text.empty() || text.size() > kAlwaysFit) {
        return parse_number(text, value, 10);
    }
    std::uint64_t number = 0;
    for (const char c : text) {
        if (!is_digit(c)) {
            return false;
        }
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    value = number;
    return true;
}

/// Reads a decimal number with an optional fraction, multiplied by `unit_ns`, in whole nanoseconds (rounded
/// down). False if it is malformed, negative or past 2^64 ns.
bool parse_time(std::string_view text, std::uint64_t unit_ns, std::uint64_t& time_ns);

/// Reads a date and a time of day, `2026-01-02 03:04:05.6`, in nanoseconds since 1970, rounded down. Also
/// with
/// '/' for '-', 'T' for the blank, and a time zone behind: Z, +01:00 or +0100. Without one it counts as UTC.
bool parse_date(std::string_view text, std::uint64_t& time_ns);

/// For messages: at most 60 characters of `text`, in quotes, with control characters replaced by '?'.
std::string quoted(std::string_view text);

}  // namespace solidtlm::testbench
