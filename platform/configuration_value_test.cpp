// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_values.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using hal::Ps;
using namespace std::chrono_literals;

TEST(Duration, IsReadExactlyInEveryUnit) {
    EXPECT_EQ(parse_duration("50us"), Ps{50us});
    EXPECT_EQ(parse_duration("3.5ms"), Ps{3500us});
    EXPECT_EQ(parse_duration("13.75 ns"), Ps{13'750});
    EXPECT_EQ(parse_duration("17.5ns"), Ps{17'500});
    EXPECT_EQ(parse_duration("0.001ns"), Ps{1});
    EXPECT_EQ(parse_duration(" 7ps "), Ps{7});
    EXPECT_EQ(parse_duration("1.500000000000s"), Ps{1500ms});
    EXPECT_EQ(parse_duration("9223372s"), Ps{9'223'372s});
}

TEST(Duration, RefusesWhatIsNotAWholeNumberOfPicosecondsOrTooLarge) {
    for (const char* text : {"",      "us",       "50",       "0",
                             "-1us",  "+1us",     "1e3us",    "1.us",
                             ".5us",  "1.2.3us",  "50 u s",   "50usx",
                             "0.5ps", "1.0001ns", "9223373s", "99999999999999999999ps",
                             "nan",   "inf s",    "5 0us",    "0.000000000000000000001s",
                             "1,5us"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
}

TEST(Duration, IsPrintedShortAndExact) {
    EXPECT_EQ(format_duration(Ps{0}), "0s");
    EXPECT_EQ(format_duration(Ps{13'750}), "13.75ns");
    EXPECT_EQ(format_duration(Ps{3500us}), "3.5ms");
    EXPECT_EQ(format_duration(Ps{1'000'001}), "1.000001us");
    EXPECT_EQ(format_duration(Ps{999}), "999ps");
    EXPECT_EQ(format_duration(Ps{2s}), "2s");
}

TEST(Size, IsReadInPowersOfTenAndOfTwo) {
    EXPECT_EQ(parse_size("4096"), 4096U);
    EXPECT_EQ(parse_size("16MiB"), 16ULL * 1024 * 1024);
    EXPECT_EQ(parse_size("64 GiB"), 64ULL * 1024 * 1024 * 1024);
    EXPECT_EQ(parse_size("400GB"), 400'000'000'000ULL);
    EXPECT_EQ(parse_size("1.5KiB"), 1536U);
    EXPECT_EQ(parse_size("0.5KB"), 500U);
    EXPECT_EQ(parse_size("2TB"), 2'000'000'000'000ULL);
    EXPECT_EQ(parse_size("12B"), 12U);
    for (const char* text : {"", "MiB", "-1", "16mib", "16M", "1.5", "0.3KiB", "8388608TiB",
                             "99999999999999999999", "1e6", "0x10"}) {
        EXPECT_FALSE(parse_size(text)) << text;
    }
}

TEST(Size, IsPrintedShortAndExact) {
    EXPECT_EQ(format_size(16U << 20), "16MiB");
    EXPECT_EQ(format_size(40'000'000'000), "40GB");
    EXPECT_EQ(format_size(1872), "1872");
    EXPECT_EQ(format_size(131'072), "128KiB");
    EXPECT_EQ(format_size(0), "0");
}

TEST(Size, AndDurationSurvivePrintingForRandomValues) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t value = random() >> (1 + random() % 63);
        EXPECT_EQ(parse_size(format_size(value)), value);
        EXPECT_EQ(parse_duration(format_duration(Ps{static_cast<std::int64_t>(value)})),
                  Ps{static_cast<std::int64_t>(value)});
    }
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

TEST(Nearest, FindsAKeyInTheWrongTable) {
    EXPECT_EQ(nearest_key("channels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("nand.channels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("nand.geometry.chanels"), "nand.geometry.channels");
    EXPECT_EQ(nearest_key("gc.foreground_treshold"), "firmware.gc.foreground_threshold");
    EXPECT_EQ(nearest_key("nand.geomtry", true), "nand.geometry");
    EXPECT_EQ(nearest_key("zzzzzzzzzz"), std::nullopt);
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
            for (const Choice& choice : std::get<ChoiceField>(key.field).values) {
                candidates.emplace_back(choice.name);
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
