// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_values.h"

#include <gtest/gtest.h>

#include <set>

#include "platform/configuration_test_support.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

using hal::Ps;

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

TEST(Nearest, FindsAKeyInTheWrongTable) {
    EXPECT_EQ(nearest_key("channels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("nand.channels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("nand.geometry.chanels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("gc.foreground_treshold"), "firmware.gc.foreground_threshold");
    EXPECT_EQ(nearest_key("nand.geomtry", true), "nand.geometry");
    EXPECT_EQ(nearest_key("zzzzzzzzzz"), std::nullopt);
}

std::optional<std::string> set(std::string_view key, std::string_view text, Configuration& configuration) {
    return assign(*find_key(key), raw_from_text(*find_key(key), text), configuration);
}

// One rule for sizes and times (platform/units.h): what a workload takes, a key takes.
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

TEST(Keys, TakeEverySpellingOfADuration) {
    for (const char* text : {"1.5us", "1500ns", "1.5 US", "1500000ps", ".0015ms"}) {
        Configuration configuration;
        EXPECT_EQ(set("nand.timing.cache_busy", text, configuration), std::nullopt) << text;
        EXPECT_EQ(configuration.nand.timing.cache_busy, Ps{1'500'000}) << text;
    }
}

/// The address of the key's field in `configuration`.
const void* address_of(const Key& key, Configuration& configuration) {
    return std::visit(
        [&](const auto& field) -> const void* {
            if constexpr (std::is_same_v<std::decay_t<decltype(field)>, ChoiceField>) {
                return nullptr;  // compared by effect below
            } else {
                return &field(configuration);
            }
        },
        key.field);
}

TEST(Keys, EachHasItsOwnFieldAPathADocumentationAndADefaultWithinItsLimits) {
    Configuration configuration;
    std::set<const void*> addresses;
    std::set<std::string_view> paths;
    for (const Key& key : keys()) {
        EXPECT_TRUE(paths.insert(key.path).second) << key.path << " twice";
        EXPECT_GT(key.doc.size(), 2U) << key.path;
        EXPECT_EQ(key.doc.back(), '.') << key.path;
        EXPECT_FALSE(is_group(key.path)) << key.path;
        EXPECT_FALSE(key.allowed().empty()) << key.path;
        if (const void* address = address_of(key, configuration)) {
            EXPECT_TRUE(addresses.insert(address).second) << key.path << " shares its field";
        }
        if (key.kind == ValueKind::number) {
            EXPECT_LT(key.limits.number_low, key.limits.number_high) << key.path;
        } else if (key.kind != ValueKind::boolean && key.kind != ValueKind::choice) {
            EXPECT_LE(key.limits.integer_low, key.limits.integer_high) << key.path;
        }
        if (key.path != "ssd.capacity") {  // 0 there means "not asked for"
            Configuration copy;
            const std::string literal = toml_literal(key, configuration);
            EXPECT_EQ(assign(key, raw_from_text(key, literal), copy), std::nullopt) << key.path;
        }
    }
}

/// A text for the key that differs from `current`, within the limits.
std::string another_value(const Key& key, const std::string& current) {
    std::vector<std::string> candidates;
    const auto low = key.limits.integer_low;
    const auto high = key.limits.integer_high;
    switch (key.kind) {
        case ValueKind::boolean:
            candidates = {"true", "false"};
            break;
        case ValueKind::number:
            candidates = {toml_literal(key, Configuration{}) + "5", "1.25", "0.125"};
            break;
        case ValueKind::integer:
        case ValueKind::size:
            candidates = {std::to_string(low), std::to_string(high)};
            break;
        case ValueKind::duration:
            candidates = {format_duration(Ps{low}), format_duration(Ps{high})};
            break;
        case ValueKind::duration_list:
            candidates = {format_duration(Ps{low}) + "," + format_duration(Ps{high})};
            break;
        case ValueKind::choice:
            for (const std::string_view name : std::get<ChoiceField>(key.field).names) {
                candidates.emplace_back(name);
            }
            break;
        case ValueKind::text:
            candidates = {std::string(static_cast<std::size_t>(low), 'x')};
            break;
    }
    for (const std::string& candidate : candidates) {
        Configuration copy;
        if (!assign(key, raw_from_text(key, candidate), copy) && toml_literal(key, copy) != current) {
            return candidate;
        }
    }
    return {};
}

TEST(Keys, SettingOneChangesItAndNothingElse) {
    for (const Key& key : keys()) {
        const Configuration before;
        const std::string text = another_value(key, toml_literal(key, before));
        ASSERT_FALSE(text.empty()) << key.path;
        Configuration after;
        ASSERT_EQ(assign(key, raw_from_text(key, text), after), std::nullopt) << key.path;
        for (const Key& other : keys()) {
            EXPECT_EQ(toml_literal(other, before) == toml_literal(other, after), key.path != other.path)
                << other.path << " after setting " << key.path;
        }
        Configuration again;
        ASSERT_EQ(assign(key, raw_from_text(key, toml_literal(key, after)), again), std::nullopt) << key.path;
        EXPECT_EQ(toml_literal(key, again), toml_literal(key, after)) << "the literal reads back";
    }
}

}  // namespace
}  // namespace solidtlm::platform
