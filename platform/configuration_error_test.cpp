// SPDX-License-Identifier: Apache-2.0
//
// Every kind of mistake: exact source, line, key and text.
#include <gtest/gtest.h>

#include "platform/configuration.h"
#include "platform/configuration_keys.h"
#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using Texts = std::vector<std::string>;

TEST(ConfigurationErrors, UnknownKeyNamesTheNearestOne) {
    EXPECT_EQ(issues_in("\n[nand.geometry]\nchanels = 4\n"),
              Texts{"my.toml:3: nand.geometry.chanels: unknown key; did you mean nand.geometry.channels?"});
    EXPECT_EQ(issues_in("channels = 4"),
              Texts{"my.toml:1: channels: unknown key; did you mean nand.geometry.channels?"});
    EXPECT_EQ(issues_in("qqqqqqqqqq = 4"), Texts{"my.toml:1: qqqqqqqqqq: unknown key"});
}

TEST(ConfigurationErrors, AKeyThatWasRenamedNamesTheNewOne) {
    EXPECT_EQ(issues_in("[firmware.dedup]\nidle_threshold = \"1ms\"\n"),
              Texts{"my.toml:2: firmware.dedup.idle_threshold: unknown key; did you mean "
                    "firmware.idle_threshold?"});
}

TEST(ConfigurationErrors, WhatWasRetiredSaysSo) {
    EXPECT_EQ(issues_in("closed_forms = false\n"),
              Texts{"my.toml:1: closed_forms: unknown key; it was retired after version 0.2.0"});
    EXPECT_EQ(issues_in("[firmware.block_map]\nassociativity = 2\n"),
              Texts{"my.toml:2: firmware.block_map.associativity: unknown key; it was retired after version "
                    "0.2.0"});
    EXPECT_EQ(issues_in("nand.programming = \"two_pass\"\n"),
              Texts{"my.toml:1: nand.programming: found \"two_pass\"; allowed: one of page, one_shot; it was "
                    "retired before a release had it"});
}

TEST(ConfigurationErrors, UnknownTableIsReportedOnceWithTheNearestOne) {
    EXPECT_EQ(issues_in("[nand.geomtry]\nchannels = 4\ndies = 2\n"),
              Texts{"my.toml:1: nand.geomtry: unknown table; did you mean nand.geometry?"});
}

TEST(ConfigurationErrors, WrongTypeSaysWhatWasFoundAndWhatIsAllowed) {
    EXPECT_EQ(issues_in("[nand.geometry]\nchannels = \"eight\"\n"),
              Texts{"my.toml:2: nand.geometry.channels: found \"eight\"; allowed: integer from 1 to 64"});
    EXPECT_EQ(issues_in("[nand.geometry]\nchannels = 8.0\n"),
              Texts{"my.toml:2: nand.geometry.channels: found 8 (a floating-point number); allowed: integer "
                    "from 1 to 64"});
    EXPECT_EQ(issues_in("nand.rules.sequential_pages = 1"),
              Texts{"my.toml:1: nand.rules.sequential_pages: found 1; allowed: true or false"});
    EXPECT_EQ(
        issues_in("nand.timing.erase = 3500000"),
        Texts{"my.toml:1: nand.timing.erase: found 3500000; allowed: duration from 1ps to 10s, a string "
              "with unit such as \"50us\""});
    EXPECT_EQ(
        issues_in("nand.timing.read = [50, 75]"),
        Texts{
            "my.toml:1: nand.timing.read: found an array with elements that are not strings; allowed: 1 to 4 "
            "durations from 1ps to 100ms, such as [\"50us\", \"75us\"]"});
    EXPECT_EQ(issues_in("nand.timing.read = [\"50us,75us\"]").size(), 1U) << "one duration an element";
    EXPECT_EQ(issues_in("seed = 1979-05-27"),
              Texts{"my.toml:1: seed: found a date or time; allowed: integer from 0 to 9223372036854775807"});
    EXPECT_EQ(issues_in("sata.generation = 3"),
              Texts{"my.toml:1: sata.generation: found 3; allowed: one of gen1, gen2, gen3, ideal"});
    EXPECT_EQ(
        issues_in("content = \"Tags\""),
        Texts{"my.toml:1: content: found \"Tags\"; allowed: one of none, tags, bytes; did you mean tags?"});
    EXPECT_EQ(
        issues_in("dram.size = true"),
        Texts{"my.toml:1: dram.size: found true; allowed: size from 4KiB to 1TiB, bytes or a string such "
              "as \"16MiB\""});
}

