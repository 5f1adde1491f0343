// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/fields.h"

#include <algorithm>
#include <chrono>

namespace solidtlm::testbench {

bool parse_time(std::string_view text, std::uint64_t unit_ns, std::uint64_t& time_ns) {
    std::size_t point = 0;
    while (point < text.size() && text[point] != '.') {
        ++point;
    }
    std::uint64_t whole = 0;
    if (!parse_number(text.substr(0, point), whole) || __builtin_mul_overflow(whole, unit_ns, &time_ns)) {
        return false;
    }
    if (point == text.size()) {
        return true;
    }
    // Nine digits resolve 1 ns of the largest unit, one second.
    constexpr std::size_t kDigits = 9;
    std::uint64_t fraction = 0;
    std::uint64_t scale = 1;
    for (std::size_t i = point + 1; i < text.size(); ++i) {
        if (!is_digit(text[i])) {
            return false;
        }
        if (i - point <= kDigits) {
            fraction = fraction * 10 + static_cast<std::uint64_t>(text[i] - '0');
            scale *= 10;
        }
    }
    return text.size() > point + 1 && !__builtin_add_overflow(time_ns, fraction * unit_ns / scale, &time_ns);
}

namespace {

/// Removes a number of exactly `digits` digits.
bool take_digits(std::string_view& text, std::size_t digits, std::uint64_t& value) {
    const bool is_number = text.size() >= digits && parse_number(text.substr(0, digits), value);
    text.remove_prefix(is_number ? digits : 0);
    return is_number;
}

bool take_character(std::string_view& text, std::string_view allowed) {
    const bool is_it = !text.empty() && allowed.find(text.front()) != std::string_view::npos;
    text.remove_prefix(is_it ? 1 : 0);
    return is_it;
}

/// A time zone, in minutes that the clock is ahead of UTC.
bool take_zone(std::string_view text, std::int64_t& minutes) {
    minutes = 0;
    if (text.empty() || text == "Z") {
        return true;
    }
    const bool behind = text.front() == '-';
    std::uint64_t hour = 0;
    std::uint64_t minute = 0;
    if (!take_character(text, "+-") || !take_digits(text, 2, hour)) {
        return false;
    }
    take_character(text, ":");
    if (!take_digits(text, 2, minute) || !text.empty() || hour > 23 || minute > 59) {
        return false;
    }
    minutes = static_cast<std::int64_t>(hour * 60 + minute) * (behind ? -1 : 1);
    return true;
}

}  // namespace

bool parse_date(std::string_view text, std::uint64_t& time_ns) {
    std::uint64_t year = 0;
    std::uint64_t month = 0;
    std::uint64_t day = 0;
    std::uint64_t hour = 0;
    std::uint64_t minute = 0;
    if (!take_digits(text, 4, year) || !take_character(text, "-/") || !take_digits(text, 2, month) ||
        !take_character(text, "-/") || !take_digits(text, 2, day) || !take_character(text, " \tT")) {
        return false;
    }
    text = trimmed(text);
    if (!take_digits(text, 2, hour) || !take_character(text, ":") || !take_digits(text, 2, minute) ||
        !take_character(text, ":")) {
        return false;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    std::uint64_t second_ns = 0;
    std::int64_t ahead = 0;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    constexpr std::uint64_t kLongestMinute = 61 * kNsPerSecond;  // a leap second
    if (!date.ok() || hour > 23 || minute > 59 || !parse_time(text.substr(0, end), kNsPerSecond, second_ns) ||
        second_ns >= kLongestMinute || !take_zone(text.substr(end), ahead)) {
        return false;
    }
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t minutes =
        (days * 24 + static_cast<std::int64_t>(hour)) * 60 + static_cast<std::int64_t>(minute) - ahead;
    return minutes >= 0 &&
           !__builtin_mul_overflow(static_cast<std::uint64_t>(minutes), 60 * kNsPerSecond, &time_ns) &&
           !__builtin_add_overflow(time_ns, second_ns, &time_ns);
}

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    std::string result = "'";
    for (const char c : text.substr(0, kLongest)) {
        result += c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
    }
    return result + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace solidtlm::testbench
