// SPDX-License-Identifier: Apache-2.0
#include "platform/plausible_value.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fw/hal/check.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

using Random = std::mt19937_64;

std::uint64_t draw_between(std::uint64_t low, std::uint64_t high, Random& random) {
    SOLIDTLM_CHECK(low <= high, "the bounds allow some value");
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
std::uint64_t draw_number(const Limits& limits, Random& random, const Parse& parse) {
    const auto low = static_cast<std::uint64_t>(*parse(limits.low));
    const std::uint64_t most = low + (std::uint64_t{1} << 40U);  // if there is no upper limit
    return draw_between(low, limits.high.empty() ? most : static_cast<std::uint64_t>(*parse(limits.high)),
                        random);
}

std::string draw_real(const Limits& limits, Random& random) {
    const double low = *parse_number(limits.low);
    const double high = limits.high.empty() ? low + 100 : *parse_number(limits.high);
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

std::string draw_duration(const Limits& limits, Random& random) {
    const auto ps = draw_number(limits, random, [](const std::string& text) {
        const auto duration = parse_duration(text);
        return duration ? std::optional(duration->count()) : std::nullopt;
    });
    return "\"" + format_duration(hal::Ps{static_cast<std::int64_t>(ps)}) + "\"";
}

std::string draw_size(const Limits& limits, Random& random) {
    const std::uint64_t bytes = draw_number(limits, random, parse_size);
    const bool kibi = bytes % 1024 == 0 && random() % 2 == 0;
    return kibi ? "\"" + std::to_string(bytes / 1024) + "k\"" : std::to_string(bytes);
}

}  // namespace

bool can_draw(const Allowed& allowed) {
    return allowed.type == ValueType::boolean ||
           (allowed.type == ValueType::text ? !allowed.names.empty() : allowed.limits.has_value());
}

std::string plausible_value(const Allowed& allowed, std::mt19937_64& random, const DrawBounds& bounds) {
    SOLIDTLM_CHECK(can_draw(allowed), "the allowed values are names or a range");
    if (allowed.type == ValueType::boolean) {
        return random() % 2 == 0 ? "true" : "false";
    }
    if (allowed.type == ValueType::text) {
        return "\"" + allowed.names[random() % allowed.names.size()] + "\"";
    }
    Limits limits = *allowed.limits;
    limits.low = bounds.low.empty() ? limits.low : bounds.low;
    limits.high = bounds.high.empty() ? limits.high : bounds.high;
    switch (allowed.type) {
        case ValueType::integer:
            return std::to_string(draw_number(limits, random, parse_count));
        case ValueType::size:
            return draw_size(limits, random);
        case ValueType::number:
            return draw_real(limits, random);
        case ValueType::duration:
            return draw_duration(limits, random);
        default: {
            std::string list = draw_duration(limits, random);
            for (std::uint64_t more = random() % 4; more > 0; --more) {  // at most four durations
                list += ", " + draw_duration(limits, random);
            }
            return "[" + list + "]";
        }
    }
}

}  // namespace solidtlm::platform