TEST(ConfigurationErrors, ImpossibleValuesNameTheRange) {
    EXPECT_EQ(issues_in("nand.geometry.channels = 0"),
              Texts{"my.toml:1: nand.geometry.channels: found 0; allowed: integer from 1 to 64"});
    EXPECT_EQ(issues_in("nand.geometry.channels = -3"),
              Texts{"my.toml:1: nand.geometry.channels: found -3; allowed: integer from 1 to 64"});
    EXPECT_EQ(issues_in("nand.geometry.channels = 4294967297"),  // 1 if cut to 32 bits
              Texts{"my.toml:1: nand.geometry.channels: found 4294967297; allowed: integer from 1 to 64"});
    EXPECT_EQ(
        issues_in("core.frequency_mhz = nan"),
        Texts{"my.toml:1: core.frequency_mhz: found nan (a floating-point number); allowed: number from "
              "1 to 10000 MHz"});
    EXPECT_EQ(
        issues_in("core.frequency_mhz = inf"),
        Texts{"my.toml:1: core.frequency_mhz: found inf (a floating-point number); allowed: number from "
              "1 to 10000 MHz"});
    EXPECT_EQ(issues_in("nand.bad_blocks.factory_fraction = 0.21"),
              Texts{"my.toml:1: nand.bad_blocks.factory_fraction: found 0.21 (a floating-point number); "
                    "allowed: number from 0 to 0.2"});
    EXPECT_EQ(issues_in("sata.queue_depth = 33"),
              Texts{"my.toml:1: sata.queue_depth: found 33; allowed: integer from 1 to 32"});
    EXPECT_EQ(
        issues_in("nand.timing.read = []"),
        Texts{"my.toml:1: nand.timing.read: found []; allowed: 1 to 4 durations from 1ps to 100ms, such as "
              "[\"50us\", \"75us\"]"});
    EXPECT_EQ(
        issues_in("nand.timing.read = [\"50us\", \"0s\"]"),
        Texts{"my.toml:1: nand.timing.read: found [\"50us\", \"0s\"]; allowed: 1 to 4 durations from 1ps to "
              "100ms, such as [\"50us\", \"75us\"]"});
    EXPECT_EQ(
        issues_in("sata.serial = \"012345678901234567890\""),
        Texts{"my.toml:1: sata.serial: found \"012345678901234567890\"; allowed: text of 1 to 20 printable "
              "ASCII characters"});
    EXPECT_EQ(issues_in("sata.model = \"\\u00e4\""),
              Texts{"my.toml:1: sata.model: found \"\xC3\xA4\"; allowed: text of 1 to 40 printable ASCII "
                    "characters"});
}

TEST(ConfigurationErrors, WrongNesting) {
    EXPECT_EQ(issues_in("nand = 5"), Texts{"my.toml:1: nand: found 5; allowed: a table, [nand]"});
    EXPECT_EQ(issues_in("[nand.geometry.channels]\nx = 1\n"),
              Texts{"my.toml:1: nand.geometry.channels: found a table; allowed: integer from 1 to 64"});
    EXPECT_EQ(issues_in("[[nand]]\nx = 1\n"),
              Texts{"my.toml:1: nand: found an array with elements that are not strings; allowed: a table, "
                    "[nand]"});
    EXPECT_EQ(issues_in("\"nand.geometry.channels\" = 4"),
              Texts{"my.toml:1: nand.geometry.channels: unknown key; did you mean nand.geometry.channels?"});
    const Texts inner_preset = issues_in("[nand]\npreset = \"tiny\"");
    ASSERT_EQ(inner_preset.size(), 1U);
    EXPECT_TRUE(inner_preset[0].starts_with("my.toml:2: nand.preset: unknown key")) << inner_preset[0];
}

