// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/configuration_keys.h"
#include "testbench/sim/event_cutter.h"
#include "testbench/torture/draw_rules.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kKept = 1000;  ///< most values counted per key; child processes inherit them

const platform::ConfigurationKey& key_at(std::size_t index) {
    return platform::keys()[index];
}

std::string setting(const ChoiceKey& key, std::size_t value) {
    return std::string(key_at(key.index).name) + "=" + key.values[value];
}

bool accepted(const std::string& preset, std::vector<std::string> settings) {
    const auto takes = [&] {
        try {
            (void)configuration_of(preset, settings);
            return true;
        } catch (const platform::ConfigurationError&) {
            return false;
        }
    };
    if (takes()) {
        return true;
    }
    settings.emplace_back("firmware.unit=8KiB");  // one page of preset tiny
    return takes();
}

void add_counts(const Json& section, std::map<std::string, std::uint64_t>& counts) {
    for (const auto& [name, count] : section.items()) {
        counts[name] += count.get<std::uint64_t>();
    }
}

/// "12 reads, 3 writes".
std::string listed(const Json& counts) {
    std::string text;
    for (const auto& [name, count] : counts.items()) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.dump(), name);
    }
    return text;
}

/// Lines on the small family: keys, pairs and cuts.
std::string small_lines(const Json& coverage) {
    std::size_t keys = 0;
    std::size_t varied = 0;
    std::string never;
    for (const auto& [name, key] : coverage.at("keys").items()) {
        ++keys;
        varied += key.value("distinct", 0) > 1 ? 1 : 0;
        for (const Json& value : key.value("never", Json::array())) {
            never += " " + name + "=" + value.get<std::string>();
        }
    }
    const Json& cuts = coverage.at("cuts");
    const Json& pairs = coverage.at("pairs");
    return fmt::format(
        "keys      {} of {} with more than one value{}\n"
        "pairs     {} of {} of names and switches; {} refused by the checks\n"
        "cuts      {}, {} of them at events ({}): {}\n"
        "          while {}\n",
        varied, keys, never.empty() ? "" : "; never:" + never, pairs.at("met").dump(),
        pairs.at("possible").dump(), pairs.at("refused").dump(), cuts.at("total").dump(),
        cuts.at("at_events").dump(), listed(cuts.at("of_these")), listed(cuts.at("by_event")),
        listed(cuts.at("by_instant")));
}

/// Lines on the real family, one per kind of count.
std::string real_lines(const Json& real) {
    std::string text = fmt::format("real      {} cases\n", real.at("cases").dump());
    for (const auto& [section, counts] : real.at("met").items()) {
        text += fmt::format("          {:<9} {}\n", section, listed(counts));
    }
    return text;
}

}  // namespace

const std::vector<ChoiceKey>& choice_keys() {
    static const std::vector<ChoiceKey> keys = [] {
        std::vector<ChoiceKey> choices;
        for (std::size_t i = 0; i < platform::keys().size(); ++i) {
            const auto& key = key_at(i);
            if (key.type == platform::ValueType::boolean) {
                choices.push_back({i, {"false", "true"}});
            } else if (!key.names.empty()) {
                choices.push_back({i, key.names});
            }
        }
        return choices;
    }();
    return keys;
}

void Coverage::add(const DrawnCase& drawn, const Json& result) {
    ++cases_;
    redrawn_ += drawn.redrawn;
    redrawn_load_ += drawn.redrawn_load;
    if (result.is_null()) {
        return;
    }
    const auto& workload = drawn.torture.workload;
    ++workloads_[workload.empty() ? "mix" : workload.front()];
    if (drawn.family == Family::real) {
        ++real_cases_;
        for (const auto& [section, counts] : result.at("shape").items()) {
            add_counts(counts, real_[section]);
        }
    } else {
        add_choices(result.at("values").get<std::vector<std::string>>());
        add_cuts(result.at("cuts"));
    }
    add_counts(result.at("commands"), commands_);
    add_counts(result.at("endings"), endings_);
    add_counts(result.at("faults_met"), faults_);
    erases_ += result.at("erases").get<std::uint64_t>();
    const auto checked = result.at("reads_checked").get<std::uint64_t>();
    reads_checked_ += checked;
    not_compared_ += checked == 0 ? 1 : 0;
}

void Coverage::add_choices(const std::vector<std::string>& values) {
    values_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values_[i].size() < kKept || values_[i].contains(values[i])) {
            ++values_[i][values[i]];
        }
    }
    const auto& keys = choice_keys();
    std::vector<std::size_t> chosen;
    chosen.reserve(keys.size());
    for (const ChoiceKey& key : keys) {
        chosen.push_back(
            static_cast<std::size_t>(std::ranges::find(key.values, values[key.index]) - key.values.begin()));
    }
    for (std::size_t a = 0; a < keys.size(); ++a) {
        for (std::size_t b = a + 1; b < keys.size(); ++b) {
            ++pairs_[Pair{a, chosen[a], b, chosen[b]}];
        }
    }
}

