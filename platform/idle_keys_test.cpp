// SPDX-License-Identifier: Apache-2.0
//
// A key that the user sets and that has no effect is a mistake. testbench/sim/idle_keys_drive_test.cpp
// shows that the keys of the table really have none.
#include "platform/idle_keys.h"

#include <gtest/gtest.h>

#include "platform/configuration_test_support.h"
#include "platform/idle_keys_test_support.h"

namespace solidtlm::platform {
namespace {

using Texts = std::vector<std::string>;

TEST(IdleKeys, OfEveryRuleAreAcceptedIfTheyActAndRefusedOtherwise) {
    ASSERT_EQ(idle_cases().size(), idle_rules().size());
    for (std::size_t i = 0; i < idle_rules().size(); ++i) {
        const IdleRule& rule = idle_rules()[i];
        const IdleCase& of_rule = idle_cases()[i];
        EXPECT_TRUE(rule.acts(idle_key_drive(of_rule.acting, false))) << rule.why();
        EXPECT_FALSE(rule.acts(idle_key_drive(of_rule.idle, false))) << rule.why();
        EXPECT_FALSE(keys_of(rule).empty()) << rule.why();
        for (const ConfigurationKey* key : keys_of(rule)) {
            const std::string setting = other_setting(*key, of_rule.acting);
            ASSERT_NE(setting, "") << key->name;
            EXPECT_NE(to_toml(idle_key_drive(with_setting(of_rule.acting, setting), false)),
                      to_toml(idle_key_drive(of_rule.acting, false)))
                << setting;
            const Texts refused =
                issues_of([&] { (void)idle_key_drive(with_setting(of_rule.idle, setting), false); });
            ASSERT_EQ(refused.size(), 1U) << setting << " " << rule.why();
            EXPECT_TRUE(refused[0].starts_with("--set: " + std::string(key->name) + ": does nothing with " +
                                               std::string(rule.because()[0]) + "="))
                << refused[0];
            EXPECT_TRUE(refused[0].ends_with(" (" + std::string(rule.why()) + "); leave it out"))
                << refused[0];
        }
    }
}

TEST(IdleKeys, AreNamedWhereTheyAreSetWithWhatDecides) {
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\n[firmware]\ntranslation = \"fast\"\n[firmware.gc]\n"
                  "policy = \"fifo\"\n"),
        Texts{"my.toml:5: firmware.gc.policy: does nothing with firmware.translation=fast (only page_map "
              "collects; the others merge); leave it out"});
    EXPECT_EQ(issues_in("preset = \"tiny\"\nfirmware.gc.policy = \"fifo\"\n", {"firmware.translation=fast"}),
              Texts{"my.toml:2: firmware.gc.policy: does nothing with firmware.translation=fast (only "
                    "page_map collects; the others merge); leave it out"})
        << "whichever was set last";
    EXPECT_EQ(issues_with({"nand.controller.max_suspends=2"}),
              Texts{"--set: nand.controller.max_suspends: does nothing with "
                    "nand.controller.suspend_program=false and nand.controller.suspend_erase=false (nothing "
                    "is suspended); leave it out"});
    EXPECT_EQ(issues_with({"host.ahci.dma_access=1us", "nand.ecc.retry_factor=0.5"}).size(), 2U)
        << "all at once";
}

TEST(IdleKeys, UnchangedKeysAreNoMistakes) {
    EXPECT_EQ(issues_in("preset = \"agrawal\"\n", {"firmware.translation=fast"}), Texts{})
        << "the preset says firmware.gc.background_threshold";
    EXPECT_EQ(issues_in("preset = \"agrawal\"\nfirmware.gc.background_threshold = 103\n",
                        {"firmware.translation=fast"}),
              Texts{})
        << "as the preset says";
    EXPECT_EQ(issues_in("preset = \"agrawal\"\nfirmware.gc.background_threshold = 3\n",
                        {"firmware.translation=fast"}),
              Texts{})
        << "the built-in value";
    EXPECT_EQ(issues_in("preset = \"tiny\"\nfirmware.gc.copy_back = false\n",
                        {"firmware.reliability.reclaim_bits=8"}),
              Texts{})
        << "switched off";
    ConfigurationSources sources;
    sources.defaults = "preset = \"tiny\"\nfirmware.gc.policy = \"fifo\"\n";
    sources.settings = {"firmware.translation=fast"};
    EXPECT_EQ(load_configuration(sources).firmware.gc.policy, "fifo") << "of the executable";
    EXPECT_EQ(issues_with({"firmware.translation=fast", "firmware.gc.copy_back=true"}), Texts{})
        << "merges copy, too";
}

TEST(IdleKeys, TheEffectiveConfigurationLoadsAgain) {
    for (const char* preset : {"agrawal", "jasmine", "study_b", "study_c", "tiny"}) {
        const Configuration c =
            parse_configuration("preset = \"" + std::string(preset) + "\"\n", "my.toml",
                                {"firmware.translation=fast", "ssd.over_provisioning=0.5"});
        EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c)) << preset;
    }
}

TEST(IdleKeys, AreNotJudgedByAKeyThatCannotBeRead) {
    const Texts texts = issues_with({"firmware.gc.policy=fifo", "firmware.translation=fasst"});
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_TRUE(texts[0].starts_with("--set: firmware.translation: found fasst")) << texts[0];
}

TEST(IdleKeys, OfASweepOrOfTheBaseOfAVariantAreNoMistakes) {
    ConfigurationSources sources;
    sources.preset = "tiny";
    sources.settings = {"firmware.map_cache.size=8KiB"};
    EXPECT_EQ(issues_of([&] { (void)load_configuration(sources); }).size(), 1U);
    sources.varied = true;
    const Configuration sweep = load_configuration(sources);
    EXPECT_EQ(variant_of(sweep, {"firmware.map_cache.policy=dftl"}).firmware.map_cache.size_bytes, 8192U);
    EXPECT_EQ(variant_of(sweep, {"firmware.map_cache.tafp_bytes=8"}).firmware.map_cache.tafp_bytes, 8U);
    sources.varied = false;
    sources.variant_of = &sweep;
    EXPECT_EQ(load_configuration(sources).firmware.map_cache.size_bytes, 8192U);
    sources.settings.emplace_back("firmware.map_cache.tafp_bytes=8");
    EXPECT_EQ(issues_of([&] { (void)load_configuration(sources); }).size(), 1U) << "its own mistake";
}

}  // namespace
}  // namespace solidtlm::platform