TEST(ConfigurationErrors, SyntaxErrorsAndDuplicateKeysNameTheLine) {
    const Texts broken = issues_in("seed = 1\n[nand\n");
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_TRUE(broken[0].starts_with("my.toml:2: not TOML: ")) << broken[0];
    const Texts twice = issues_in("seed = 1\n\nseed = 2\n");
    ASSERT_EQ(twice.size(), 1U);
    EXPECT_TRUE(twice[0].starts_with("my.toml:3: not TOML: ")) << twice[0];
    const Texts huge = issues_in("\nseed = 99999999999999999999\n");
    ASSERT_EQ(huge.size(), 1U);
    EXPECT_TRUE(huge[0].starts_with("my.toml:2: not TOML: ")) << huge[0];
    EXPECT_EQ(issues_in(std::string("seed = \"\xFF\"")).size(), 1U) << "not UTF-8";
}

TEST(ConfigurationErrors, ValuesWithoutQuotes) {
    const auto quotes = [](const std::string& found, const std::string& allowed) {
        return Texts{"my.toml:2: not TOML: found " + found + "; allowed: text, sizes and times in quotes, " +
                     allowed};
    };
    EXPECT_EQ(issues_in("\npreset = tiny\n"), quotes("preset = tiny", "preset = \"tiny\""));
    EXPECT_EQ(issues_in("[ssd]\ncapacity=64GiB  # of data\n[sata]\n"),
              quotes("capacity = 64GiB", "capacity = \"64GiB\""));
    EXPECT_EQ(issues_in("\npreset = \"tiny\r\n"), quotes("preset = \"tiny", "preset = \"tiny\""));
    EXPECT_EQ(issues_in("[run]\nworkload = random,read=0.7"),
              quotes("workload = random,read=0.7", "workload = \"random,read=0.7\""));
    for (const char* other : {"\nseed = 04", "\nseed = 1,", "\nseed = True", "\nseed == 4", "\nseed 4",
                              "\nseed =", "\npreset = \"tiny\" \"qlc\"", "\nx = [tiny]"}) {
        const Texts issues = issues_in(other);
        ASSERT_EQ(issues.size(), 1U) << other;
        EXPECT_TRUE(issues[0].starts_with("my.toml:2: not TOML: Error while parsing")) << issues[0];
    }
}

// What people give as a configuration by mistake.
TEST(ConfigurationErrors, FilesOfOtherProgramsAreNamed) {
    const auto named = [](const std::string& text) {
        const Texts issues = issues_in(text);
        const std::string end = "; allowed: a configuration";
        const std::string begin = "my.toml: not TOML: found ";
        EXPECT_EQ(issues.size(), 1U);
        EXPECT_TRUE(issues[0].starts_with(begin) && issues[0].ends_with(end)) << issues[0];
        return issues[0].substr(begin.size(), issues[0].size() - begin.size() - end.size());
    };
    EXPECT_EQ(named("{\n  \"smartctl\": {\"version\": [7, 3]},\n  \"power_on_time\": {}\n}\n"),
              "JSON of smartctl");
    EXPECT_EQ(named("{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : []\n}\n"), "JSON of fio");
    EXPECT_EQ(named("[1, {\"a\": 2}]"), "JSON");
    EXPECT_EQ(named("<?xml version=\"1.0\"?>\n<Execution_Parameter_Set>\n"), "XML of MQSim");
    EXPECT_EQ(named("<svg/>"), "XML");
    EXPECT_EQ(named("<svg>\n</svg>\n"), "XML");
    EXPECT_EQ(named("<!DOCTYPE html>\n"), "a web page");
    EXPECT_EQ(named("#!/bin/bash\nqemu-system-x86_64 -m 4G\n"), "a script");
    EXPECT_EQ(named("; random reads\n[global]\nioengine=libaio\nbs=4k\n\n[job]\nrw=randread\n"),
              "a job file of fio");
    EXPECT_EQ(named("[job]\nrw=randread\n"), "a job file of fio");
}

