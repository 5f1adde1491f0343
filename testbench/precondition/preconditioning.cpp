// SPDX-License-Identifier: Apache-2.0
#include "testbench/precondition/preconditioning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "testbench/workload/suggest.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench {
namespace {

constexpr double kMostOverwrites = 1000;
constexpr std::uint64_t kMostBytes = 32ULL << 20U;  ///< of one ATA command
constexpr std::array<std::string_view, 3> kPatterns{"random", "zipf", "hotcold"};

bool keep(const std::optional<double>& parsed, double low, double high, double& target) {
    target = parsed.value_or(target);
    return parsed && *parsed >= low && *parsed <= high;
}

bool set_size(std::string_view text, std::uint64_t& bytes) {
    const auto parsed = parse_size(text);
    bytes = parsed.value_or(0);
    return bytes > 0 && bytes <= kMostBytes && bytes % hal::kSectorBytes == 0;
}

bool set_pattern(std::string_view text, std::string& pattern) {
    pattern = text;
    return std::ranges::find(kPatterns, text) != kPatterns.end();
}

struct Key {
    std::string_view name;
    std::string_view expected;
    std::string_view help;
    bool (*set)(std::string_view value, Preconditioning& target);
};

using View = std::string_view;
using Target = Preconditioning;
constexpr std::string_view kShare = "a share such as 0.3 or 30%";
constexpr std::array kKeys{
    Key{"fill", kShare, "fraction of the capacity that is written first [1]",
        [](View v, Target& t) { return keep(parse_share(v), 0, 1, t.fill); }},
    Key{"random", "a number from 0 to 1000", "then so many times the filled part, at random places of it [2]",
        [](View v, Target& t) { return keep(parse_real(v), 0, kMostOverwrites, t.random); }},
    Key{"size", "a multiple of 512 bytes, at most 32MiB", "length of a random request [the mapping unit]",
        [](View v, Target& t) { return set_size(v, t.size_bytes); }},
    Key{"trim", "a share below 1 such as 0.1 or 10%", "trims among the random requests [0]",
        [](View v, Target& t) { return keep(parse_share(v), 0, 0.99, t.trim); }},
    Key{"pattern", "random, zipf or hotcold", "where the random requests go [random]",
        [](View v, Target& t) { return set_pattern(v, t.pattern); }},
    Key{"theta", "a number from 0 to 10", "zipf: exponent [0.99]",
        [](View v, Target& t) { return keep(parse_real(v), 0, 10, t.theta); }},
    Key{"hot_space", kShare, "hotcold: share of the filled part that is hot [0.2]",
        [](View v, Target& t) { return keep(parse_share(v), 0, 1, t.hot_space); }},
    Key{"hot_access", kShare, "hotcold: share of the requests that go there [0.8]",
        [](View v, Target& t) { return keep(parse_share(v), 0, 1, t.hot_access); }},
    Key{"seed", "a whole number", "of the random requests [the configuration's]",
        [](View v, Target& t) {
            t.seed = parse_count(v);
            return t.seed.has_value();
        }},
};

/// Reads one `key=value`. Returns what is wrong with it, or nothing.
std::string read_item(std::string_view item, Preconditioning& target, std::vector<std::string_view>& seen) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
        return fmt::format("found '{}', expected key=value", item);
    }
    const std::string_view name = item.substr(0, equals);
    const auto key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return k.name == name; });
    if (key == kKeys.end()) {
        std::array<std::string_view, kKeys.size()> names{};
        std::transform(kKeys.begin(), kKeys.end(), names.begin(), [](const Key& k) { return k.name; });
        return fmt::format("unknown key '{}'{}; known keys: {}", name, did_you_mean(name, names),
                           join_names(names));
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        return fmt::format("{}: given twice", name);
    }
    seen.push_back(key->name);
    const std::string_view value = item.substr(equals + 1);
    if (key->set(value, target)) {
        return {};
    }
    const std::string hint = name == "pattern" ? did_you_mean(value, kPatterns) : std::string{};
    return fmt::format("{}: found '{}', expected {}{}", name, value, key->expected, hint);
}

}  // namespace

Preconditioning parse_preconditioning(std::string_view spec) {
    Preconditioning result;
    std::vector<std::string_view> seen;
    std::string errors;
    for (std::string_view rest = spec; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        const std::string error = read_item(rest.substr(0, comma), result, seen);
        if (!error.empty()) {
            errors += "\n  " + error;
        }
        if (comma == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(comma + 1);
        if (rest.empty()) {
            errors += "\n  found nothing after the last comma, expected key=value";
        }
    }
    if (!errors.empty()) {
        throw InputError(fmt::format("--precondition '{}':{}", spec, errors));
    }
    return result;
}

std::string to_text(const Preconditioning& preconditioning) {
    std::string text = fmt::format("fill={},random={}", preconditioning.fill, preconditioning.random);
    if (preconditioning.size_bytes != 0) {
        text += fmt::format(",size={}", preconditioning.size_bytes);
    }
    if (preconditioning.trim > 0) {
        text += fmt::format(",trim={}", preconditioning.trim);
    }
    if (preconditioning.pattern == "zipf") {
        text += fmt::format(",pattern=zipf,theta={}", preconditioning.theta);
    } else if (preconditioning.pattern == "hotcold") {
        text += fmt::format(",pattern=hotcold,hot_space={},hot_access={}", preconditioning.hot_space,
                            preconditioning.hot_access);
    }
    if (preconditioning.seed) {
        text += fmt::format(",seed={}", *preconditioning.seed);
    }
    return text;
}

std::string preconditioning_help() {
    std::string text;
    for (const Key& key : kKeys) {
        text += fmt::format("{:<12} {}; {}\n", key.name, key.help, key.expected);
    }
    return text;
}

}  // namespace solidtlm::testbench
