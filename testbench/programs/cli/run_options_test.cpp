// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/run_options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "testbench/programs/cli/command_line_test_support.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Parsed parse_one_run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--preset", "tiny"});
    return parse_arguments(one_run_program(), arguments);
}

std::string file(const std::string& name) {
    return (fs::temp_directory_path() / ("solidtlm-run-" + std::to_string(::getpid()) + name)).string();
}

TEST(RunOptions, NothingIsRecordedCutOrSavedUnlessAsked) {
    const Parsed parsed = parse_one_run({});
    ASSERT_TRUE(parsed.parsed.line) << parsed.err;
    EXPECT_TRUE(parsed.line().record.vcd.empty());
    EXPECT_TRUE(parsed.line().record.timeline.empty());
    EXPECT_FALSE(parsed.line().power_cuts.any());
    EXPECT_TRUE(parsed.line().load_state.empty());
    EXPECT_EQ(parsed.line().boot, std::nullopt);
    EXPECT_EQ(parsed.line().shutdown, Shutdown::sleep);
}

TEST(RunOptions, TakeFilesAndWindows) {
    const std::string vcd = file(".vcd");
    const std::string timeline = file(".json");
    const Parsed parsed = parse_one_run({"--vcd", vcd, "--vcd-from", "1.5ms", "--vcd-to", "2ms", "--timeline",
                                         timeline, "--timeline-to", "100us"});
    ASSERT_TRUE(parsed.parsed.line) << parsed.err;
    const RecorderSettings& record = parsed.line().record;
    EXPECT_EQ(record.vcd, vcd);
    EXPECT_EQ(record.vcd_window.from, Ps{1'500'000'000});
    EXPECT_EQ(record.vcd_window.to, Ps{2'000'000'000});
    EXPECT_EQ(record.timeline, timeline);
    EXPECT_EQ(record.timeline_window.from, Ps{0});
    EXPECT_EQ(record.timeline_window.to, Ps{100'000'000});
    EXPECT_FALSE(fs::exists(vcd)) << "nothing is created before the run";
}

TEST(RunOptions, ReportMistakesInAWindow) {
    const std::string vcd = file(".vcd");
    EXPECT_EQ(
        parse_one_run({"--vcd", vcd, "--vcd-from", "2", "--vcd-to", "soon"}).err,
        "error: --vcd-from: found 2; allowed: duration from 0s to 9000000s, a string with unit such as "
        "\"50us\"\n"
        "error: --vcd-to: found soon; allowed: duration from 0s to 9000000s, a string with unit such as "
        "\"50us\"\n");
    EXPECT_EQ(parse_one_run({"--vcd", vcd, "--vcd-from", "2ms", "--vcd-to", "2000us"}).err,
              "error: --vcd-to: found 2ms; allowed: later than --vcd-from, 2ms\n");
    EXPECT_EQ(parse_one_run({"--vcd", vcd, "--vcd-to", "0s"}).err,
              "error: --vcd-to: found 0s; allowed: later than --vcd-from, 0s\n");
    EXPECT_EQ(parse_one_run({"--vcd-from", "2ms", "--timeline-to", "2ms"}).err,
              "error: --vcd-from: found without --vcd; allowed: with it\n"
              "error: --timeline-to: found without --timeline; allowed: with it\n");
}

TEST(RunOptions, TakeTablesOfCommandsByTheirNames) {
    for (const char* name : {"c.csv", "c.csv.zst", "c.columns"}) {
        const Parsed parsed = parse_one_run({"--commands", file(name), "--decisions", file("2.csv")});
        ASSERT_TRUE(parsed.parsed.line) << parsed.err;
        EXPECT_EQ(parsed.line().record.commands, file(name));
        EXPECT_EQ(parsed.line().record.decisions, file("2.csv"));
    }
    for (const char* option : {"--commands", "--decisions"}) {
        const auto refuses = [option](const std::string& name, const std::string& more) {
            EXPECT_EQ(parse_one_run({option, file(name)}).err,
                      "error: " + std::string(option) + ": found " + file(name) +
                          "; allowed: a name that ends with .csv, .csv.zst or .columns" + more + "\n");
        };
        refuses("c.zst", "");
        refuses("csv", "");
        refuses("c.parquet", ", or solidtlm run, which writes .parquet");
    }
}

TEST(RunOptions, NameTheLogsOfFio) {
    const std::string prefix = file("fio");
    EXPECT_EQ(parse_one_run({"--fio-log", prefix}).line().record.fio_log, prefix);
    EXPECT_EQ(parse_one_run({"--fio-log", "/proc/none/f"}).err,
              "error: cannot write /proc/none/f_lat.1.log: No such file or directory\n"
              "error: cannot write /proc/none/f_slat.1.log: No such file or directory\n"
              "error: cannot write /proc/none/f_clat.1.log: No such file or directory\n");
    const std::string log = prefix + "_slat.1.log";
    EXPECT_EQ(parse_one_run({"--fio-log", prefix, "--timeline", log}).err,
              "error: --fio-log: found " + log + "; allowed: another file than those of --timeline\n");
}

TEST(RunOptions, ReportMistakesInARecording) {
    EXPECT_EQ(parse_one_run({"--vcd", "/proc/none/w.vcd"}).err,
              "error: cannot write /proc/none/w.vcd: No such file or directory\n");
    EXPECT_EQ(parse_one_run({"--timeline", "/tmp"}).err, "error: cannot write /tmp: Is a directory\n");
    EXPECT_EQ(parse_one_run({"--vcd", ""}).err, "error: --vcd: found nothing; allowed: the name of a file\n");
    const std::string save = file(".gtkw");
    EXPECT_EQ(
        parse_one_run({"--vcd", save}).err,
        "error: --vcd: found " + save + "; allowed: another ending than .gtkw, which is the save file's\n");
    const std::string same = file(".both");
    EXPECT_EQ(parse_one_run({"--vcd", same, "--timeline", same}).err,
              "error: --timeline: found " + same + "; allowed: another file than those of --vcd\n");
    EXPECT_EQ(parse_one_run({"--vcd", file(".vcd"), "--timeline", save}).err,
              "error: --timeline: found " + save + "; allowed: another file than those of --vcd\n");
}

TEST(RunOptions, PowerIsCutAtInstantsInAnyOrder) {
    const Parsed parsed =
        parse_one_run({"--power-cut-at", "7ms,3ms", "--power-cut-every", "20ms", "--power-off", "250us"});
    ASSERT_TRUE(parsed.parsed.line) << parsed.err;
    EXPECT_EQ(parsed.line().power_cuts.at, (std::vector<Ps>{3ms, 7ms}));
    EXPECT_EQ(parsed.line().power_cuts.every, Ps{20ms});
    EXPECT_EQ(parsed.line().power_cuts.off, Ps{250us});
}

TEST(RunOptions, RefuseTextsThatAreNotTimes) {
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{"--power-cut-at", "3"},
                                               {"--power-cut-at", "0ms"},
                                               {"--power-cut-every", "soon"},
                                               {"--power-cut-every", "-1ms"},
                                               {"--power-cut-at", "9000000.1s"},
                                               {"--power-cut-every", "9000001s"},
                                               {"--power-cut-at", "1ms", "--power-off", "9223372s"},
                                               {"--power-cut-at", "1ms", "--power-off", "0s"}}) {
        const Parsed parsed = parse_one_run(wrong);
        EXPECT_EQ(std::ranges::count(parsed.err, '\n'), 1) << parsed.err;
        EXPECT_NE(parsed.err.find("; allowed: duration from 1ps to 9000000s, a string with unit"),
                  std::string::npos)
            << parsed.err;
    }
    EXPECT_EQ(parse_one_run({"--power-off", "2ms"}).err,
              "error: --power-off: found without a power cut; allowed: with --power-cut-at or "
              "--power-cut-every\n");
}

TEST(RunOptions, SayWhichDrivesKeepTheirPower) {
    EXPECT_EQ(
        parse_one_run({"--host", "ahci", "--power-cut-every", "20ms", "--power-cut-at", "3ms"}).err,
        "error: --power-cut-at: found with host.interface = \"ahci\"; allowed: with link, because an "
        "adapter does not notice power cuts\n"
        "error: --power-cut-every: found with host.interface = \"ahci\"; allowed: with link, because an "
        "adapter does not notice power cuts\n");
    EXPECT_TRUE(parse_one_run({"--host", "ahci"}).parsed.line);
    EXPECT_EQ(parse_one_run({"--set", "firmware.translation=fast", "--power-cut-at", "3ms"}).err,
              "error: --power-cut-at: found with firmware.translation = \"fast\"; allowed: with page_map, "
              "because block-mapped layers do not find their state on flash again\n");
    EXPECT_NE(parse_one_run(
                  {"--set", "firmware.translation=fast", "--save-state", file(".drive"), "--shutdown", "cut"})
                  .err.find("--shutdown: found cut with firmware.translation = \"fast\"; allowed: sleep"),
              std::string::npos);
}

}  // namespace
}  // namespace solidtlm::testbench