TEST(ConfigurationErrors, AllAtOnceInTheOrderOfSourcesAndLines) {
    const TemporaryFolder folder;
    const auto first =
        folder.write("first.toml", "wrong = 1\n[sata]\nqueue_depth = 64\n[nand.geometry]\nchannels = 0\n");
    const auto second = folder.write("second.toml", "[dram]\nbanks = 3\nsise = \"1MiB\"\n");
    const auto third = folder.write("third.toml", "= 4\n");
    const Texts issues = issues_of([&] {
        (void)load_configuration({"", {first, second, third}, {"seed=x", "firmware.gc.policy=best"}});
    });
    ASSERT_EQ(issues.size(), 8U);
    EXPECT_TRUE(issues[0].starts_with(third.string() + ":1: not TOML: ")) << "read before all else";
    EXPECT_TRUE(issues[1].starts_with(first.string() + ":1: wrong: unknown key"));
    EXPECT_EQ(issues[2], first.string() + ":3: sata.queue_depth: found 64; allowed: integer from 1 to 32");
    EXPECT_EQ(issues[3],
              first.string() + ":5: nand.geometry.channels: found 0; allowed: integer from 1 to 64");
    EXPECT_EQ(issues[4], second.string() + ":3: dram.sise: unknown key; did you mean dram.size?");
    EXPECT_EQ(issues[5], "--set: seed: found x; allowed: integer from 0 to 9223372036854775807");
    EXPECT_EQ(issues[6],
              "--set: firmware.gc.policy: found best; allowed: " + find_key("firmware.gc.policy")->range);
    EXPECT_EQ(issues[7], second.string() + ":2: dram.banks: found 3; allowed: a power of two");
}

TEST(ConfigurationErrors, FilesThatCannotBeRead) {
    const TemporaryFolder folder;
    const std::string missing = (folder.path() / "none.toml").string();
    const auto load = [](const std::string& file) {
        return issues_of([&] { (void)load_configuration({"", {file}, {}}); });
    };
    EXPECT_EQ(load(missing), Texts{missing + ": cannot read the file: no such file"});
    EXPECT_EQ(load(folder.path().string()),
              Texts{folder.path().string() + ": cannot read the file: it is a directory"});
    EXPECT_EQ(load("/dev/zero"), Texts{"/dev/zero: cannot read the file: it is a device"});
    EXPECT_EQ(load(folder.write("empty.toml", "").string()), Texts{});
    EXPECT_EQ(load(folder.write("comment.toml", "# nothing\n").string()), Texts{});
    const auto large = folder.write("large.toml", std::string((16U << 20) + 1, '\n'));
    EXPECT_EQ(load(large.string()), Texts{large.string() + ": cannot read the file: more than 16 MiB"});
}

TEST(ConfigurationErrors, BasesInACircleOrMissing) {
    const TemporaryFolder folder;
    const auto a = folder.write("a.toml", "base = \"b.toml\"\n");
    const auto b = folder.write("b.toml", "base = \"a.toml\"\n");
    const Texts circle = issues_of([&] { (void)load_configuration({"", {a}, {}}); });
    ASSERT_EQ(circle.size(), 1U);
    EXPECT_EQ(circle[0], a.string() +
                             ":1: base: found \"b.toml\"; more than 16 files build on each other, "
                             "perhaps in a circle");
    const auto orphan = folder.write("c.toml", "base = \"none.toml\"\n");
    EXPECT_EQ(issues_of([&] {
                  (void)load_configuration({"", {orphan}, {}});
              }),
              Texts{(folder.path() / "none.toml").string() + ": cannot read the file: no such file"});
    EXPECT_EQ(issues_in("base = 4"),
              Texts{"my.toml:1: base: found 4; allowed: the name of a file, relative to this one"});
}

