// SPDX-License-Identifier: Apache-2.0
//
// Word lines that are written as a whole, in one operation or page by page: their keys, and refused
// combinations.
#include <gtest/gtest.h>

#include "fw/needs.h"
#include "hw/nand/word_lines.h"
#include "platform/configuration.h"
#include "platform/configuration_test_support.h"

namespace solidtlm::platform::one_shot {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

const std::string kDrive = "preset = \"tiny\"\nssd.over_provisioning = 0.6\nnand.cell = \"mlc\"\n";
const std::string kOneShot = "nand.programming = \"one_shot\"\n";
const std::string kFound = "found nand.programming = \"one_shot\" with ";

Texts issues(const std::string& lines, const Texts& settings = {}) {
    return issues_in(kDrive + kOneShot + lines, settings);
}

TEST(OneShotConfiguration, ReachesTheFirmwareAndTheDies) {
    const Configuration c = parse_configuration(kDrive + kOneShot, "my.toml");
    EXPECT_EQ(c.nand.programming, hw::NandProgramming::one_shot);
    EXPECT_EQ(hw::pages_per_program(c.nand), 2U);
    EXPECT_EQ(c.firmware.flash.pages_per_program, 2U);
    EXPECT_EQ(fw::media_layout(c.firmware).pages(), c.nand.geometry.pages / 2);
    EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c));
    EXPECT_EQ(parse_configuration(kDrive + "nand.timing.read = [\"30us\", \"60us\"]\n", "my.toml")
                  .firmware.flash.pages_per_program,
              1U);
}

TEST(OneShotConfiguration, NeedsWholeWordLines) {
    EXPECT_EQ(issues_in("preset = \"tiny\"\n" + kOneShot),
              Texts{"my.toml:2: nand.programming: " + kFound +
                    "one page in a word line; allowed: nand.cell = mlc, tlc or qlc, or several times in "
                    "nand.timing.read"});
    EXPECT_EQ(issues("", {"nand.cell=by_times", "nand.timing.read=30us,40us,50us"}).front(),
              "my.toml:4: nand.programming: " + kFound +
                  "16 pages in a block; allowed: a multiple of 3, the pages of a word line");
    EXPECT_EQ(
        issues("firmware.map_cache.policy = \"dftl\"\n", {"nand.geometry.pages=1"}),
        Texts{"--set: nand.geometry.pages: found 1 pages in a block; allowed: a multiple of 2, the pages "
              "of a word line with mlc cells"});
    EXPECT_EQ(issues("nand.timing.program = [\"1ms\", \"2ms\"]\n"),
              Texts{"my.toml:5: nand.timing.program: " + kFound +
                    "2 program times; allowed: one, that of a whole word line"});
}

TEST(OneShotConfiguration, HasALimitOnTheProgrammedPages) {
    const Texts planes{"nand.geometry.planes=8",    "nand.cell=qlc",
                       "nand.geometry.blocks=8",    "dram.size=64MiB",
                       "ssd.over_provisioning=0.9", "firmware.write_buffer.size=1MiB"};
    const Texts found = issues("", planes);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(
        found.front(),
        "--set: nand.cell: found 32 pages that one operation programs, 4 on each of 8 planes; "
        "allowed: at most 16; a firmware.allocation.order that does not begin with P programs one plane "
        "at a time");
    Texts by_plane = planes;
    by_plane.emplace_back("firmware.allocation.order=CWDP");
    EXPECT_EQ(issues("", by_plane), Texts{});
}

TEST(OneShotConfiguration, RefusesPartsThatProgramSinglePages) {
    EXPECT_EQ(issues("firmware.gc.copy_back = true\n"),
              Texts{"my.toml:5: firmware.gc.copy_back: " + kFound +
                    "copy-back, which moves single pages through the page register; allowed: "
                    "firmware.gc.copy_back = false"});
    EXPECT_EQ(issues("firmware.unit = \"8KiB\"\nfirmware.translation = \"fast\"\n").front(),
              "my.toml:6: firmware.translation: " + kFound +
                  "a block-mapped firmware.translation, which programs single pages; allowed: page_map");
    EXPECT_EQ(issues("nand.slc.read = \"20us\"\nnand.slc.program = \"200us\"\n"
                     "firmware.slc_cache.mode = \"static\"\nfirmware.slc_cache.size = \"1MiB\"\n"
                     "firmware.slc_cache.copy_back = true\n")
                  .front(),
              "my.toml:9: firmware.slc_cache.copy_back: " + kFound +
                  "folding inside the die, which moves single pages through the page register; allowed: "
                  "firmware.slc_cache.copy_back = false");
    EXPECT_EQ(issues("nand.slc.read = \"20us\"\nnand.slc.program = \"200us\"\n"
                     "firmware.dedup.system = \"online\"\nfirmware.dedup.protection = \"capacitor\"\n"),
              Texts{"my.toml:8: firmware.dedup.protection: " + kFound +
                    "a capacitor, which programs single pages; allowed: none or journal"});
}

