// SPDX-License-Identifier: Apache-2.0
//
// tb_striping as a user runs it.
#include "fw/testing/places.h"
#include "testbench/scenarios/scenario_fixture.h"

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

TEST_F(TbStriping, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(std::string(kSmallSweep) + "--patterns random");
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
