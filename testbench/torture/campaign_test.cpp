// SPDX-License-Identifier: Apache-2.0
//
// How a campaign handles faults of a drive that is made to fail, and the coverage that it reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fw/testing/files.h"
#include "testbench/programs/cli/command_line.h"
#include "testbench/torture/campaign.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/load.h"
#include "testbench/torture/torture_program.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

/// Number of cuts at program operations; one is enough to make the drive fail.
std::size_t program_cuts(const TortureCase& torture) {
    return static_cast<std::size_t>(std::ranges::count_if(
        torture.cuts, [](const std::string& cut) { return cut.starts_with("program "); }));
}

/// The first seeds whose cases have cuts at program operations.
std::vector<std::uint64_t> seeds_with_program_cuts(std::size_t count) {
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t seed = 1; seeds.size() < count; ++seed) {
        if (program_cuts(draw_case(seed, "tiny", {}).torture) > 0) {
            seeds.push_back(seed);
        }
    }
    return seeds;
}

SimulationOutcome fails_at_a_program(const TortureCase& torture, const RecorderSettings& record) {
    SimulationOutcome outcome = run_case(torture, record);
    if (const std::size_t cuts = program_cuts(torture); cuts > 0) {
        outcome.faults.push_back(std::to_string(cuts) + " cuts at programs");
        outcome.faults.emplace_back("and more about that");
    }
    return outcome;
}

TEST(Faults, AreShrunkOnceWrittenAndFoundAgain) {
    const TemporaryFolder folder;
    CampaignSettings settings;
    const std::vector<std::uint64_t> expected = seeds_with_program_cuts(2);
    settings.last_seed = expected.back();
    settings.quiet = true;
    settings.out = folder.path();
    settings.run = fails_at_a_program;
    testing::internal::CaptureStdout();
    const CampaignReport report = run_campaign(settings);
    const std::string printed = testing::internal::GetCapturedStdout();
    ASSERT_EQ(report.found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(report.found[i].seed, expected[i]);
        EXPECT_EQ(report.found[i].signature, "# cuts at programs");
        EXPECT_EQ(report.found[i].faults.size(), 2U);
    }
    const std::string name = "seed-" + std::to_string(expected.front());
    const fs::path file = folder / (name + ".toml");
    const TortureCase least{"tiny", {}, {"requests=1"}, {}, {}, {"program 0"}};
    EXPECT_EQ(read_case(file), least);
    EXPECT_TRUE(fs::exists(folder / (name + ".vcd")));
    const std::string last = "seed-" + std::to_string(expected.back()) + ".toml";
    EXPECT_FALSE(fs::exists(folder / last)) << "it is a fault of the same kind";
    EXPECT_NE(printed.find("seed " + std::to_string(expected.front()) + ": FAULT\n"), std::string::npos);
    EXPECT_NE(printed.find("  again: tb_torture --replay " + file.string()), std::string::npos);
    EXPECT_NE(printed.find("seed " + std::to_string(expected.back()) + ": again FAULT\n"), std::string::npos);
}

struct Ended {
    int code;
    std::string errors;
};

