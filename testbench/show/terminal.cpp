// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kMinimumWidth = 80;

bool utf8_locale() {
    // In the order in which POSIX evaluates them.
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            const std::string_view locale = value;
            return locale.find("UTF-8") != std::string_view::npos ||
                   locale.find("utf8") != std::string_view::npos;
        }
    }
    return false;
}

}  // namespace

std::string TextStyle::paint(std::string_view attribute, std::string_view text) const {
    return colour ? fmt::format("\033[{}m{}\033[0m", attribute, text) : std::string(text);
}

bool is_terminal(int descriptor) {
    return isatty(descriptor) == 1;
}

TextStyle style_for(int descriptor) {
    TextStyle style;
    if (!is_terminal(descriptor)) {
        return style;
    }
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        style.width = std::max<std::size_t>(size.ws_col, kMinimumWidth);
    }
    const char* no_colour = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    style.colour =
        (no_colour == nullptr || *no_colour == '\0') && (term == nullptr || std::string_view(term) != "dumb");
    style.unicode = utf8_locale();
    return style;
}

std::size_t columns_of(std::string_view text) {
    // Every byte except continuation bytes 10xxxxxx begins a character.
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

std::string grouped(double value, int decimals) {
    if (!std::isfinite(value)) {
        return "-";
    }
    std::string text = fmt::format("{:.{}f}", value, decimals);
    const std::size_t first = text.front() == '-' ? 1 : 0;
    for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string bytes_text(double bytes) {
    constexpr std::array<std::string_view, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
        bytes /= 1000.0;
        ++unit;
    }
    const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", bytes, decimals, kUnits[unit]);
}

std::string si_text(double value, std::string_view unit) {
    constexpr std::array<std::string_view, 9> kPrefixes{"p", "n", "u", "m", "", "k", "M", "G", "T"};
    if (!std::isfinite(value)) {
        return "-";
    }
    std::size_t prefix = 4;
    while (value != 0.0 && std::abs(value) < 0.9995 && prefix > 0) {
        value *= 1000.0;
        --prefix;
    }
    while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
        value /= 1000.0;
        ++prefix;
    }
    const int decimals = std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}{}", value, decimals, kPrefixes[prefix], unit);
}

}  // namespace solidtlm::testbench
