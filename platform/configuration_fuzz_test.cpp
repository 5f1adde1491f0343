// SPDX-License-Identifier: Apache-2.0
//
// Random input gives either a configuration that reads back as itself, or a ConfigurationError with at least
// one issue; never anything else.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "platform/configuration.h"
#include "platform/configuration_keys.h"
#include "platform/configuration_test_support.h"
#include "platform/presets.h"

namespace solidtlm::platform {
namespace {

constexpr std::array<std::string_view, 40> kValues{
    "0",          "1",       "2",          "3",
    "4",          "7",       "8",          "31",
    "64",         "512",     "4096",       "16384",
    "65535",      "65536",   "-1",         "9223372036854775807",
    "1e300",      "-1e-300", "nan",        "inf",
    "0.5",        "true",    "false",      "\"50us\"",
    "\"0s\"",     "\"10s\"", "\"1ps\"",    "\"16MiB\"",
    "\"1TiB\"",   "\"\"",    "\"PCWD\"",   "\"tags\"",
    "[\"1us\"]",  "[]",      "[1, [2]]",   "{ a = 1 }",
    "1979-05-27", "\"sdr\"", "\"greedy\"", "\"\\u0000\""};

/// True if `toml` was accepted. Checks the configuration or the error.
bool accepted(const std::string& toml, const std::vector<std::string>& settings) {
    try {
        const Configuration c = parse_configuration(toml, "fuzz.toml", settings);
        EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "dump.toml")), to_toml(c)) << toml;
        EXPECT_GT(c.exported_bytes(), 0U);
        EXPECT_LE(c.exported_bytes(), c.raw_bytes());
        return true;
    } catch (const ConfigurationError& error) {
        EXPECT_FALSE(error.issues().empty());
        return false;
    }
}

/// As plausible_value(), also for keys with free text; combinations may still be impossible.
std::string plausible(const ConfigurationKey& key, std::mt19937_64& random) {
    if (!can_draw(key)) {
        return random() % 2 == 0 ? "\"WDCP\"" : "\"abc\"";
    }
    return plausible_value(key, random);
}

TEST(ConfigurationFuzz, RandomValuesForRandomKeys) {
    std::mt19937_64 random(2026);
    const auto pick = [&](const auto& list) -> const auto& {
        return list[random() % std::size(list)];
    };
    int good = 0;
    int bad = 0;
    for (int round = 0; round < 2'000; ++round) {
        std::string toml = round % 2 == 0 ? "preset = \"tiny\"\n" : "";
        std::vector<std::string> settings;
        const std::size_t count = 1 + random() % 4;
        for (std::size_t i = 0; i < count; ++i) {
            const ConfigurationKey& key = pick(keys());
            const std::string line =
                std::string(key.name) + " = " +
                (random() % 4 == 0 ? std::string(pick(kValues)) : plausible(key, random));
            if (random() % 2 == 0) {
                settings.push_back(line);
            } else {
                toml += line + "\n";
            }
        }
        (accepted(toml, settings) ? good : bad) += 1;
    }
    EXPECT_GT(good, 300) << "the test must reach both outcomes";
    EXPECT_GT(bad, 300);
}

/// A preset by itself has no mistake: every issue follows from the keys set on top of it, and must name one
/// of them.
void expect_blame(const Preset& preset, const std::vector<const ConfigurationKey*>& set,
                  std::mt19937_64& random, int& bad) {
    ConfigurationSources sources{std::string(preset.name)};
    for (const ConfigurationKey* key : set) {
        sources.settings.push_back(std::string(key->name) + "=" + plausible(*key, random));
    }
    try {
        (void)load_configuration(sources);
    } catch (const ConfigurationError& error) {
        ++bad;
        for (const ConfigurationIssue& issue : error.issues()) {
            const bool blamed =
                issue.source == "--set" &&
                std::ranges::any_of(set, [&issue](const auto* key) { return key->name == issue.key; });
            EXPECT_TRUE(blamed) << "preset " << preset.name << ", "
                                << ::testing::PrintToString(sources.settings) << ": " << issue.text();
        }
    }
}

TEST(ConfigurationFuzz, AMistakeIsReportedAtTheKeyThatTheUserHasSet) {
    constexpr int kDraws = 8;
    std::mt19937_64 random(33);
    int bad = 0;
    for (const Preset& preset : presets()) {
        for (const ConfigurationKey& key : keys()) {
            for (int draw = 0; draw < kDraws; ++draw) {
                expect_blame(preset, {&key}, random, bad);
                expect_blame(preset, {&key, &keys()[random() % keys().size()]}, random, bad);
            }
        }
    }
    EXPECT_GT(bad, 1000) << "the test must meet mistakes";
}

TEST(ConfigurationFuzz, PresetsWithRandomBytesChanged) {
    std::mt19937_64 random(7);
    int good = 0;
    int bad = 0;
    for (int round = 0; round < 600; ++round) {
        std::string toml(presets()[random() % presets().size()].toml);
        const std::size_t changes = 1 + random() % 4;
        for (std::size_t i = 0; i < changes; ++i) {
            const std::size_t at = random() % toml.size();
            switch (random() % 4) {
                case 0:
                    toml[at] = static_cast<char>(random());
                    break;
                case 1:
                    toml.erase(at, random() % 8);
                    break;
                case 2:
                    toml.insert(at, 1, "0123456789.=[]\"#\n"[random() % 17]);
                    break;
                default:
                    std::swap(toml[at], toml[random() % toml.size()]);
            }
        }
        (accepted(toml, {}) ? good : bad) += 1;
    }
    EXPECT_GT(good, 50) << "the test must reach both outcomes";
    EXPECT_GT(bad, 200);
}

TEST(ConfigurationFuzz, SettingsOfRandomBytes) {
    std::mt19937_64 random(99);
    for (int round = 0; round < 500; ++round) {
        std::string setting;
        if (random() % 2 == 0) {
            setting = std::string(keys()[random() % keys().size()].name) + "=";
        }
        for (std::size_t i = random() % 40; i > 0; --i) {
            setting += static_cast<char>(random());
        }
        (void)accepted("", {setting});
    }
    EXPECT_FALSE(accepted("", {std::string(1'000'000, '.') + "=1"}));
    EXPECT_FALSE(accepted(std::string(2'000, '['), {}));
}

}  // namespace
}  // namespace solidtlm::platform
