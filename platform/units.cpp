// SPDX-License-Identifier: Apache-2.0
#include "platform/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace solidtlm::platform {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
    std::string_view name;  ///< as printed
    std::uint64_t factor;
};

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kThousand = 1000;
constexpr std::uint64_t kMillion = kThousand * kThousand;
constexpr std::uint64_t kBillion = kThousand * kMillion;
constexpr std::uint64_t kTrillion = kThousand * kBillion;

/// format_size() uses the first kPrintedSizes units, in order of preference.
constexpr std::array kSizeUnits{Unit{"TiB", kKi* kKi* kKi* kKi},
                                Unit{"GiB", kKi* kKi* kKi},
                                Unit{"MiB", kKi* kKi},
                                Unit{"KiB", kKi},
                                Unit{"TB", kTrillion},
                                Unit{"GB", kBillion},
                                Unit{"MB", kMillion},
                                Unit{"KB", kThousand},
                                Unit{"T", kKi* kKi* kKi* kKi},
                                Unit{"G", kKi* kKi* kKi},
                                Unit{"M", kKi* kKi},
                                Unit{"K", kKi},
                                Unit{"sectors", 512},
                                Unit{"B", 1},
                                Unit{"", 1}};
constexpr std::size_t kPrintedSizes = 8;
constexpr std::array kDurationUnits{Unit{"s", kTrillion}, Unit{"ms", kBillion}, Unit{"us", kMillion},
                                    Unit{"ns", kThousand}, Unit{"ps", 1}};
constexpr std::array<Unit, 4> kAgeUnits{{{"y", 31'536'000}, {"d", 86'400}, {"h", 3'600}, {"s", 1}}};
constexpr std::array kCountUnits{Unit{"G", kBillion}, Unit{"M", kMillion}, Unit{"K", kThousand}, Unit{"", 1}};

constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_but_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

/// The digits after the point in base units; none if that is not a whole number.
std::optional<std::uint64_t> fraction_of(std::string_view digits, std::uint64_t factor) {
    digits = digits.substr(0, digits.find_last_not_of('0') + 1);
    constexpr std::size_t kMostDigits = 20;
    if (digits.size() > kMostDigits) {
        return std::nullopt;
    }
    Wide numerator = 0;
    Wide denominator = 1;
    for (const char digit : digits) {
        numerator = numerator * 10 + static_cast<unsigned>(digit - '0');
        denominator *= 10;
    }
    const Wide scaled = numerator * factor;  // < 10^20 * 2^40 < 2^107
    if (scaled % denominator != 0) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(scaled / denominator);  // < factor
}

/// Reads `digits [. digits] [blank] unit` exactly; none if it is not a whole number of the smallest unit.
std::optional<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units) {
    text = trimmed(text);
    const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, number_end);
    const std::string_view name = trimmed(text.substr(number_end));
    const auto unit =
        std::ranges::find_if(units, [name](const Unit& each) { return equal_but_case(each.name, name); });
    const std::size_t dot = std::min(number.find('.'), number.size());
    const std::string_view whole = number.substr(0, dot);
    const std::string_view fraction = number.substr(std::min(dot + 1, number.size()));
    if (unit == units.end() || (whole.empty() && fraction.empty()) ||
        fraction.find('.') != std::string_view::npos) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    if (!whole.empty() &&
        std::from_chars(whole.data(), whole.data() + whole.size(), value).ec != std::errc{}) {
        return std::nullopt;
    }
    const auto behind_point = fraction_of(fraction, unit->factor);
    if (!behind_point || __builtin_mul_overflow(value, unit->factor, &value) ||
        __builtin_add_overflow(value, *behind_point, &value)) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

std::vector<std::string_view> comma_separated(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return parts;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view without_quotes(std::string_view text) {
    text = trimmed(text);
    const std::string_view inner = text.size() >= 2 ? text.substr(1, text.size() - 2) : "";
    const bool quotes = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                        text.back() == text.front() && inner.find(text.front()) == std::string_view::npos;
    return quotes ? inner : text;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    return parse_with_unit(text, kSizeUnits);
}

std::string format_size(std::uint64_t bytes) {
    const std::string plain = std::to_string(bytes);
    std::string best = plain;
    for (const Unit& unit : std::span(kSizeUnits).first(kPrintedSizes)) {
        if (bytes >= unit.factor && bytes % unit.factor == 0) {
            const std::string text = std::to_string(bytes / unit.factor) + std::string(unit.name);
            const bool shorter = text.size() < best.size();
            best = shorter || (best == plain && text.size() == best.size()) ? text : best;
        }
    }
    return best;
}

std::optional<hal::Ps> parse_duration(std::string_view text) {
    const auto picoseconds = parse_with_unit(text, kDurationUnits);
    if (!picoseconds || *picoseconds > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        return std::nullopt;
    }
    return hal::Ps{static_cast<std::int64_t>(*picoseconds)};
}

std::string format_duration(hal::Ps duration) {
    const auto value = static_cast<std::uint64_t>(duration.count());
    if (value == 0) {
        return "0s";
    }
    const auto unit =
        std::ranges::find_if(kDurationUnits, [value](const Unit& u) { return value >= u.factor; });
    std::string fraction = std::to_string(unit->factor + value % unit->factor).substr(1);  // leading zeros
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return std::to_string(value / unit->factor) + (fraction.empty() ? "" : "." + fraction) +
           std::string(unit->name);
}

std::optional<std::uint64_t> parse_age(std::string_view text) {
    return parse_with_unit(text, kAgeUnits);
}

std::string format_age(std::uint64_t seconds) {
    const auto* unit = std::ranges::find_if(kAgeUnits, [seconds](const Unit& each) {
        return seconds >= each.factor && seconds % each.factor == 0;
    });
    return unit == kAgeUnits.end() ? "0s" : std::to_string(seconds / unit->factor) + std::string(unit->name);
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    const std::string_view power = text.substr(std::min(text.find_first_of("eE"), text.size()));
    if (power.empty()) {
        return parse_with_unit(text, kCountUnits);
    }
    constexpr unsigned kMostPower = 12;
    const std::string_view digits = power.substr(power.size() > 1 && power[1] == '+' ? 2 : 1);
    unsigned exponent = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc{} || end != digits.data() + digits.size() || exponent > kMostPower) {
        return std::nullopt;
    }
    std::uint64_t factor = 1;
    for (; exponent > 0; --exponent) {
        factor *= 10;
    }
    return parse_with_unit(text, std::array{Unit{power, factor}});
}

std::optional<double> parse_number(std::string_view text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end || text.empty() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value + 0.0;  // no negative zero
}

std::string format_number(double value) {
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::optional<double> parse_rate(std::string_view text) {
    const std::string_view letter = text.empty() ? text : text.substr(text.size() - 1);
    const auto* unit = std::ranges::find_if(
        kCountUnits, [letter](const Unit& each) { return equal_but_case(each.name, letter); });
    const bool scaled = !letter.empty() && unit != kCountUnits.end();
    const auto value = parse_number(text.substr(0, text.size() - (scaled ? 1 : 0)));
    return value && *value > 0 ? std::optional(*value * static_cast<double>(scaled ? unit->factor : 1))
                               : std::nullopt;
}

std::optional<double> parse_share(std::string_view text) {
    constexpr double kPercent = 100;
    const bool percent = text.ends_with('%');
    const auto number = parse_number(text.substr(0, text.size() - (percent ? 1 : 0)));
    const double value = number.value_or(-1) / (percent ? kPercent : 1);
    return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

}  // namespace solidtlm::platform
