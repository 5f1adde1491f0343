// SPDX-License-Identifier: Apache-2.0
//
// tb_striping as a user runs it.
#include <algorithm>
#include <iterator>

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbStriping : public ScenarioTest {
  protected:
    TbStriping() : ScenarioTest(solidtlm::built_path("tb_striping"), "points") {}
};

constexpr const char* kSmallSweep =
    "--channels 1,2 --dies 1,2 --orders PCWD --striping full --allocation static --requests 200 ";

TEST_F(TbStriping, WritesAResultThatItsSchemaAccepts) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(kSmallSweep + ("--out " + out.string()));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("16 points"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("random write, PCWD, striping full, static"), std::string::npos) << run.output;
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 16U);
    EXPECT_EQ(result["points"][1]["parameters"]["channels"], 2);
    EXPECT_EQ(result["points"][2]["parameters"]["dies_per_channel"], 2);
    EXPECT_EQ(result["points"][0]["derived"]["bound_by"], "dies");
    EXPECT_GE(result["figures"].size(), 4U) << "a map of throughput each";
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

TEST_F(TbStriping, TellsHowManyPointsThereAreBeforeItRunsThem) {
    const Outcome whole = execute("--dry-run");
    EXPECT_EQ(whole.code, 0) << whole.output;
    expect_text(whole, {"640 points: ", "options such as --channels, --dies and --orders choose fewer",
                        "dry run: no mistake found; 640 points, "});
    const Outcome part = execute("--dry-run --channels 2,4 --patterns random");
    expect_text(part, {"dry run: no mistake found; 128 points, "});
    EXPECT_EQ(part.output.find("choose fewer"), std::string::npos) << part.output;
    const std::string help = execute("--help").output;
    EXPECT_LT(help.find("640 points"), help.find("--channels")) << help;
}

TEST_F(TbStriping, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(std::string(kSmallSweep) + "--patterns random");
}

TEST_F(TbStriping, PointsThatRanElsewhereGiveTheSameTablesAndResult) {
    const std::string sweep = kSmallSweep + std::string("--patterns random ");
    const fs::path points = folder_ / "points";
    const fs::path here = folder_ / "here";
    const fs::path there = folder_ / "there";
    const auto refused = [this](const std::string& arguments, const std::vector<std::string>& wanted) {
        const Outcome run = execute(arguments + " --out " + (folder_ / "refused").string());
        EXPECT_EQ(run.code, 2);
        expect_text(run, wanted);
        EXPECT_FALSE(fs::exists(folder_ / "refused" / "result.json"));
    };
    const Outcome run = execute(sweep + "--out " + here.string());
    EXPECT_EQ(execute(sweep + "--list-points " + points.string()).code, 0);
    std::vector<fs::path> files;
    std::ranges::copy(fs::directory_iterator(points), std::back_inserter(files));
    ASSERT_EQ(files.size(), 8U);
    refused(sweep + "--collect " + points.string(),
            {"0001/result.json: cannot be read; allowed: point 1 of tb_striping"});
    for (const fs::path& file : files) {
        const Outcome point =
            execute(file.string() + " --quiet --out " + fs::path(file).replace_extension().string());
        EXPECT_EQ(point.code, 0) << point.output;
        EXPECT_EQ(point.output, "");
    }
    const std::string collect = sweep + "--collect " + points.string() + " --out " + there.string();
    EXPECT_EQ(execute(collect).output, run.output);
    EXPECT_EQ(without_wall_times(result_in(there)).dump(), without_wall_times(result_in(here)).dump());
    fs::copy_file(points / "0002" / "result.json", points / "0001" / "result.json",
                  fs::copy_options::overwrite_existing);
    refused(sweep + "--collect " + points.string(), {"0001/result.json: found something else"});
    refused(sweep + "--point 9", {"--point: found 9; allowed: a point of the study, which has 8"});
    refused(sweep + "--point 1 --list-points " + points.string(), {"exclude each other"});
    refused(sweep + "--collect /dev/null", {"--collect: found /dev/null, no folder"});
    EXPECT_NE(execute(sweep + "--point 1").output.find("--point: found without --out"), std::string::npos);
}

TEST_F(TbStriping, JasmineIsReproduced) {
    const Outcome run = execute("--study jasmine");
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"J1", "J5", "39.3", "102.8", "reproduced"});
    EXPECT_EQ(run.output.find("not reproduced"), std::string::npos) << run.output;
}

TEST_F(TbStriping, RefusesWhatItCannotSweep) {
    expect_refused("--channels 0", {"--channels", "found 0", "1 to 64"});
    expect_refused("--channels 1,2,1", {"--channels", "found 1 twice"});
    expect_refused("--dies 4,x", {"--dies", "found x"});
    expect_refused("--orders CCDP", {"--orders", "found CCDP", "PCWD"});
    expect_refused("--striping half", {"--striping", "full, none"});
    expect_refused("--allocation random", {"--allocation", "static, dynamic"});
    expect_refused("--patterns mixed", {"--patterns", "sequential, random"});
    expect_refused("--operations trim", {"--operations", "read, write"});
    expect_refused("--size 3000", {"--size", "found 3000", "power of two"});
    expect_refused("--random-size 512", {"--random-size", "found 512", "4096"});
    expect_refused("--requests 1", {"--requests", "found 1"});
    expect_refused("--study all", {"--study", "sweep, jasmine"});
    expect_refused("--workload random,count=5", {"--workload", "tb_replay"});
    expect_refused("--chanels 3", {"--channels"});
    expect_refused("--study jasmine --queue-depth 3 --dies 2 --size 64k",
                   {"--queue-depth: found with --study jasmine", "--dies: found with --study jasmine",
                    "--size: found with --study jasmine"});
}

TEST_F(TbStriping, RefusesADeviceThatIsImpossibleOrTooSmallBeforeAnythingRuns) {
    expect_refused(std::string(kSmallSweep) + "--set nand.geometry.blocks=12 --set ssd.over_provisioning=0.6",
                   {"too small"});
    expect_refused("--preset jasmine --channels 16 --dies 8", {"dram.size"});
}

}  // namespace
