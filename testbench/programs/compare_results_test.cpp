// SPDX-License-Identifier: Apache-2.0
//
// scripts/compare-results: equal builds are found equal, and every difference is found. The other build is a
// tb_replay that alters this build's results.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace solidtlm::testbench {
namespace {

constexpr const char* kSet = " --only 4";

class CompareResults : public ScenarioTest {
  protected:
    CompareResults()
        : ScenarioTest(source_path("scripts/compare-results"), "set"),
          before_(build_with("before", "", "")) {}

    /// A build whose tb_replay adds these options and then runs `afterwards`; "$out" is the folder of its
    /// results.
    [[nodiscard]] std::string build_with(const std::string& name, const std::string& options,
                                         const std::string& afterwards) const {
        const std::filesystem::path program = folder_ / name / "bin/tb_replay";
        std::filesystem::create_directories(program.parent_path());
        std::ofstream(program) << "#!/bin/sh\nfor out; do :; done\n"
                               << built_path("tb_replay") << " \"$@\" " << options << "\ncode=$?\n"
                               << afterwards << "\nexit $code\n";
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        return (folder_ / name).string();
    }

    /// The command lines of the sets that differ, in the first build.
    [[nodiscard]] std::string command_lines(const Outcome& run, const std::string& before) const {
        const std::string begin = before + "/bin";
        std::string lines;
        for (std::size_t at = run.output.find(begin); at != std::string::npos;
             at = run.output.find(begin, at + 1)) {
            const std::size_t options = at + begin.size();
            lines += run.output.substr(options, run.output.find('\n', at) + 1 - options);
        }
        return lines;
    }

    std::string before_;
};

TEST_F(CompareResults, FindsABuildEqualToItself) {
    const Outcome run = execute(before_ + " " + before_ + " --random 2 --text");
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"2 option sets", "0 differ", "0 (2 times)"});
}

TEST_F(CompareResults, FindsAChangedConstantAndDrawsTheSetAgain) {
    const std::string command =
        before_ + " " + build_with("after", "--set core.frequency_mhz=501", "") + kSet;
    const Outcome run = execute(command);
    EXPECT_EQ(run.code, 1) << run.output;
    expect_text(run, {"config.core.frequency_mhz: before 500.0, after 501.0", "host.latency_us.mean: before ",
                      "1 differ"});
    expect_text(run, {before_ + "/bin/tb_replay --jobs 1 --preset"});
    EXPECT_EQ(command_lines(execute(command), before_), command_lines(run, before_));
}

TEST_F(CompareResults, FindsAnotherExitCode) {
    const Outcome run =
        execute(before_ + " " + build_with("after", "", "test -e \"$out/result.json\" && code=3") + kSet);
    EXPECT_EQ(run.code, 1) << run.output;
    expect_text(run, {"1 DIFFERENCES", "exit code: before ", ", after 3"});
}

TEST_F(CompareResults, ListsNewValuesAndFindsMissingOnes) {
    const std::string more = build_with(
        "more", "", R"(test -e "$out" && sed -i '0,/"schema"/s//"whims": 1, &/' "$out"/result.json)");
    const Outcome added = execute(before_ + " " + more + kSet);
    EXPECT_EQ(added.code, 0) << added.output;
    expect_text(added, {"0 differ", "1 new", "\n    whims\n"});

    const Outcome removed = execute(more + " " + before_ + kSet);
    EXPECT_EQ(removed.code, 1) << removed.output;
    expect_text(removed, {"1 DIFFERENCES", " whims: before 1, after \"missing\""});
}

TEST_F(CompareResults, KnowsAnIntegerFromARealNumber) {
    const std::string changed =
        build_with("after", "", R"(test -e "$out" && sed -i 's/"seed": [0-9]*/&.0/' "$out"/result.json)");
    const Outcome run = execute(before_ + " " + changed + kSet);
    EXPECT_EQ(run.code, 1) << run.output;
    expect_text(run, {" config.faults.seed: before 1, after 1.0"});
}

TEST_F(CompareResults, GivesTheSecondBuildItsOwnSettings) {
    const std::string command = before_ + " " + before_;
    const Outcome same = execute(command + " --random 3 --after-set run_ahead=0s");
    EXPECT_EQ(same.code, 0) << same.output;
    expect_text(same, {"3 option sets", "0 differ"});

    const Outcome slower = execute(command + kSet + " --after-set core.frequency_mhz=200");
    EXPECT_EQ(slower.code, 1) << slower.output;
    expect_text(slower, {"host.latency_us.mean: before ", " --set core.frequency_mhz=200 --out out/after"});
    EXPECT_EQ(slower.output.find("config.core.frequency_mhz"), std::string::npos) << slower.output;
}

TEST_F(CompareResults, DrawsOnlyWhatBothBuildsKnowAndEqualSetsWithoutIt) {
    const std::string with_key = build_with(
        "with_key", "",
        R"(case "$*" in *--list-keys*) printf 'firmware.whims = 1\n    How many.\n    integer from 1 to 9\n' ;; esac)");
    const std::string changed = build_with("after", "--set core.frequency_mhz=501", "") + " --random 3";
    const Outcome run = execute(with_key + " " + changed);
    expect_text(run, {"1 only in BEFORE:\n    key firmware.whims\n", "3 differ"});
    EXPECT_EQ(run.output.find("--set firmware.whims"), std::string::npos) << run.output;
    EXPECT_EQ(command_lines(run, with_key), command_lines(execute(before_ + " " + changed), before_));
}

TEST_F(CompareResults, ReportsWhatOnlyTheSecondBuildRefuses) {
    const std::string strict = build_with(
        "after", "",
        R"(case "$*" in *--queue-depth*--dry-run*) echo '--queue-depth: no depth' >&2; code=2 ;; esac)");
    const Outcome run = execute(before_ + " " + strict + kSet);
    EXPECT_EQ(run.code, 1) << run.output;
    expect_text(run, {"0 differ", "refused by AFTER alone:\n", " times: --queue-depth: no depth\n"});
}

TEST_F(CompareResults, ComparesSavedDrivesByteByByte) {
    const std::string command =
        before_ + " " +
        build_with("after", "", R"(test -e "$out/saved.drive" && echo >> "$out/saved.drive")") +
        " --random 6";
    const Outcome run = execute(command);
    EXPECT_EQ(run.code, 1) << run.output;
    expect_text(run, {" saved drive: before \"", " other bytes\"", "--save-state out/after/saved.drive"});
}

TEST_F(CompareResults, RefusesAFolderWithoutABuild) {
    const Outcome run = execute(before_ + " " + folder_.string());
    EXPECT_EQ(run.code, 2) << run.output;
    expect_text(run, {"there is no tb_replay in " + folder_.string()});
}

}  // namespace
}  // namespace solidtlm::testbench
