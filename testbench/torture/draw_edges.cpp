// SPDX-License-Identifier: Apache-2.0
//
// Sizes at the edge of what is legal. Proofs need room that few drives lack: a second word line in a block,
// one superblock more than the capacity takes. So each size has its smallest legal value, or the next one,
// more often than draws from its whole range give it. No rule here knows what a size is for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fw/needs.h"
#include "platform/configuration_keys.h"
#include "platform/units.h"
#include "testbench/torture/draw_steps.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

using platform::ConfigurationKey;
using platform::ValueType;

constexpr double kAtAnEdge = 0.25;  // of all sizes: an eighth at the edge, and one beside it
constexpr double kFull = 0.35;      // of the drives that nothing requires to have room
/// Of those that deduplicate. Whether a page of a victim may keep its place matters only where the host
/// writes its contents again while nothing is free.
constexpr double kFullOfShared = 0.8;
constexpr std::size_t kMostTries = 40;
/// Numbers that are no sizes.
constexpr std::array<std::string_view, 5> kNoSizes{"firmware.cycles.", "faults.", "seed",
                                                   "nand.bad_blocks.seed", "nand.rules.endurance_cycles"};

std::optional<std::uint64_t> number_of(const ConfigurationKey& key, std::string_view text) {
    const std::string_view bare = platform::without_quotes(text);
    return key.type == ValueType::integer ? platform::parse_count(bare) : platform::parse_size(bare);
}

/// The values that may be drawn, in ascending order, as TOML literals: those of the rule; or every integer
/// from the lowest on; or sizes that double.
std::vector<std::string> ascending(const ConfigurationKey& key, const DrawRule* rule) {
    std::vector<std::string> values;
    if (rule != nullptr && !rule->choices.empty()) {
        values.assign(rule->choices.begin(), rule->choices.end());
        std::ranges::stable_sort(values, {},
                                 [&key](const std::string& text) { return number_of(key, text); });
        values.erase(std::unique(values.begin(), values.end()), values.end());
        return values;
    }
    const bool bounded = rule != nullptr && !rule->bounds.low.empty();
    const std::string low = bounded ? std::string(rule->bounds.low) : key.limits->low;
    const std::string high = bounded ? std::string(rule->bounds.high) : key.limits->high;
    const std::uint64_t end = high.empty() ? platform::kinds::kUnlimited : *number_of(key, high);
    std::uint64_t value = *number_of(key, low);
    while (value <= end && values.size() < kMostTries) {
        values.push_back(std::to_string(value));
        value = key.type == ValueType::integer ? value + 1 : std::max<std::uint64_t>(value * 2, 1);
    }
    return values;
}

/// The case with the smallest value of the key that is legal, or with the next one. Where less may be
/// exported then, half of the most is, unless the capacity is `fixed`.
std::optional<TortureCase> at_edge(const TortureCase& torture, const ConfigurationKey& key,
                                   const DrawRule* rule, bool next, bool fixed) {
    constexpr double kExported = 0.5;
    for (const std::string& value : ascending(key, rule)) {
        std::optional<TortureCase> changed = torture;
        give(changed->settings, {fmt::format("{}={}", key.name, value)});
        if (!legal(*changed) && !fixed) {
            give(changed->settings, {fmt::format("{}=0.95", kOverProvisioning)});
            changed = legal(*changed) ? exporting(*changed, kExported) : std::nullopt;
        }
        if (changed && legal(*changed) && fits(*changed) && !std::exchange(next, false)) {
            return changed;
        }
    }
    return std::nullopt;
}

/// The case with the largest legal capacity, or less by a superblock of each parallel unit.
std::optional<TortureCase> full(const TortureCase& torture, bool less) {
    const platform::Configuration c = configuration_of(torture.preset, torture.settings);
    const auto most = static_cast<double>(fw::max_exported_units(c.firmware));
    const double row = static_cast<double>(c.raw_units()) / c.nand.geometry.blocks;
    const auto changed = most > 2 * row ? exporting(torture, less ? 1 - row / most : 1) : std::nullopt;
    return changed && fits(*changed) ? changed : std::nullopt;
}