TEST(ConfigurationErrors, Presets) {
    const std::string names =
        "agrawal, default, enterprise, jasmine, nvme, qlc, small_block, study_b, study_c, tiny, "
        "tlc, tlc_dramless";
    EXPECT_EQ(
        issues_in("seed = 2\npreset = \"jasmin\"\n"),
        Texts{"my.toml:2: preset: unknown preset \"jasmin\"; allowed: " + names + "; did you mean jasmine?"});
    EXPECT_EQ(issues_of([] {
                  (void)load_configuration({"fast", {}, {}});
              }),
              Texts{"--preset: unknown preset \"fast\"; allowed: " + names});
    const TemporaryFolder folder;
    const auto a = folder.write("a.toml", "preset = \"tiny\"\n");
    const auto b = folder.write("b.toml", "\npreset = \"jasmine\"\n");
    EXPECT_EQ(issues_of([&] {
                  (void)load_configuration({"", {a, b}, {}});
              }),
              Texts{b.string() + ":2: preset: found \"jasmine\", but " + a.string() +
                    ":1 names \"tiny\"; allowed: one preset"});
    EXPECT_EQ(load_configuration({"agrawal", {a, b}, {}}).preset, "agrawal") << "the command line decides";
}

TEST(ConfigurationErrors, Settings) {
    EXPECT_EQ(
        issues_with({"nand.geometry.channels"}),
        Texts{"--set: nand.geometry.channels: found \"nand.geometry.channels\"; allowed: key=value, such as "
              "nand.geometry.channels=16"});
    EXPECT_EQ(issues_with({"=5"}),
              Texts{"--set: found \"=5\"; allowed: key=value, such as nand.geometry.channels=16"});
    EXPECT_EQ(issues_with({"nand.geometry.channels="}),
              Texts{"--set: nand.geometry.channels: found nothing; allowed: integer from 1 to 64"});
    EXPECT_EQ(issues_with({"nand.geometry=5"}),
              Texts{"--set: nand.geometry: names a table of keys, not a key"});
    EXPECT_EQ(issues_with({"preset=tiny"}),
              Texts{"--set: preset: not a setting; allowed: --preset NAME, --config FILE"});
    EXPECT_EQ(issues_with({"nand.geometry.channel=5"}),
              Texts{"--set: nand.geometry.channel: unknown key; did you mean nand.geometry.channels?"});
    EXPECT_EQ(
        issues_with({"seed=99999999999999999999"}),
        Texts{"--set: seed: found 99999999999999999999; allowed: integer from 0 to 9223372036854775807"});
    EXPECT_EQ(issues_with({"core.frequency_mhz=nan"}),
              Texts{"--set: core.frequency_mhz: found nan; allowed: number from 1 to 10000 MHz"});
    EXPECT_EQ(
        issues_with({"nand.timing.read=50us,,75us"}),
        Texts{"--set: nand.timing.read: found 50us,,75us; allowed: 1 to 4 durations from 1ps to 100ms, such "
              "as [\"50us\", \"75us\"]"});
}

TEST(ConfigurationErrors, WhatHasOneLinePerIssue) {
    try {
        (void)parse_configuration("a_wrong = 1\nb_wrong = 2\n", "my.toml");
        FAIL() << "accepted";
    } catch (const ConfigurationError& error) {
        ASSERT_EQ(error.issues().size(), 2U);
        EXPECT_EQ(error.issues()[1].source, "my.toml");
        EXPECT_EQ(error.issues()[1].line, 2U);
        EXPECT_EQ(error.issues()[1].key, "b_wrong");
        EXPECT_EQ(std::string(error.what()), error.issues()[0].text() + "\n" + error.issues()[1].text());
    }
}

}  // namespace
}  // namespace solidtlm::platform
