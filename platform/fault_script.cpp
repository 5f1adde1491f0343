// SPDX-License-Identifier: Apache-2.0
#include "platform/fault_script.h"

#include <array>
#include <limits>
#include <span>
#include <sstream>
#include <vector>

#include "platform/units.h"

namespace solidtlm::platform {
namespace {

using Fault = hw::ScriptedFault;
using Words = std::span<const std::string>;

/// A number below `limit`.
std::optional<std::uint64_t> number(std::string_view text, std::uint64_t limit) {
    const std::optional<std::uint64_t> value = parse_count(text);
    return value && *value < limit ? value : std::nullopt;
}

/// A place such as "0/0/1/17", with exactly `parts` parts.
bool read_place(std::string_view text, std::size_t parts, hal::FlashAddress& at) {
    constexpr std::array<std::uint64_t, 5> kLimits{0x10000, 0x10000, 0x100, 0x1'0000'0000, 0x1'0000'0000};
    std::array<std::uint64_t, kLimits.size()> values{};
    for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t slash = text.find('/');
        const auto value = number(text.substr(0, slash), kLimits[i]);
        if (!value || (slash == std::string_view::npos) != (i + 1 == parts)) {
            return false;
        }
        values[i] = *value;
        text.remove_prefix(slash == std::string_view::npos ? text.size() : slash + 1);
    }
    at = {hal::Channel{static_cast<std::uint16_t>(values[0])},
          hal::Die{static_cast<std::uint16_t>(values[1])}, hal::Plane{static_cast<std::uint8_t>(values[2])},
          hal::Block{static_cast<std::uint32_t>(values[3])},
          hal::Page{static_cast<std::uint32_t>(values[4])}};
    return true;
}

constexpr std::size_t kDieParts = 2;
constexpr std::size_t kPlaneParts = 3;
constexpr std::size_t kBlockParts = 4;
constexpr std::size_t kPageParts = 5;

/// Reads "program 3 of block 0/0/1/17".
bool read_operation(Words words, Fault& fault) {
    fault.kind = words[0] == "program" ? Fault::Kind::program : Fault::Kind::erase;
    if (words.size() != 5 || words[2] != "of" || words[3] != "block") {
        return false;
    }
    const auto nth = number(words[1], std::numeric_limits<std::uint64_t>::max());
    fault.nth = nth.value_or(0);
    return fault.nth > 0 && read_place(words[4], kBlockParts, fault.address);
}

/// Reads "page 0/0/1/17/5 is uncorrectable".
bool read_page(Words words, Fault& fault) {
    fault.kind = Fault::Kind::page;
    return words.size() == 4 && words[2] == "is" && words[3] == "uncorrectable" &&
           read_place(words[1], kPageParts, fault.address);
}

/// Reads "die 0/0 dies at 20ms".
bool read_death(Words words, Fault& fault) {
    const bool die = words[0] == "die";
    fault.kind = die ? Fault::Kind::die : Fault::Kind::plane;
    if (words.size() != 5 || words[2] != "dies" || words[3] != "at") {
        return false;
    }
    const std::optional<hal::Ps> at = parse_duration(words[4]);
    fault.at = at.value_or(hal::Ps{0});
    return at && read_place(words[1], die ? kDieParts : kPlaneParts, fault.address);
}

std::optional<Fault> read_statement(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    Fault fault;
    bool known = false;
    if (!words.empty() && (words[0] == "program" || words[0] == "erase")) {
        known = read_operation(words, fault);
    } else if (!words.empty() && words[0] == "page") {
        known = read_page(words, fault);
    } else if (!words.empty() && (words[0] == "die" || words[0] == "plane")) {
        known = read_death(words, fault);
    }
    return known ? std::optional(fault) : std::nullopt;
}

/// Splits a script into its statements.
std::vector<std::string_view> statements(std::string_view text) {
    std::vector<std::string_view> all;
    while (!trimmed(text).empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        all.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

}  // namespace

std::optional<hw::FaultScript> parse_fault_script(std::string_view text) {
    hw::FaultScript script;
    script.text = std::string(trimmed(text));
    for (const std::string_view statement : statements(text)) {
        const std::optional<Fault> fault = read_statement(statement);
        if (!fault) {
            return std::nullopt;
        }
        script.faults.push_back(*fault);
    }
    return script;
}

Kind<hw::FaultScript> fault_script() {
    return {
        {ValueType::text, "statements separated by semicolons",
         ": \"program N of block C/D/P/B\", \"erase N of block C/D/P/B\", "
         "\"page C/D/P/B/PAGE is uncorrectable\", \"plane C/D/P dies at 20ms\", \"die C/D dies at 20ms\""},
        parse_fault_script,
        [](const hw::FaultScript& script) { return script.text; }};
}

std::string misplaced_fault(const hw::FaultScript& script, const hw::NandGeometry& geometry) {
    const std::vector<std::string_view> written = statements(script.text);
    for (std::size_t i = 0; i < script.faults.size(); ++i) {
        const hal::FlashAddress& at = script.faults[i].address;
        if (at.channel.value >= geometry.channels || at.die.value >= geometry.dies ||
            at.plane.value >= geometry.planes ||
            at.block.value >= geometry.blocks_of(geometry.die_index(at.channel, at.die)) ||
            at.page.value >= geometry.pages) {
            return std::string(written[i]);
        }
    }
    return {};
}

}  // namespace solidtlm::platform
