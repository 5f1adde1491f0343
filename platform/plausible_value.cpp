// SPDX-License-Identifier: Apache-2.0
#include "platform/plausible_value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <sstream>

#include "fw/hal/check.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

using Random = std::mt19937_64;

struct Range {
    std::string low;
    std::string high;  ///< empty: no limit
};

/// "... from LOW to HIGH", "... of at least LOW", "... above LOW, at most HIGH".
std::optional<Range> range_of(const Allowed& allowed) {
    const std::vector<std::string> said = words(allowed.range);
    const auto after = [&said](std::string_view word) {
        const auto found = std::ranges::find(said, word);
        return found == said.end() || found + 1 == said.end() ? std::string() : found[1];
    };
    for (const auto& [low, high] : {Range{"from", "to"}, Range{"least", "most"}, Range{"above", "most"}}) {
        if (const std::string from = after(low); !from.empty()) {
            // "1 to 4 durations from 1ps to 100ms": the range comes last
            const auto begin = std::ranges::find(said, low);
            const auto to = std::find(begin, said.end(), high);
            return Range{from, to == said.end() || to + 1 == said.end() ? "" : to[1]};
        }
    }
    return std::nullopt;
}

std::uint64_t draw_between(std::uint64_t low, std::uint64_t high, Random& random) {
    SOLIDTLM_CHECK(low <= high, "bounds that allow something");
    const std::uint64_t span = high - low;
    switch (random() % 8) {
        case 0:
            return low;
        case 1:
            return high;
        case 2:
            return low + std::min<std::uint64_t>(1, span);
        default:
            break;
    }
    std::uint64_t value = random() >> (random() % 64);
    value = random() % 2 == 0 ? std::bit_floor(value) : value;
    return span == kinds::kUnlimited ? value : low + value % (span + 1);
}

/// `parse` turns text into an optional number.
template <class Parse>
std::uint64_t draw_number(const Range& range, Random& random, const Parse& parse) {
    const auto low = static_cast<std::uint64_t>(*parse(range.low));
    const std::uint64_t most = low + (std::uint64_t{1} << 40U);  // where there is no limit
    return draw_between(low, range.high.empty() ? most : static_cast<std::uint64_t>(*parse(range.high)),
                        random);
}

std::string draw_real(const Range& range, Random& random) {
    const double low = *parse_number(range.low);
    const double high = range.high.empty() ? low + 100 : *parse_number(range.high);
    switch (random() % 8) {
        case 0:
            return format_number(low);
        case 1:
            return format_number(high);
        default:
            constexpr double kSteps = 1000;
            const double share = static_cast<double>(random() % 1000) / kSteps;
            return format_number(low + (high - low) * (random() % 2 == 0 ? share : share * share * share));
    }
}

std::string draw_duration(const Range& range, Random& random) {
    const auto ps = draw_number(range, random, [](const std::string& text) {
        const auto duration = parse_duration(text);
        return duration ? std::optional(duration->count()) : std::nullopt;
    });
    return "\"" + format_duration(hal::Ps{static_cast<std::int64_t>(ps)}) + "\"";
}

std::string draw_size(const Range& range, Random& random) {
    const std::uint64_t bytes = draw_number(range, random, parse_size);
    const bool kibi = bytes % 1024 == 0 && random() % 2 == 0;
    return kibi ? "\"" + std::to_string(bytes / 1024) + "k\"" : std::to_string(bytes);
}

}  // namespace

std::vector<std::string> words(std::string range) {
    std::ranges::replace(range, ',', ' ');
    std::istringstream in(range);
    return {std::istream_iterator<std::string>(in), {}};
}

bool can_draw(const Allowed& allowed) {
    return allowed.type == ValueType::boolean ||
           (allowed.type == ValueType::text ? !allowed.names.empty() : range_of(allowed).has_value());
}

std::string plausible_value(const Allowed& allowed, std::mt19937_64& random, const DrawBounds& bounds) {
    SOLIDTLM_CHECK(can_draw(allowed), "names or a range");
    if (allowed.type == ValueType::boolean) {
        return random() % 2 == 0 ? "true" : "false";
    }
    if (allowed.type == ValueType::text) {
        return "\"" + allowed.names[random() % allowed.names.size()] + "\"";
    }
    Range range = *range_of(allowed);
    range.low = bounds.low.empty() ? range.low : bounds.low;
    range.high = bounds.high.empty() ? range.high : bounds.high;
    switch (allowed.type) {
        case ValueType::integer:
            return std::to_string(draw_number(range, random, parse_count));
        case ValueType::size:
            return draw_size(range, random);
        case ValueType::number:
            return draw_real(range, random);
        case ValueType::duration:
            return draw_duration(range, random);
        default: {
            std::string list = draw_duration(range, random);
            for (std::uint64_t more = random() % 4; more > 0; --more) {  // at most four of durations
                list += ", " + draw_duration(range, random);
            }
            return "[" + list + "]";
        }
    }
}

}  // namespace solidtlm::platform
