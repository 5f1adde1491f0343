// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/configuration_keys.h"
#include "platform/units.h"
#include "testbench/host/request.h"
#include "testbench/torture/draw_steps.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

using platform::ConfigurationKey;

constexpr std::uint64_t kMostPages = 6'000;         // most pages of a drive
constexpr std::uint64_t kMostBytes = 48ULL << 20U;  // most bytes of flash
constexpr std::uint64_t kMostUnits = 32'000;        // most mapping units; power cuts check them one by one
constexpr std::uint32_t kTries = 6;                 // attempts to draw a key before it keeps its default

/// Whether the key's values are names or a switch.
bool is_choice(const ConfigurationKey& key) {
    return key.type == platform::ValueType::boolean || !key.names.empty();
}

/// Draws which faults happen where on a small drive. In half of the scripts, all faults are on one plane, so
/// that parts of multi-plane operations succeed.
std::string draw_fault_script(DrawRandom& random) {
    const auto below = [&random](std::uint64_t limit) { return random() % limit; };
    const bool one_plane = chance(random, 0.5);
    const std::string plane = fmt::format("{}/{}/{}", below(2), below(2), below(2));
    std::string script;
    for (std::uint64_t left = 1 + below(8); left > 0; --left) {
        const std::string on = one_plane ? plane : fmt::format("{}/{}/{}", below(2), below(2), below(2));
        const std::string block = fmt::format("{}/{}", on, below(16));
        script += script.empty() ? "" : "; ";
        switch (below(6)) {
            case 0:
                script += fmt::format("program {} of block {}", 1 + below(20), block);
                break;
            case 1:
                script += fmt::format("erase {} of block {}", 1 + below(3), block);
                break;
            default:
                script += fmt::format("page {}/{} is uncorrectable", block, below(16));
                break;
        }
    }
    return '"' + script + '"';
}

std::string draw_setting(DrawRandom& random, const ConfigurationKey& key) {
    const std::string value = key.name == "faults.script" && chance(random, 0.5)
                                  ? draw_fault_script(random)
                                  : draw_value(random, key, rule_of(configuration_rules(), key.name));
    return std::string(key.name) + "=" + value;
}

/// The keys that the checks refuse; empty if the drive is legal and small.
std::vector<std::string> refused(const std::string& preset, const std::vector<std::string>& settings) {
    std::vector<std::string> keys;
    try {
        const platform::Configuration c = configuration_of(preset, settings);
        const hw::NandGeometry& nand = c.nand.geometry;
        const std::uint64_t pages =
            std::uint64_t{nand.channels} * nand.dies * nand.planes * nand.blocks * nand.pages;
        if (pages > kMostPages || c.raw_bytes() > kMostBytes || c.raw_units() > kMostUnits) {
            keys = {"nand.geometry.channels", "nand.geometry.dies",  "nand.geometry.planes",
                    "nand.geometry.blocks",   "nand.geometry.pages", "nand.geometry.page_size",
                    "firmware.unit"};
        }
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            keys.push_back(issue.key);
        }
    }
    return keys;
}

}  // namespace

std::string draw_value(DrawRandom& random, const platform::Allowed& allowed, const DrawRule* rule) {
    if (rule != nullptr && !rule->choices.empty()) {
        return std::string(pick(random, rule->choices));
    }
    return platform::plausible_value(allowed, random,
                                     rule != nullptr ? rule->bounds : platform::DrawBounds{});
}

// Redraws values that the checks refuse. A key that stays refused gets its default; with all keys at their
// defaults, the drive is legal.
void draw_settings(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn) {
    if (!refused(drawn.torture.preset, pinned).empty()) {
        (void)configuration_of(drawn.torture.preset, pinned);  // throws if `pinned` alone is illegal
        throw InputError(fmt::format(
            "found a preset and settings that make a large drive; allowed: at most {} pages, {} mapping "
            "units and {} of flash",
            kMostPages, kMostUnits, platform::format_size(kMostBytes)));
    }
    static constexpr double kDensities[]{0.02, 0.1, 0.3, 0.6};
    const double density = pick(random, kDensities);
    std::vector<std::string> settings;
    for (const ConfigurationKey& key : platform::keys()) {
        const DrawRule* rule = rule_of(configuration_rules(), key.name);
        const bool fixed = std::ranges::any_of(
            pinned, [&key](const std::string& setting) { return key_of(setting) == key.name; });
        if (fixed || (rule != nullptr && !rule->not_drawn.empty())) {
            continue;
        }
        const double usual = is_choice(key) ? std::max(density, 0.5) : density;
        const double share = rule == nullptr || rule->chance < 0 ? usual : rule->chance;
        if (chance(random, share)) {
            settings.push_back(draw_setting(random, key));
        }
    }
    std::shuffle(settings.begin(), settings.end(), random);
    std::map<std::string, std::uint32_t> tries;
    const auto all = [&] {
        std::vector<std::string> together = pinned;
        together.insert(together.end(), settings.begin(), settings.end());
        return together;
    };
    for (auto bad = refused(drawn.torture.preset, all()); !bad.empty();
         bad = refused(drawn.torture.preset, all())) {
        std::erase_if(bad, [&settings](const std::string& key) {
            return std::ranges::none_of(settings, [&](const auto& each) { return key_of(each) == key; });
        });
        // If none of the refused keys was drawn, any drawn key is redrawn.
        const std::string key = bad.empty() ? std::string(key_of(pick(random, settings))) : pick(random, bad);
        const auto at = std::ranges::find(settings, key, [](const auto& each) { return key_of(each); });
        ++drawn.redrawn;
        if (bad.empty() || ++tries[key] > kTries) {
            settings.erase(at);
        } else {
            *at = draw_setting(random, *platform::find_key(key));
        }
    }
    drawn.torture.settings = all();
}

}  // namespace solidtlm::testbench
