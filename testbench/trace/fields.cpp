// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/fields.h"

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

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    std::string result = "'";
    for (const char c : text.substr(0, kLongest)) {
        result += c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
    }
    return result + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace solidtlm::testbench
