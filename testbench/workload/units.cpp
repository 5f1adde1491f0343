// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace solidtlm::testbench {
namespace {

struct Unit {
    std::string_view name;  ///< lower case
    std::uint64_t factor;
};

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kThousand = 1000;

constexpr std::array kSizeUnits{
    Unit{"", 1},
    Unit{"b", 1},
    Unit{"k", kKi},
    Unit{"kib", kKi},
    Unit{"kb", kThousand},
    Unit{"m", kKi* kKi},
    Unit{"mib", kKi* kKi},
    Unit{"mb", kThousand* kThousand},
    Unit{"g", kKi* kKi* kKi},
    Unit{"gib", kKi* kKi* kKi},
    Unit{"gb", kThousand* kThousand* kThousand},
    Unit{"t", kKi* kKi* kKi* kKi},
    Unit{"tib", kKi* kKi* kKi* kKi},
    Unit{"tb", kThousand* kThousand* kThousand* kThousand},
};

constexpr std::array kTimeUnits{
    Unit{"ps", 1},
    Unit{"ns", kThousand},
    Unit{"us", kThousand* kThousand},
    Unit{"ms", kThousand* kThousand* kThousand},
    Unit{"s", kThousand* kThousand* kThousand* kThousand},
};

constexpr std::array kCountUnits{
    Unit{"", 1},
    Unit{"k", kThousand},
    Unit{"m", kThousand* kThousand},
    Unit{"g", kThousand* kThousand* kThousand},
};

bool equal_but_case(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) {
            return false;
        }
    }
    return true;
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// digits[.digits]unit, exactly: nothing when the product is not whole or does not fit.
std::optional<std::uint64_t> parse_exact(std::string_view text, std::span<const Unit> units) {
    std::uint64_t digits = 0;
    std::uint64_t divisor = 1;
    std::size_t count = 0;
    bool fraction = false;
    std::size_t i = 0;
    for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !fraction)); ++i) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        if (__builtin_mul_overflow(digits, std::uint64_t{10}, &digits) ||
            __builtin_add_overflow(digits, static_cast<std::uint64_t>(text[i] - '0'), &digits) ||
            (fraction && __builtin_mul_overflow(divisor, std::uint64_t{10}, &divisor))) {
            return std::nullopt;
        }
        ++count;
    }
    if (count == 0) {
        return std::nullopt;
    }
    for (const Unit& unit : units) {
        if (equal_but_case(text.substr(i), unit.name)) {
            std::uint64_t product = 0;
            if (__builtin_mul_overflow(digits, unit.factor, &product) || product % divisor != 0) {
                return std::nullopt;
            }
            return product / divisor;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
    return parse_exact(text, kSizeUnits);
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    return parse_exact(text, kCountUnits);
}

std::optional<hal::Ps> parse_duration(std::string_view text) {
    const auto value = parse_exact(text, kTimeUnits);
    if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return std::nullopt;
    }
    return hal::Ps{static_cast<std::int64_t>(*value)};
}

std::optional<double> parse_real(std::string_view text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end || text.empty() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

std::optional<double> parse_rate(std::string_view text) {
    double factor = 1;
    for (const Unit& unit : kCountUnits) {
        if (!unit.name.empty() && !text.empty() && equal_but_case(text.substr(text.size() - 1), unit.name)) {
            factor = static_cast<double>(unit.factor);
            text.remove_suffix(1);
            break;
        }
    }
    const auto value = parse_real(text);
    if (!value || *value <= 0) {
        return std::nullopt;
    }
    return *value * factor;
}

std::optional<double> parse_share(std::string_view text) {
    constexpr double kPercent = 100;
    const bool percent = !text.empty() && text.back() == '%';
    if (percent) {
        text.remove_suffix(1);
    }
    auto value = parse_real(text);
    if (value && percent) {
        *value /= kPercent;
    }
    return value && *value >= 0 && *value <= 1 ? value : std::nullopt;
}

}  // namespace solidtlm::testbench
