// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/recorder_options.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;
using hal::Ps;

struct Recorded {
    RecorderSettings settings;
    std::string errors;
};

Recorded parse_options(std::vector<std::string> arguments) {
    Recorded recorded;
    CLI::App app;
    OptionSet set(app);
    RecorderOptions options;
    options.add_to(set, recorded.settings);
    Errors errors = set.parse(std::move(arguments));
    std::ranges::move(options.check(recorded.settings), std::back_inserter(errors));
    FileRoles files{CommandLine{}};
    options.name_files(recorded.settings, files);
    std::ranges::move(files.clashes(), std::back_inserter(errors));
    for (const std::string& error : errors) {
        recorded.errors += error + "\n";
    }
    return recorded;
}

std::string file(const std::string& name) {
    return (fs::temp_directory_path() / ("solidtlm-record-" + std::to_string(::getpid()) + name)).string();
}

TEST(RecorderOptions, NothingIsRecordedUnlessAsked) {
    const Recorded recorded = parse_options({});
    EXPECT_EQ(recorded.errors, "");
    EXPECT_TRUE(recorded.settings.vcd.empty());
    EXPECT_TRUE(recorded.settings.timeline.empty());
}

TEST(RecorderOptions, TakeFilesAndWindows) {
    const std::string vcd = file(".vcd");
    const std::string timeline = file(".json");
    const Recorded recorded = parse_options({"--vcd", vcd, "--vcd-from", "1.5ms", "--vcd-to", "2ms",
                                             "--timeline", timeline, "--timeline-to", "100us"});
    EXPECT_EQ(recorded.errors, "");
    EXPECT_EQ(recorded.settings.vcd, vcd);
    EXPECT_EQ(recorded.settings.vcd_window.from, Ps{1'500'000'000});
    EXPECT_EQ(recorded.settings.vcd_window.to, Ps{2'000'000'000});
    EXPECT_EQ(recorded.settings.timeline, timeline);
    EXPECT_EQ(recorded.settings.timeline_window.from, Ps{0});
    EXPECT_EQ(recorded.settings.timeline_window.to, Ps{100'000'000});
    EXPECT_FALSE(fs::exists(vcd)) << "nothing is created before the run";
}

TEST(RecorderOptions, SayWhatIsWrongWithAWindow) {
    const std::string vcd = file(".vcd");
    EXPECT_EQ(
        parse_options({"--vcd", vcd, "--vcd-from", "2", "--vcd-to", "soon"}).errors,
        "--vcd-from: found 2; allowed: duration of at least 0s, a string with unit such as \"50us\"\n"
        "--vcd-to: found soon; allowed: duration of at least 0s, a string with unit such as \"50us\"\n");
    EXPECT_EQ(parse_options({"--vcd", vcd, "--vcd-from", "2ms", "--vcd-to", "2000us"}).errors,
              "--vcd-to: found 2ms; allowed: later than --vcd-from, 2ms\n");
    EXPECT_EQ(parse_options({"--vcd", vcd, "--vcd-to", "0s"}).errors,
              "--vcd-to: found 0s; allowed: later than --vcd-from, 0s\n");
    EXPECT_EQ(parse_options({"--vcd-from", "2ms", "--timeline-to", "2ms"}).errors,
              "--vcd-from: found without --vcd; allowed: with it\n"
              "--timeline-to: found without --timeline; allowed: with it\n");
}

TEST(RecorderOptions, TakeTablesOfCommandsByTheirNames) {
    for (const char* name : {"c.csv", "c.csv.zst"}) {
        const Recorded recorded = parse_options({"--commands", file(name)});
        EXPECT_EQ(recorded.errors, "");
        EXPECT_EQ(recorded.settings.commands, file(name));
    }
    for (const char* name : {"c.parquet", "c.zst", "csv"}) {
        EXPECT_EQ(parse_options({"--commands", file(name)}).errors,
                  "--commands: found " + file(name) + "; allowed: a name that ends with .csv or .csv.zst\n");
    }
}

TEST(RecorderOptions, SayWhatIsWrongWithAFile) {
    EXPECT_EQ(parse_options({"--vcd", "/proc/none/w.vcd"}).errors,
              "cannot write /proc/none/w.vcd: No such file or directory\n");
    EXPECT_EQ(parse_options({"--timeline", "/tmp"}).errors, "cannot write /tmp: Is a directory\n");
    EXPECT_EQ(parse_options({"--vcd", ""}).errors, "--vcd: found nothing; allowed: the name of a file\n");
    const std::string save = file(".gtkw");
    EXPECT_EQ(parse_options({"--vcd", save}).errors,
              "--vcd: found " + save + "; allowed: another ending than .gtkw, which is the save file's\n");
    const std::string same = file(".both");
    EXPECT_EQ(parse_options({"--vcd", same, "--timeline", same}).errors,
              "--timeline: found " + same + "; allowed: another file than those of --vcd\n");
    EXPECT_EQ(parse_options({"--vcd", file(".vcd"), "--timeline", save}).errors,
              "--timeline: found " + save + "; allowed: another file than those of --vcd\n");
}

}  // namespace
}  // namespace solidtlm::testbench