void Coverage::add_cuts(const Json& cuts) {
    for (const Json& cut : cuts) {
        const auto kind = cut[0].get<std::size_t>();
        ++cuts_[std::string(kEventKindNames.at(kind))];
        ++instants_[std::string(kCutInstantNames.at(cut[2].get<std::size_t>()))];
        if (static_cast<EventKind>(kind) != EventKind::time) {
            const int place = cut[1].get<int>() + 1;
            ++offsets_.at(static_cast<std::size_t>(place));
        }
    }
}

/// Includes kinds with a count of zero.
Json Coverage::cuts_section() const {
    const auto all = [](const auto& names, const Counts& counts) {
        Json section = Json::object();
        for (const std::string_view name : names) {
            const auto found = counts.find(std::string(name));
            section[std::string(name)] = found == counts.end() ? 0 : found->second;
        }
        return section;
    };
    const std::uint64_t at_events = offsets_[0] + offsets_[1] + offsets_[2];
    const auto by_time = cuts_.find(std::string(kEventKindNames[0]));
    return {{"total", at_events + (by_time == cuts_.end() ? 0 : by_time->second)},
            {"at_events", at_events},
            {"of_these",
             {{"1 ps before", offsets_[0]}, {"at the instant", offsets_[1]}, {"1 ps after", offsets_[2]}}},
            {"by_event", all(kEventKindNames, cuts_)},
            {"by_instant", all(kCutInstantNames, instants_)}};
}

Json Coverage::keys_section() const {
    constexpr std::size_t kListed = 12;  // most values listed per key
    Json section = Json::object();
    for (std::size_t i = 0; i < platform::keys().size(); ++i) {
        const auto& key = key_at(i);
        const DrawRule* rule = rule_of(configuration_rules(), key.name);
        Json& entry = section[std::string(key.name)];
        if (rule != nullptr && !rule->not_drawn.empty()) {
            entry["not_drawn"] = rule->not_drawn;
            continue;
        }
        const std::map<std::string, std::uint64_t> none;
        const auto& met = i < values_.size() ? values_[i] : none;
        entry["distinct"] = met.size();
        if (met.size() <= kListed) {
            entry["values"] = met;
        }
    }
    for (const ChoiceKey& key : choice_keys()) {
        Json never = Json::array();
        for (const std::string& value : key.values) {
            if (key.index >= values_.size() || !values_[key.index].contains(value)) {
                never.push_back(value);
            }
        }
        section[std::string(key_at(key.index).name)]["never"] = never;
    }
    return section;
}

Json Coverage::pairs_section(const std::string& preset) const {
    const auto& keys = choice_keys();
    std::uint64_t refused = 0;
    Json never = Json::array();
    for (std::size_t a = 0; a < keys.size(); ++a) {
        for (std::size_t b = a + 1; b < keys.size(); ++b) {
            for (std::size_t i = 0; i < keys[a].values.size(); ++i) {
                for (std::size_t j = 0; j < keys[b].values.size(); ++j) {
                    if (pairs_.contains(Pair{a, i, b, j})) {
                        continue;
                    }
                    const std::vector<std::string> both{setting(keys[a], i), setting(keys[b], j)};
                    if (accepted(preset, both)) {
                        never.push_back(both[0] + " " + both[1]);
                    } else {
                        ++refused;
                    }
                }
            }
        }
    }
    return {{"met", pairs_.size()},
            {"possible", pairs_.size() + never.size()},
            {"refused", refused},
            {"never", never}};
}

Json Coverage::to_json(const std::string& preset) const {
    return {{"cases", cases_},
            {"redrawn_values", redrawn_},
            {"redrawn_workloads", redrawn_load_},
            {"erases", erases_},
            {"reads_checked", reads_checked_},
            {"not_compared", not_compared_},
            {"commands", commands_},
            {"workloads", workloads_},
            {"endings", endings_},
            {"cuts", cuts_section()},
            {"faults", faults_},
            {"keys", keys_section()},
            {"pairs", pairs_section(preset)},
            {"real", {{"cases", real_cases_}, {"met", real_}}}};
}

std::string Coverage::text(const Json& coverage) {
    const Json& real = coverage.at("real");
    std::string text =
        fmt::format("{} cases, {} values and {} workloads redrawn\n", coverage.at("cases").dump(),
                    coverage.at("redrawn_values").dump(), coverage.at("redrawn_workloads").dump());
    text += coverage.at("cases") == real.at("cases") ? "" : small_lines(coverage);
    text += real.at("cases") == 0 ? "" : real_lines(real);
    return text + fmt::format(
                      "faults    {}\n"
                      "requests  {}\n"
                      "commands  {}; {} reads checked, {} erases\n"
                      "compared  no sector in {} cases\n",
                      listed(coverage.at("faults")), listed(coverage.at("commands")),
                      listed(coverage.at("endings")), coverage.at("reads_checked").dump(),
                      coverage.at("erases").dump(), coverage.at("not_compared").dump());
}

}  // namespace solidtlm::testbench