TEST(OneShotConfiguration, MapAndLogNeedTheTimesOfSlcMode) {
    const Texts cached = issues("firmware.map_cache.policy = \"dftl\"\n", {"nand.geometry.blocks=40"});
    ASSERT_EQ(cached.size(), 2U);
    EXPECT_EQ(cached[0], "my.toml:4: nand.programming: " + kFound +
                             "firmware.map_cache.policy and no nand.slc.read; allowed: tR of the part's SLC "
                             "mode, in which the map programs single pages");
    EXPECT_EQ(issues("firmware.trim.persist = \"journal\"\n").size(), 2U);
    const std::string times = "nand.slc.read = \"20us\"\nnand.slc.program = \"200us\"\n";
    EXPECT_EQ(issues(times + "firmware.trim.persist = \"journal\"\n"), Texts{});
    EXPECT_EQ(issues(times + "firmware.map_cache.policy = \"dftl\"\n", {"nand.geometry.blocks=40"}), Texts{});
    EXPECT_EQ(issues(times).size(), 2U) << "no block is in SLC mode: they do nothing";
}

const std::string kPad = "firmware.word_lines.protect = \"pad\"\n";
const std::string kFoundPad = "found firmware.word_lines.protect = \"pad\" with ";

Texts issues_with_pad(const std::string& lines, const Texts& settings = {}) {
    return issues_in("preset = \"tiny\"\nssd.over_provisioning = 0.6\nnand.cell = \"qlc\"\n" + kPad + lines,
                     settings);
}

TEST(PaddedWordLines, AreSuperpagesOfAFlashThatProgramsPages) {
    const Configuration c = parse_configuration(
        "preset = \"tiny\"\nnand.cell = \"qlc\"\nnand.power_cut = \"word_line\"\n" + kPad, "my.toml");
    EXPECT_EQ(c.nand.power_cut, hw::NandPowerCut::word_line);
    EXPECT_EQ(c.firmware.word_lines.protect, fw::WordLineProtection::pad);
    EXPECT_EQ(hw::pages_per_program(c.nand), 1U);
    EXPECT_EQ(c.firmware.flash.pages_per_program, 4U);
    EXPECT_TRUE(c.firmware.flash.page_by_page);
    EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c));
    EXPECT_EQ(issues_with_pad("nand.timing.program = [\"1ms\", \"2ms\", \"3ms\", \"4ms\"]\n"), Texts{});
}

TEST(PaddedWordLines, NeedPagesThatFollowEachOther) {
    EXPECT_EQ(
        issues_with_pad("", {"nand.cell=mlc"}),
        Texts{"--set: nand.cell: " + kFoundPad +
              "word lines whose pages do not follow each other (mlc); allowed: nand.cell = tlc or qlc, or "
              "by_times with several times in nand.timing.read; or firmware.word_lines.protect = "
              "backup or capacitor"});
    EXPECT_EQ(issues_with_pad("", {"nand.cell=by_times", "nand.timing.read=30us,60us"}), Texts{});
    EXPECT_EQ(issues_with_pad(kOneShot),
              Texts{"my.toml:5: nand.programming: " + kFoundPad +
                    "word lines that are programmed at once; allowed: nand.programming = page; no power cut "
                    "destroys earlier pages of such word lines"});
    EXPECT_EQ(issues_in("preset = \"tiny\"\n" + kPad),
              Texts{"my.toml:2: firmware.word_lines.protect: " + kFoundPad +
                    "one page in a word line; allowed: nand.cell = tlc or qlc, or several times in "
                    "nand.timing.read"});
    EXPECT_EQ(issues_with_pad("firmware.gc.copy_back = true\n").size(), 1U);
    EXPECT_EQ(issues_with_pad("firmware.trim.persist = \"journal\"\n").size(), 2U) << "times of SLC mode";
}

const std::string kBackup =
    "nand.slc.read = \"20us\"\nnand.slc.program = \"150us\"\nfirmware.word_lines.protect = \"backup\"\n";

Texts issues_with_copies(const std::string& lines, const Texts& settings = {}) {
    return issues_in(
        "preset = \"tiny\"\nssd.over_provisioning = 0.7\nnand.cell = \"mlc\"\n" + kBackup + lines, settings);
}

