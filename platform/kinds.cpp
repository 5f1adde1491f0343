// SPDX-License-Identifier: Apache-2.0
#include "platform/kinds.h"

#include <algorithm>
#include <charconv>
#include <iomanip>
#include <sstream>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "platform/units.h"

namespace solidtlm::platform::kinds {
namespace {

constexpr std::string_view kSizeExample = ", bytes or a string such as \"16MiB\"";
constexpr std::string_view kDurationExample = ", a string with unit such as \"50us\"";

template <class Value>
std::function<std::optional<Value>(std::string_view)> within(std::optional<Value> (*parse)(std::string_view),
                                                             Value low, Value high) {
    SOLIDTLM_CHECK(low <= high, "the range allows some value");
    return [parse, low, high](std::string_view text) {
        const std::optional<Value> value = parse(text);
        return value && *value >= low && *value <= high ? value : std::nullopt;
    };
}

/// "WHAT from LOW to HIGH", or "WHAT of at least LOW" if `limits` have no upper bound.
Allowed ranged(ValueType type, std::string_view what, Limits limits, std::string_view unit,
               std::string_view example) {
    const std::string bounds =
        limits.high.empty() ? " of at least " + limits.low : " from " + limits.low + " to " + limits.high;
    return {type,
            std::string(what) + bounds + (unit.empty() ? "" : " ") + std::string(unit),
            std::string(example),
            {},
            {},
            std::move(limits)};
}

std::string rounded(double value) {
    std::ostringstream out;
    out << std::setprecision(12) << value;
    return out.str();
}

Limits limits_of(double low, double high) {
    return {rounded(low), high == kInfinite ? "" : rounded(high)};
}

/// The elements of `["a", "b"]`, or of `a,b`.
std::vector<std::string_view> elements_of(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    std::vector<std::string_view> list = comma_separated(text);
    std::ranges::transform(list, list.begin(), without_quotes);
    return list;
}

}  // namespace

Kind<bool> boolean() {
    const auto read = [](std::string_view text) -> std::optional<bool> {
        return text == "true" || text == "false" ? std::optional(text == "true") : std::nullopt;
    };
    return {{ValueType::boolean, "true or false", ""}, read, [](bool value) {
                return std::string(value ? "true" : "false");
            }};
}

Kind<std::uint64_t> integer(std::uint64_t low, std::uint64_t high, std::string_view unit) {
    const bool limited = high != kUnlimited;
    return {ranged(ValueType::integer, "integer",
                   {std::to_string(low), limited ? std::to_string(high) : std::string()}, unit,
                   limited ? "" : ", such as 100000 or 100k"),
            within(parse_count, low, high), [](std::uint64_t value) { return std::to_string(value); }};
}

Kind<double> number(double low, double high, std::string_view unit) {
    return {ranged(ValueType::number, "number", limits_of(low, high), unit, ""),
            within(parse_number, low, high), format_number};
}

Kind<double> number_above(double low, double high) {
    Kind<double> kind = where(
        number(low, high), [low](double value) { return value > low; }, "");
    kind.range = "number above " + rounded(low) + (high != kInfinite ? ", at most " + rounded(high) : "");
    return kind;
}

Kind<double> share(double low, double high) {
    return {ranged(ValueType::number, "share", limits_of(low, high), "", ", such as 0.3 or 30%"),
            within(parse_share, low, high), format_number};
}

Kind<double> rate() {
    return {{ValueType::number, "number above 0", ", such as 50000 or 50k", {}, {}, limits_of(0, kInfinite)},
            parse_rate,
            format_number};
}

Kind<std::uint64_t> size(std::uint64_t low, std::uint64_t high) {
    return {
        ranged(ValueType::size, "size",
               {format_size(low), high == kUnlimited ? std::string() : format_size(high)}, "", kSizeExample),
        within(parse_size, low, high), format_size};
}

Kind<std::uint64_t> size_in(std::uint64_t unit_bytes, std::uint64_t low_bytes, std::uint64_t high_bytes,
                            std::optional<std::uint64_t> step_bytes) {
    const std::uint64_t step = step_bytes.value_or(unit_bytes);
    Kind<std::uint64_t> kind = where(
        size(low_bytes, high_bytes), [step](std::uint64_t bytes) { return bytes % step == 0; },
        "a multiple of " + format_size(step));
    kind.read = [read = std::move(kind.read), unit_bytes](std::string_view text) {
        const auto bytes = read(text);
        return bytes ? std::optional(*bytes / unit_bytes) : std::nullopt;
    };
    kind.write = [unit_bytes](std::uint64_t units) { return format_size(units * unit_bytes); };
    return kind;
}

Kind<hal::Ps> duration(hal::Ps low, hal::Ps high) {
    high = std::min(high, hal::kHorizon);
    return {ranged(ValueType::duration, "duration", {format_duration(low), format_duration(high)}, "",
                   kDurationExample),
            within(parse_duration, low, high), format_duration};
}

Kind<std::uint64_t> age(std::uint64_t low_seconds, std::uint64_t high_seconds) {
    return {ranged(ValueType::duration, "age", {format_age(low_seconds), format_age(high_seconds)}, "",
                   ", a string with unit such as \"90d\" (s, h, d, y)"),
            within(parse_age, low_seconds, high_seconds), format_age};
}

Kind<std::vector<hal::Ps>> durations(hal::Ps low, hal::Ps high, std::size_t most) {
    const Kind<hal::Ps> one = duration(low, high);
    const auto read = [most, one](std::string_view text) -> std::optional<std::vector<hal::Ps>> {
        std::vector<hal::Ps> list;
        for (const std::string_view element : elements_of(text)) {
            const auto value = one.read(element);
            if (!value || list.size() == most) {
                return std::nullopt;
            }
            list.push_back(*value);
        }
        return list;
    };
    const auto write = [](const std::vector<hal::Ps>& list) {
        std::string text;
        for (const hal::Ps value : list) {
            text += (text.empty() ? "\"" : ", \"") + format_duration(value) + "\"";
        }
        return "[" + text + "]";
    };
    return {ranged(ValueType::durations, "1 to " + std::to_string(most) + " durations",
                   {format_duration(low), format_duration(high)}, "", ", such as [\"50us\", \"75us\"]"),
            read, write};
}

Kind<std::string> printable(std::size_t low, std::size_t high) {
    SOLIDTLM_CHECK(low <= high, "the range allows some value");
    const auto read = [low, high](std::string_view text) {
        const auto printable = [](char c) { return c >= 0x20 && c < 0x7F; };
        const bool good = text.size() >= low && text.size() <= high && std::ranges::all_of(text, printable);
        return good ? std::optional(std::string(text)) : std::nullopt;
    };
    const std::string length = std::to_string(low) + (low == high ? "" : " to " + std::to_string(high));
    return {{ValueType::text, "text of " + length + " printable ASCII characters", ""},
            read,
            [](const std::string& text) { return text; }};
}

Kind<std::string> one_of(Names names, Names docs) {
    const auto read = [names](std::string_view text) {
        const bool known = std::ranges::find(names, text) != names.end();
        return known ? std::optional(std::string(text)) : std::nullopt;
    };
    const std::string range = "one of " + join_names(names);
    return {{ValueType::text, range, "", std::move(names), std::move(docs)},
            read,
            [](const std::string& text) { return text; }};
}

Kind<std::uint64_t> enumerator(const Names& names, std::uint64_t first) {
    const auto read = [names, first](std::string_view text) {
        const auto found = std::ranges::find(names, text);
        return found != names.end() ? std::optional(first + static_cast<std::uint64_t>(found - names.begin()))
                                    : std::nullopt;
    };
    return {one_of(names), read, [names, first](std::uint64_t value) { return names.at(value - first); }};
}

}  // namespace solidtlm::platform::kinds