Ended run_program_with(std::vector<std::string> options, const CaseRunner& run) {
    options.insert(options.begin(), "tb_torture");
    std::vector<const char*> arguments;
    arguments.reserve(options.size());
    for (const std::string& option : options) {
        arguments.push_back(option.c_str());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = torture_program(static_cast<int>(arguments.size()), arguments.data(), run);
    (void)testing::internal::GetCapturedStdout();
    return {code, testing::internal::GetCapturedStderr()};
}

int exit_code(std::vector<std::string> options, const CaseRunner& run) {
    return run_program_with(std::move(options), run).code;
}

TEST(TortureProgram, ReportsAllMistakesTogether) {
    const TemporaryFolder folder;
    const fs::path file = folder / "case.toml";
    std::ofstream(file) << to_toml({"tiny", {"dram.size=1"}, {"requests=x"}, {}, {}, {}}, "");
    const Ended ended = run_program_with(
        {"--seeds", "5-1", "--replay", file, "--replay", folder / "absent.toml", "--workload", "random",
         "--config", "a.toml", "--familly", "real", "--set", "nand.geometry.chanels=4"},
        run_case);
    EXPECT_EQ(ended.code, kExitUserError);
    for (const std::string& wanted :
         {std::string("unknown option --workload; tb_torture draws its requests"),
          std::string("unknown option --config; use --preset and --set"),
          std::string("did you mean --family?"), std::string("did you mean nand.geometry.channels?"),
          file.string() + ": --set: dram.size: found 1",
          (folder / "absent.toml").string() + ": cannot read the file",
          std::string("--replay: found with --seeds"), std::string("--seeds: found 5-1")}) {
        EXPECT_NE(ended.errors.find(wanted), std::string::npos) << wanted << " is not in:\n" << ended.errors;
    }
}

TEST(ExitCode, ReportsWhetherTheDriveSurvived) {
    const TemporaryFolder folder;
    const std::string out = folder.path().string();
    EXPECT_EQ(exit_code({"--seeds", "1-2", "--quiet", "--out", out}, run_case), kExitSuccess);
    const fs::path file = folder / "case.toml";
    std::ofstream(file) << to_toml({"tiny", {}, {"requests=20"}, {}, {}, {"time 1us", "program 1"}}, "");
    EXPECT_EQ(exit_code({"--replay", file, "--out", out}, run_case), kExitSuccess);
    EXPECT_EQ(exit_code({"--replay", file, "--out", out}, fails_at_a_program), kExitFailure);
    EXPECT_EQ(program_cuts(read_case(folder / "case-shrunk.toml")), 1U);
    const std::uint64_t seeds = seeds_with_program_cuts(1).back();
    EXPECT_EQ(
        exit_code({"--seeds", "1-" + std::to_string(seeds), "--quiet", "--out", out}, fails_at_a_program),
        kExitFailure);
    std::ifstream report(folder / "torture.json");
    const Json document = Json::parse(report);
    EXPECT_FALSE(document.at("faults").empty());
    EXPECT_EQ(document.at("seeds"), seeds);
}

SimulationOutcome takes_memory(const TortureCase& torture, const RecorderSettings& record) {
    const std::vector<char> memory(torture.preset == "tiny" ? std::size_t{2} << 30U : 0);
    SimulationOutcome outcome = run_case(torture, record);
    outcome.result["bytes"] = memory.size();
    return outcome;
}

// Running out of memory is reported, and not taken for a fault of the drive: nothing is shrunk.
TEST(OutOfMemory, IsReported) {
    const TemporaryFolder folder;
    const std::string out = folder.path().string();
    EXPECT_EQ(exit_code({"--family", "real", "--preset", "tiny", "--seeds", "7", "--out", out}, takes_memory),
              kExitFailure);
    std::ifstream report(folder / "torture.json");
    const Json document = Json::parse(report);
    EXPECT_TRUE(document.at("faults").empty());
    ASSERT_EQ(document.at("out_of_memory").size(), 1U);
    EXPECT_EQ(document.at("out_of_memory")[0].at("seed"), 7);
    EXPECT_EQ(document.at("costs").at("tiny").at("cases"), 1);
    EXPECT_FALSE(fs::exists(folder / "real-7.toml"));
    const fs::path file = folder / "case.toml";
    std::ofstream(file) << to_toml({"tiny", {}, {"requests=1"}, {}, {}, {}}, "");
    EXPECT_EQ(exit_code({"--replay", file, "--out", out}, takes_memory), kExitFailure);
    EXPECT_FALSE(fs::exists(folder / "case-shrunk.toml"));
}

TEST(ExitCode, ReportsAUsersMistake) {
    const TemporaryFolder folder;
    const fs::path file = folder / "case.toml";
    std::ofstream(file) << "cuts = ['erase']";
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--seeds", "5-2"}, std::vector<std::string>{"--replay", "none.toml"},
          std::vector<std::string>{"--replay", file}, std::vector<std::string>{"--set", "ssd.x=1"},
          std::vector<std::string>{"--seeds", "1", "--replay", file}}) {
        EXPECT_EQ(exit_code(options, run_case), kExitUserError) << options.back();
    }
}

// Three cuts of one run and one cut of another; faults and commands are summed.
TEST(Coverage, CountsEvents) {
    DrawnCase drawn;
    Coverage coverage;
    Json result =
        run_in_children({{"plain", [&drawn] { return run_case(drawn.torture); }}}, 1).front().result;
    const auto cut = [](EventKind kind, int offset_ps, CutInstant instant) {
        return Json{kind, offset_ps, instant};
    };
    result["cuts"] = {cut(EventKind::erase, -1, CutInstant::running),
                      cut(EventKind::erase, 1, CutInstant::booting),
                      cut(EventKind::time, 0, CutInstant::booting_again)};
    result["faults_met"] = {{"programs failed", 3}};
    coverage.add(drawn, result);
    result["cuts"] = Json::array({cut(EventKind::array, 0, CutInstant::running)});
    result["faults_met"] = {{"programs failed", 2}, {"erases failed", 1}};
    coverage.add(drawn, result);
    const Json sum = coverage.to_json("tiny");
    const Json& cuts = sum.at("cuts");
    EXPECT_EQ(cuts.at("total"), 4);
    EXPECT_EQ(cuts.at("at_events"), 3);
    EXPECT_EQ(cuts.at("of_these"), Json({{"1 ps before", 1}, {"at the instant", 1}, {"1 ps after", 1}}));
    EXPECT_EQ(cuts.at("by_event").at("erase"), 2);
    EXPECT_EQ(cuts.at("by_event").at("time"), 1);
    EXPECT_EQ(cuts.at("by_event").at("merge"), 0);
    EXPECT_EQ(cuts.at("by_instant").at("running"), 2);
    EXPECT_EQ(cuts.at("by_instant").at("booting_again"), 1);
    EXPECT_EQ(sum.at("faults"), Json({{"erases failed", 1}, {"programs failed", 5}}));
    EXPECT_EQ(sum.at("endings").at("ok"), 2 * result.at("endings").at("ok").get<std::uint64_t>());
    const std::string text = Coverage::text(sum);
    EXPECT_NE(text.find("cuts      4, 3 of them at events (1 1 ps before, 1 at the instant, 1 1 ps after)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("faults    1 erases failed, 5 programs failed\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace solidtlm::testbench