TEST(CopiedLowerPages, AreThoseBelowOthersOfTheirWordLines) {
    const std::string tiny = "preset = \"tiny\"\nssd.over_provisioning = 0.7\nnand.geometry.pages = 12\n";
    const auto below = [&tiny](const std::string& cell) {
        return parse_configuration(tiny + "nand.cell = \"" + cell + "\"\n" + kBackup, "my.toml")
            .firmware.flash.page_below;
    };
    EXPECT_EQ(below("mlc"), (std::vector<std::uint32_t>{0, 1, 0, 3, 1, 5, 3, 7, 5, 9, 7, 9}));
    EXPECT_EQ(below("tlc"), (std::vector<std::uint32_t>{0, 0, 1, 3, 3, 4, 6, 6, 7, 9, 9, 10}));
    const Configuration c = parse_configuration(tiny + "nand.cell = \"mlc\"\n" + kBackup, "my.toml");
    EXPECT_TRUE(c.firmware.flash.slc_areas());
    EXPECT_EQ(c.firmware.flash.pages_per_program, 1U);
    EXPECT_EQ(to_toml(parse_configuration(to_toml(c), "again.toml")), to_toml(c));
    EXPECT_TRUE(parse_configuration(tiny, "my.toml").firmware.flash.page_below.empty());
}

TEST(CopiedLowerPages, GoWithWhatProgramsWholeSuperpages) {
    const std::string found = "found firmware.word_lines.protect = \"backup\" with ";
    EXPECT_EQ(issues_with_copies(""), Texts{});
    EXPECT_EQ(issues_with_copies("firmware.gc.copy_back = true\n"),
              Texts{"my.toml:7: firmware.gc.copy_back: " + found +
                    "copy-back, which moves single pages through the page register; allowed: "
                    "firmware.gc.copy_back = false"});
    EXPECT_EQ(issues_with_copies("firmware.reliability.parity_dies = 2\n").size(), 1U);
    EXPECT_EQ(issues_with_copies("nand.programming = \"one_shot\"\n").size(), 1U);
    for (const std::string cache :
         {"mode = \"static\"\nfirmware.slc_cache.size = \"64KiB\"", "mode = \"dynamic\"",
          "mode = \"hybrid\"\nfirmware.slc_cache.size = \"2MiB\"\nfirmware.slc_cache.static_size = 1"}) {
        const std::string keys = "firmware.slc_cache." + cache + '\n';
        EXPECT_EQ(issues_with_copies(keys), Texts{});
        EXPECT_EQ(issues_with_copies(keys + "firmware.slc_cache.copy_back = true\n").size(), 1U);
    }
    EXPECT_EQ(issues_in("preset = \"tiny\"\nssd.over_provisioning = 0.6\nnand.cell = \"mlc\"\n"
                        "firmware.word_lines.protect = \"backup\"\n")
                  .size(),
              2U)
        << "times of SLC mode";
}

// A cut while the only word line of a block is written leaves no page, as a cut during an erase does.
TEST(CopiedLowerPages, NeedTwoWordLinesInABlock) {
    const auto issues_with_pages = [](const std::string& cell, int pages) {
        return issues_in("preset = \"tiny\"\nssd.over_provisioning = 0.95\nnand.geometry.blocks = 40\n" +
                         kBackup + "nand.cell = \"" + cell +
                         "\"\nnand.geometry.pages = " + std::to_string(pages) + '\n');
    };
    const std::string found =
        "my.toml:8: nand.geometry.pages: found firmware.word_lines.protect = \"backup\" with ";
    const std::string because =
        " word lines; a cut while the only one is written leaves a block as an interrupted erase does, after "
        "which no copy counts";
    EXPECT_EQ(issues_with_pages("mlc", 2),
              Texts{found + "2 pages in a block; allowed: at least 4, the pages of 2" + because});
    EXPECT_EQ(issues_with_pages("tlc", 3),
              Texts{found + "3 pages in a block; allowed: at least 6, the pages of 2" + because});
    EXPECT_EQ(issues_with_pages("mlc", 4), Texts{});
    EXPECT_EQ(issues_with_pages("tlc", 6), Texts{});
    EXPECT_EQ(issues_with_pages("qlc", 8), Texts{});
}

TEST(PairedPages, NeedAWordLineOfSeveralPages) {
    const std::string cut = "nand.power_cut = \"word_line\"\n";
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\n" + cut),
        Texts{"my.toml:2: nand.power_cut: does nothing with nand.cell=by_times (a word line has one page); "
              "leave it out"});
    EXPECT_EQ(issues(cut),
              Texts{"my.toml:5: nand.power_cut: does nothing with nand.programming=one_shot (all "
                    "pages of a word line are programmed at once); leave it out"});
    EXPECT_EQ(issues_in("preset = \"tiny\"\nnand.cell = \"mlc\"\n" + cut), Texts{});
    EXPECT_EQ(issues_in("preset = \"tiny\"\nfirmware.word_lines.protect = \"capacitor\"\n"), Texts{});
    EXPECT_EQ(
        issues_in("preset = \"tiny\"\nfirmware.unit = \"8KiB\"\nfirmware.translation = \"fast\"\n"
                  "firmware.word_lines.protect = \"capacitor\"\n"),
        Texts{"my.toml:4: firmware.word_lines.protect: does nothing with firmware.translation=fast (only "
              "page_map survives a power cut); leave it out"});
}

}  // namespace
}  // namespace solidtlm::platform::one_shot
