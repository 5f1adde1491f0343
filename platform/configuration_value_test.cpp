// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "platform/configuration_test_support.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

using hal::Ps;

TEST(Nearest, EditDistanceOfKnownPairs) {
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Nearest, CountsInsertionsDeletionsReplacementsAndSwaps) {
    const std::vector<std::string> names{"agrawal", "default", "enterprise", "jasmine", "tiny"};
    EXPECT_EQ(nearest("agrwaal", names), "agrawal");
    EXPECT_EQ(nearest("defualt", names), "default");
    EXPECT_EQ(nearest("jasmin", names), "jasmine");
    EXPECT_EQ(nearest("tinyy", names), "tiny");
    EXPECT_EQ(nearest("xyz", names), std::nullopt);
    EXPECT_EQ(nearest("", names), std::nullopt);
    EXPECT_EQ(nearest(std::string(100'000, 'a'), names), std::nullopt);
}

TEST(Nearest, IsTheFirstNameWithTheFewestEdits) {
    std::mt19937 random(1);
    const auto word = [&random](std::size_t longest) {
        std::string letters(random() % (longest + 1), ' ');
        std::ranges::generate(letters, [&random] { return static_cast<char>('\xFE' + random() % 4); });
        return letters;
    };
    std::size_t found = 0;
    for (int round = 0; round < 2000; ++round) {
        Names names(5);
        std::ranges::generate(names, [&word] { return word(9); });
        const std::string written = word(12);
        const auto edits = [&written](const std::string& name) { return edit_distance(written, name); };
        const auto best = std::ranges::min_element(names, {}, edits);
        const bool near = edits(*best) <= std::max<std::size_t>(2, written.size() / 3);
        EXPECT_EQ(nearest(written, names), near ? std::optional(*best) : std::nullopt) << written;
        found += near ? 1 : 0;
    }
    EXPECT_GT(found, 200U);
    EXPECT_LT(found, 1800U);
}

TEST(Nearest, FindsAKeyInTheWrongTable) {
    EXPECT_EQ(nearest_key("channels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("nand.channels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("nand.geometry.chanels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("gc.foreground_treshold"), "firmware.gc.foreground_threshold");
    EXPECT_EQ(nearest_key("nand.geomtry", true), "nand.geometry");
    EXPECT_EQ(nearest_key("zzzzzzzzzz"), std::nullopt);
}

std::optional<std::string> set(std::string_view key, std::string_view text, Configuration& configuration) {
    return assign(*find_key(key), plain(text), configuration);
}

// Sizes and times have one syntax (platform/units.h), in keys as well as in workloads.
TEST(Keys, TakeEverySpellingOfASize) {
    for (const char* text : {"4k", "4K", "4kib", "4KiB", "4 KiB", "4096", "4096B", "'4k'", "0.004M"}) {
        Configuration configuration;
        if (std::string_view(text) == "0.004M") {
            EXPECT_NE(set("firmware.unit", text, configuration), std::nullopt) << "4194.304 bytes";
            continue;
        }
        configuration.firmware.unit_bytes = 0;
        EXPECT_EQ(set("firmware.unit", text, configuration), std::nullopt) << text;
        EXPECT_EQ(configuration.firmware.unit_bytes, 4096U) << text;
    }
    Configuration configuration;
    const std::string allowed = "; allowed: " + find_key("firmware.unit")->allowed();
    EXPECT_EQ(set("firmware.unit", "4kk", configuration), "found 4kk" + allowed);
    EXPECT_EQ(set("firmware.unit", "8388608TiB", configuration), "found 8388608TiB" + allowed) << "2^63";
    EXPECT_EQ(set("firmware.unit", "16777215TiB", configuration), "found 16777215TiB" + allowed)
        << "2^64 - 2^40";
}

TEST(Keys, TakeEverySpellingOfACount) {
    for (const char* text : {"2000", "2k", "2K", "2 k", "0.002M"}) {
        Configuration configuration;
        EXPECT_EQ(set("nand.geometry.blocks", text, configuration), std::nullopt) << text;
        EXPECT_EQ(configuration.nand.geometry.blocks, 2000U) << text;
    }
}

TEST(Keys, TakeEverySpellingOfADuration) {
    for (const char* text : {"1.5us", "1500ns", "1.5 US", "1500000ps", ".0015ms"}) {
        Configuration configuration;
        EXPECT_EQ(set("nand.timing.plane_busy", text, configuration), std::nullopt) << text;
        EXPECT_EQ(configuration.nand.timing.plane_busy, Ps{1'500'000}) << text;
    }
}

TEST(Keys, EachHasANameADocumentationAndADefaultThatIsAllowed) {
    Configuration configuration;
    std::set<std::string_view> names;
    for (const ConfigurationKey& key : keys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name << " twice";
        EXPECT_GT(key.doc.size(), 2U) << key.name;
        EXPECT_EQ(key.doc.back(), '.') << key.name;
        EXPECT_FALSE(is_group(key.name)) << key.name;
        EXPECT_FALSE(key.allowed().empty()) << key.name;
        if (key.name != "ssd.capacity") {  // its value 0 means that it is not configured
            Configuration copy;
            const std::string literal = toml_literal(key, configuration);
            EXPECT_EQ(assign(key, plain(literal), copy), std::nullopt) << key.name;
        }
    }
}

/// A text for the key whose value differs from `current`: a name, a limit, or another value.
std::string another_value(const ConfigurationKey& key, const std::string& current) {
    std::vector<std::string> candidates = key.names;
    if (key.limits) {
        candidates.insert(candidates.end(), {key.limits->low, key.limits->high});
    }
    candidates.insert(candidates.end(),
                      {"true", "false", current + "5", "1.25", "0.125", "die 0/0 dies at 20ms", "16"});
    for (const std::string& candidate : candidates) {
        Configuration copy;
        if (!assign(key, plain(candidate), copy) && toml_literal(key, copy) != current) {
            return candidate;
        }
    }
    return {};
}

TEST(Keys, SettingAKeyChangesNoOtherKey) {
    for (const ConfigurationKey& key : keys()) {
        const Configuration before;
        const std::string text = another_value(key, toml_literal(key, before));
        ASSERT_FALSE(text.empty()) << key.name;
        Configuration after;
        ASSERT_EQ(assign(key, plain(text), after), std::nullopt) << key.name;
        for (const ConfigurationKey& other : keys()) {
            EXPECT_EQ(toml_literal(other, before) == toml_literal(other, after), key.name != other.name)
                << other.name << " after setting " << key.name;
        }
        Configuration again;
        ASSERT_EQ(assign(key, plain(toml_literal(key, after)), again), std::nullopt) << key.name;
        EXPECT_EQ(toml_literal(key, again), toml_literal(key, after)) << "the literal reads back";
    }
}

}  // namespace
}  // namespace solidtlm::platform
