// SPDX-License-Identifier: Apache-2.0
//
// Draws depend on the seed alone, are always legal, and over all seeds cover everything that can be drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/configuration_keys.h"
#include "testbench/torture/coverage.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/draw_rules.h"
#include "testbench/torture/load.h"
#include "testbench/workload/pattern.h"
#include "testbench/workload/workload_keys.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kDraws = 300;

DrawnCase drawn(std::uint64_t seed) {
    return draw_case(seed, "tiny", {});
}

TEST(Draw, IsTheSameFromTheSameSeed) {
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_EQ(drawn(seed).torture, drawn(seed).torture);
        texts.insert(to_toml(drawn(seed).torture, ""));
    }
    EXPECT_EQ(texts.size(), 20U);
}

// A case is legal, or prepare() throws. A choice that one case in a hundred has is missed by all 300 cases
// with a probability of 0.99^300 = 5 %; seeds are fixed, and every choice is in fact more frequent.
TEST(Draw, EveryCaseIsLegalAndEveryChoiceIsMet) {
    std::map<std::string, std::set<std::string>> met;
    std::set<std::string> workloads;
    for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
        const DrawnCase each = drawn(seed);
        const PreparedCase prepared = prepare(each.torture);
        for (const platform::ConfigurationKey& key : platform::keys()) {
            met[std::string(key.name)].insert(key.get(prepared.run.configuration));
        }
        workloads.insert(each.torture.workload.front());
    }
    for (const ChoiceKey& choice : choice_keys()) {
        const std::string name(platform::keys()[choice.index].name);
        EXPECT_EQ(met[name].size(), choice.values.size()) << name;
    }
    // A key is either drawn, or a rule says why not.
    for (const platform::ConfigurationKey& key : platform::keys()) {
        const DrawRule* rule = rule_of(configuration_rules(), key.name);
        const bool excluded = rule != nullptr && !rule->not_drawn.empty() && !rule->in_focus;
        EXPECT_EQ(met[std::string(key.name)].size() > 1, !excluded) << key.name;
    }
    EXPECT_TRUE(workloads.contains("mix"));
}

// Events that are rare between cuts of other kinds occur where all cuts are of one kind. Fault scripts are
// not only those that the rules list.
TEST(Draw, SomeCasesRepeatOneKindOfCut) {
    std::set<std::string> kinds;
    std::set<std::string> scripts;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const TortureCase torture = drawn(seed).torture;
        std::set<std::string> met;
        for (const std::string& cut : torture.cuts) {
            met.insert(cut.substr(0, cut.find(' ')));
        }
        if (torture.cuts.size() > 3 && met.size() == 1) {
            kinds.insert(*met.begin());
        }
        for (const std::string& setting : torture.settings) {
            if (setting.starts_with("faults.script=")) {
                scripts.insert(setting);
            }
        }
    }
    EXPECT_GT(kinds.size(), 9U);
    EXPECT_GT(scripts.size(), 2 * rule_of(configuration_rules(), "faults.script")->choices.size());
}

TEST(Draw, KeepsPinnedSettings) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const PreparedCase prepared =
            prepare(draw_case(seed, "tiny", {"firmware.translation=fast", "firmware.unit=8KiB"}).torture);
        EXPECT_EQ(prepared.run.configuration.firmware.translation.name, "fast");
    }
}

TEST(Draw, KeepsTheCapacityThatIsPinned) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto settings = draw_case(seed, "tiny", {"ssd.over_provisioning=0.5"}).torture.settings;
        EXPECT_NE(std::ranges::find(settings, "ssd.over_provisioning=0.5"), settings.end()) << seed;
    }
}

// A pinned setting that is illegal on its own is refused, whichever case a seed draws.
TEST(Draw, RefusesPinnedSettingsThatAreIllegal) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_THROW((void)draw_case(seed, "tiny", {"nand.geometry.dies_per_way=3"}),
                     platform::ConfigurationError);
    }
}

TEST(Draw, RefusesALargeDrive) {
    EXPECT_THROW((void)draw_case(1, "default", {}), InputError);
    EXPECT_THROW((void)draw_case(1, "tiny", {"nand.geometry.channels=0"}), platform::ConfigurationError);
}

/// Rules are for existing keys, and their choices are values that these keys allow.
template <class Keys>
void check_rules(std::span<const DrawRule> rules, const Keys& keys) {
    std::set<std::string_view> seen;
    for (const DrawRule& rule : rules) {
        EXPECT_TRUE(seen.insert(rule.key).second) << rule.key << " has two rules";
        EXPECT_TRUE(std::ranges::any_of(keys, [&](const auto& key) { return key.name == rule.key; }))
            << rule.key << " is not a key";
    }
    for (const auto& key : keys) {
        const DrawRule* rule = rule_of(rules, key.name);
        EXPECT_TRUE(platform::can_draw(key) ||
                    (rule != nullptr && (!rule->choices.empty() || !rule->not_drawn.empty())))
            << key.name << ": say in draw_rules.cpp what is drawn, or why nothing is";
    }
}

TEST(DrawRules, CoverTheTablesOfKeys) {
    check_rules(configuration_rules(), platform::keys());
    check_rules(workload_rules(), workload_keys());
    platform::Configuration configuration;
    for (const DrawRule& rule : configuration_rules()) {
        for (const std::string_view choice : rule.choices) {
            const auto* key = platform::find_key(rule.key);
            EXPECT_FALSE(platform::assign(*key, platform::plain(choice), configuration))
                << rule.key << "=" << choice;
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench
