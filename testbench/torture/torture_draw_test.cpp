// SPDX-License-Identifier: Apache-2.0
//
// Draws depend on the seed alone, are always legal, and over all seeds cover everything that can be drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "platform/configuration_keys.h"
#include "testbench/sim/load/pattern.h"
#include "testbench/sim/load/workload_keys.h"
#include "testbench/torture/coverage.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/draw_rules.h"
#include "testbench/torture/draw_steps.h"
#include "testbench/torture/draws.h"
#include "testbench/torture/load.h"

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

/// The values of the key below `value` that the case could have.
std::uint64_t smaller_values(const TortureCase& torture, const std::string& key, std::uint64_t value) {
    std::uint64_t legal_values = 0;
    for (std::uint64_t smaller = 1; smaller < value; ++smaller) {
        TortureCase changed = torture;
        give(changed.settings, {key + "=" + std::to_string(smaller)});
        legal_values += legal(changed) ? 1 : 0;
    }
    return legal_values;
}

// A size has its smallest legal value in one case of eight, and the next one in as many; and by chance from
// its whole range. Sizes that are drawn later may change what is legal. The largest capacity leaves no room
// for cuts.
TEST(Draw, PutsSizesAtTheEdgesOfWhatIsLegal) {
    int smallest = 0;
    int next = 0;
    int full = 0;
    for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
        const DrawnCase each = drawn(seed);
        const platform::Configuration c = configuration_of(each.torture.preset, each.torture.settings);
        const std::uint64_t smaller =
            smaller_values(each.torture, "nand.geometry.pages", c.nand.geometry.pages);
        smallest += smaller == 0 ? 1 : 0;
        next += smaller == 1 ? 1 : 0;
        full += each.full ? 1 : 0;
        EXPECT_TRUE(!each.full || each.torture.cuts.empty());
    }
    // Of 300, 37 on average with a standard deviation of 6. Full ones: 0.8 of the three tenths that
    // deduplicate, and 0.35 of the others without paired pages, seven tenths of these; at most 123 and 9:
    // some do not fit.
    EXPECT_GE(smallest, 20);
    EXPECT_GE(next, 20);
    EXPECT_GE(full, 62);
    EXPECT_LE(full, 150);
}

TEST(Draw, SavesDrivesInChains) {
    std::set<std::string> ends;
    std::size_t longest = 0;
    bool rewrites = false;
    for (std::uint64_t seed = 1; seed <= 2 * kDraws; ++seed) {
        const TortureCase torture = drawn(seed).torture;
        ends.insert(torture.sessions.begin(), torture.sessions.end());
        longest = std::max(longest, torture.sessions.size());
        rewrites |= prepare(torture).load.rewrites > 0;
    }
    EXPECT_EQ(ends,
              (std::set<std::string>{"clean", "clean timed", "cut", "cut timed", "sleep", "sleep timed"}));
    EXPECT_EQ(longest, 4U);
    EXPECT_TRUE(rewrites);
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

/// The case of a seed in which `without`, if it is not empty, is not drawn.
DrawnCase drawn_without(std::uint64_t seed, const std::string& without) {
    // A case with a pinned setting has no focus.
    return draw_case(seed, "tiny", {"nand.ecc.encode_latency=\"1us\""}, without);
}

/// Removes the key from the case's settings. True: it was there.
bool take_out(const std::string& key, DrawnCase& drawn) {
    return std::erase_if(drawn.torture.settings,
                         [&key](const std::string& each) { return key_of(each) == key; }) > 0;
}

// No rule connects these keys with others.
TEST(Draw, AKeyDoesNotChangeWhatElseIsDrawn) {
    for (const std::string key : {"core.frequency_mhz", "firmware.gc.policy", "nand.planes.read",
                                  "nvme.queues", "firmware.slc_cache.copy_back", "run_ahead"}) {
        std::size_t having = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            DrawnCase with = drawn_without(seed, "");
            const DrawnCase without = drawn_without(seed, key);
            having += take_out(key, with) ? 1 : 0;
            EXPECT_EQ(to_toml(with.torture, ""), to_toml(without.torture, "")) << key << ", seed " << seed;
        }
        EXPECT_GT(having, 0U) << key;
        EXPECT_LT(having, 40U) << key;
    }
}

// Rules connect these keys with others, which may be redrawn where such a key is drawn. Elsewhere it does not
// count.
TEST(Draw, AKeyThatIsNotDrawnChangesNothing) {
    std::size_t compared = 0;
    for (const std::string key : {"nand.ecc.codeword_size", "firmware.dedup.system", "firmware.trim.persist",
                                  "nand.geometry.channels", "firmware.read_segment"}) {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const DrawnCase with = drawn_without(seed, "");
            const DrawnCase without = drawn_without(seed, key);
            if (!with.keys.contains(key)) {
                ++compared;
                EXPECT_EQ(to_toml(with.torture, ""), to_toml(without.torture, ""))
                    << key << ", seed " << seed;
                EXPECT_EQ(with.redrawn, without.redrawn) << key << ", seed " << seed;
            }
        }
    }
    EXPECT_GT(compared, 80U);
}

TEST(Draw, AFurtherElementChangesOnlyPicksOfIt) {
    const std::vector<std::string_view> few{"a", "b", "c"};
    const std::vector<std::string_view> more{"a", "new", "b", "c"};
    std::map<std::string_view, int> picked;
    constexpr std::uint64_t kSeeds = 4'000;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const std::string_view now = Draws(seed).pick_by_name("x", more);
        ++picked[now];
        if (now != "new") {
            EXPECT_EQ(now, Draws(seed).pick_by_name("x", few)) << seed;
        }
    }
    for (const std::string_view each : more) {
        // 1000 on average with a standard deviation of 27
        EXPECT_NEAR(picked[each], 1000, 110) << each;
    }
}

TEST(Draws, AreDistributedAsTheySay) {
    constexpr std::uint64_t kSeeds = 10'000;
    std::array<int, 5> below{};
    int happened = 0;
    int both = 0;
    double waited = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Draws draws(seed);
        ++below.at(draws.below("number", below.size()));
        happened += draws.chance("first", 0.3) ? 1 : 0;
        both += draws.chance("first", 0.3) && draws.in("part").nth(seed % 3).chance("first", 0.3) ? 1 : 0;
        waited += draws.waiting_time("time");
    }
    // four standard deviations: sqrt(n p (1 - p)), and sqrt(n) for the exponential distribution
    for (const int each : below) {
        EXPECT_NEAR(each, 2'000, 160);
    }
    EXPECT_NEAR(happened, 3'000, 184);
    EXPECT_NEAR(both, 900, 115);
    EXPECT_NEAR(waited, 10'000, 400);
    EXPECT_FALSE(Draws(1).chance("never", 0));
    EXPECT_TRUE(Draws(1).chance("always", 1));
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
