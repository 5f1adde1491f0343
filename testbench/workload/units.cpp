// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/units.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace solidtlm::testbench {
namespace {

/// What a letter behind a rate multiplies it by; 0: it is no such letter.
constexpr double factor_of(char letter) {
    switch (letter) {
        case 'k':
        case 'K':
            return 1e3;
        case 'm':
        case 'M':
            return 1e6;
        case 'g':
        case 'G':
            return 1e9;
        default:
            return 0;
    }
}

}  // namespace

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
    const double letter = text.empty() ? 0 : factor_of(text.back());
    if (letter > 0) {
        text.remove_suffix(1);
    }
    const auto value = parse_real(text);
    if (!value || *value <= 0) {
        return std::nullopt;
    }
    return *value * (letter > 0 ? letter : 1);
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