bool is_size(const ConfigurationKey& key, const DrawRule* rule) {
    const bool drawn = rule == nullptr ? platform::can_draw(key) : rule->not_drawn.empty();
    return (key.type == ValueType::integer || key.type == ValueType::size) && drawn &&
           std::ranges::none_of(kNoSizes,
                                [&key](std::string_view group) { return key.name.starts_with(group); });
}

/// A full drive shows what it lacks when it is overwritten again and again, without much time between.
void overwrite_often(const Draws& draws, TortureCase& torture) {
    constexpr std::uint64_t kLeast = 1000;
    constexpr std::uint64_t kSlower = 8;  // where most entries of the map are read from flash
    const fw::FirmwareConfig firmware = configuration_of(torture.preset, torture.settings).firmware;
    const std::uint64_t requests = kLeast + draws.below("requests", 2 * kLeast);
    torture.load.front() =
        fmt::format("requests={}", firmware.map_cache.whole_map() ? requests : requests / kSlower);
    std::erase_if(torture.load, [](const std::string& item) { return item.starts_with("pauses="); });
    if (firmware.dedup.any() || draws.chance("rewrites", 0.7)) {
        give(torture.load, {"rewrites=0.4"});
    }
    if (draws.chance("filled", 0.5)) {
        torture.precondition = {"fill=1", "random=0"};
    }
    if (firmware.dedup.any() || draws.chance("small writes", 0.8)) {
        torture.workload = {"mix",
                            "reads=3",
                            "writes=40",
                            fmt::format("flushes={}", draws.below("flushes", 3)),
                            fmt::format("trims={}", draws.below("trims", 40)),
                            fmt::format("sectors={}", 8U << draws.below("sectors", 3)),
                            fmt::format("range_sectors={}", 2 + draws.below("range sectors", 8))};
    }
    std::ranges::replace(torture.load, std::string("max_sectors=1"), std::string("max_sectors=8"));
}

}  // namespace

void draw_edges(const Draws& draws, const std::vector<std::string>& pinned, std::string_view undrawn,
                DrawnCase& drawn) {
    const auto is_pinned = [&pinned](std::string_view key) {
        return std::ranges::any_of(pinned, [key](const auto& setting) { return key_of(setting) == key; });
    };
    std::vector<std::pair<const ConfigurationKey*, Draws>> edges;
    for (const ConfigurationKey& key : platform::keys()) {
        const Draws of_key = draws.in(key.name);
        if (is_size(key, rule_of(configuration_rules(), key.name)) && !is_pinned(key.name) &&
            key.name != undrawn && of_key.chance("at an edge", kAtAnEdge)) {
            edges.emplace_back(&key, of_key);
        }
    }
    const bool fixed = is_pinned(kOverProvisioning) || is_pinned("ssd.capacity");
    // The smallest value of one may depend on those of others.
    std::ranges::sort(edges, {}, [](const auto& edge) { return edge.second.waiting_time("place"); });
    for (const auto& [key, of_key] : edges) {
        if (auto changed = at_edge(drawn.torture, *key, rule_of(configuration_rules(), key->name),
                                   of_key.chance("next", 0.5), fixed);
            changed) {
            drawn.torture = *std::move(changed);
            drawn.keys.insert(key->name);
        }
    }
    const Draws capacity = draws.in("capacity");
    const bool needs_room = drawn.focus == DrawnCase::Focus::paired_pages;  // for power cuts
    const bool deduplicates =
        configuration_of(drawn.torture.preset, drawn.torture.settings).firmware.dedup.any();
    if (fixed || needs_room || !capacity.chance("at an edge", deduplicates ? kFullOfShared : kFull)) {
        return;
    }
    if (auto changed = full(drawn.torture, capacity.chance("next", 0.5)); changed) {
        drawn.full = true;
        drawn.torture = *std::move(changed);
        overwrite_often(capacity.in("load"), drawn.torture);
    }
}

}  // namespace solidtlm::testbench
