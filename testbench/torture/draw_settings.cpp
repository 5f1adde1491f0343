// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>

#include "platform/configuration_keys.h"
#include "platform/units.h"
#include "testbench/sim/host/request.h"
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
std::string draw_fault_script(const Draws& draws) {
    const auto plane_of = [](const Draws& place) {
        return fmt::format("{}/{}/{}", place.below("channel", 2), place.below("die", 2),
                           place.below("plane", 2));
    };
    const bool one_plane = draws.chance("one plane", 0.5);
    std::string script;
    const std::uint64_t faults = 1 + draws.below("faults", 8);
    for (std::uint64_t i = 0; i < faults; ++i) {
        const Draws fault = draws.in("fault").nth(i);
        const std::string block =
            fmt::format("{}/{}", plane_of(one_plane ? draws : fault), fault.below("block", 16));
        script += script.empty() ? "" : "; ";
        switch (fault.below("kind", 6)) {
            case 0:
                script += fmt::format("program {} of block {}", 1 + fault.below("program", 20), block);
                break;
            case 1:
                script += fmt::format("erase {} of block {}", 1 + fault.below("erase", 3), block);
                break;
            default:
                script += fmt::format("page {}/{} is uncorrectable", block, fault.below("page", 16));
                break;
        }
    }
    return '"' + script + '"';
}

std::string draw_setting(const Draws& draws, const ConfigurationKey& key) {
    const std::string value = key.name == "faults.script" && draws.chance("script", 0.5)
                                  ? draw_fault_script(draws.in("script"))
                                  : draw_value(draws, key, rule_of(configuration_rules(), key.name));
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

/// A setting of a case. The checks may refuse it, alone or together with others.
class DrawnSetting {
  public:
    DrawnSetting(const Draws& draws, const ConfigurationKey& key)
        : draws_(draws), key_(&key), text_(draw_setting(draws, key)), due_(draws.waiting_time("due")) {}

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::string_view key() const { return key_->name; }
    /// Where it stands among the case's settings.
    [[nodiscard]] double place() const { return draws_.waiting_time("place"); }
    /// When it is redrawn if it is refused then. The redraws of each key are a Poisson process: no key is
    /// preferred, and which one is next does not depend on keys that are not refused.
    [[nodiscard]] double due() const { return due_; }
    /// Draws another value. False: it was refused too often, and the key is to keep its default.
    bool draw_again() {
        if (tries_ == kTries) {
            return false;
        }
        const Draws again = draws_.in("again").nth(tries_++);
        text_ = draw_setting(again, *key_);
        due_ += again.waiting_time("due");
        return true;
    }

  private:
    Draws draws_;
    const ConfigurationKey* key_;
    std::string text_;
    double due_;
    std::uint32_t tries_ = 0;
};

/// The setting that is redrawn next: of those for `keys`, or of all if there are none.
std::vector<DrawnSetting>::iterator first_due(std::vector<DrawnSetting>& settings,
                                              const std::vector<std::string>& keys) {
    return std::ranges::min_element(settings, {}, [&keys](const DrawnSetting& setting) {
        return keys.empty() || std::ranges::find(keys, setting.key()) != keys.end()
                   ? setting.due()
                   : std::numeric_limits<double>::infinity();
    });
}

}  // namespace

std::string draw_value(const Draws& draws, const platform::Allowed& allowed, const DrawRule* rule) {
    if (rule != nullptr && !rule->choices.empty()) {
        return std::string(draws.pick("value", rule->choices));
    }
    std::mt19937_64 random = draws.generator("value");
    return platform::plausible_value(allowed, random,
                                     rule != nullptr ? rule->bounds : platform::DrawBounds{});
}

// With all keys at their defaults, the drive is legal.
void draw_settings(const Draws& draws, const std::vector<std::string>& pinned, std::string_view undrawn,
                   DrawnCase& drawn) {
    if (!refused(drawn.torture.preset, pinned).empty()) {
        (void)configuration_of(drawn.torture.preset, pinned);  // throws if `pinned` alone is illegal
        throw InputError(fmt::format(
            "found a preset and settings that make a large drive; allowed: at most {} pages, {} mapping "
            "units and {} of flash",
            kMostPages, kMostUnits, platform::format_size(kMostBytes)));
    }
    static constexpr double kDensities[]{0.02, 0.1, 0.3, 0.6};
    const double density = draws.pick("density", kDensities);
    std::vector<DrawnSetting> settings;
    for (const ConfigurationKey& key : platform::keys()) {
        const DrawRule* rule = rule_of(configuration_rules(), key.name);
        const bool fixed = std::ranges::any_of(
            pinned, [&key](const std::string& setting) { return key_of(setting) == key.name; });
        if (fixed || key.name == undrawn || (rule != nullptr && !rule->not_drawn.empty())) {
            continue;
        }
        const double usual = is_choice(key) ? std::max(density, 0.5) : density;
        const double share = rule == nullptr || rule->chance < 0 ? usual : rule->chance;
        if (const Draws of_key = draws.in(key.name); of_key.chance("drawn", share)) {
            settings.emplace_back(of_key, key);
            drawn.keys.insert(key.name);
        }
    }
    std::ranges::sort(settings, {}, &DrawnSetting::place);
    const auto all = [&] {
        std::vector<std::string> together = pinned;
        std::ranges::transform(settings, std::back_inserter(together), &DrawnSetting::text);
        return together;
    };
    for (auto bad = refused(drawn.torture.preset, all()); !bad.empty();
         bad = refused(drawn.torture.preset, all())) {
        std::erase_if(bad, [&settings](const std::string& key) {
            return std::ranges::find(settings, key, &DrawnSetting::key) == settings.end();
        });
        const auto next = first_due(settings, bad);
        ++drawn.redrawn;
        // If none of the refused keys was drawn, any drawn key is left out.
        if (bad.empty() || !next->draw_again()) {
            settings.erase(next);
        }
    }
    drawn.torture.settings = all();
}

}  // namespace solidtlm::testbench
