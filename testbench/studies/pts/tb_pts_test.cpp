// SPDX-License-Identifier: Apache-2.0
//
// tb_pts as a user runs it.
#include <map>

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbPts : public ScenarioTest {
  protected:
    TbPts() : ScenarioTest(solidtlm::built_path("tb_pts"), "at a time") {}
};

constexpr const char* kSmall = "--preset tiny --cell 40 --rounds 5 ";

TEST_F(TbPts, WritesAResultThatItsSchemaAccepts) {
    const fs::path out = folder_ / "out";
    const Outcome run =
        execute(kSmall + ("--tests iops,throughput,latency,saturation --fills 1 --out " + out.string()));
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"5 drives, 2 at a time", "Last round", "throughput", "saturation"});
    const Json result = result_in(out);
    std::map<std::string, std::size_t> cells;
    for (const Json& point : result["points"]) {
        const Json& parameters = point["parameters"];
        if (!parameters.contains("round")) {
            EXPECT_FALSE(point["result"].empty()) << "a test's drive has a result of its own";
            EXPECT_NE(point["derived"]["deviations"].get<std::string>().find("a cell is 40 requests"),
                      std::string::npos);
            continue;
        }
        ++cells[parameters["test"]];
        EXPECT_EQ(point["result"], Json::object());
        const Json& derived = point["derived"];
        EXPECT_GE(derived["requests"], 40);
        EXPECT_NEAR(derived["iops"].get<double>() * derived["seconds"].get<double>(),
                    derived["requests"].get<double>(), 1e-6);
        const double bytes = derived["requests"].get<double>() * parameters["block_bytes"].get<double>();
        EXPECT_NEAR(derived["mb_per_s"].get<double>() * 1e6 * derived["seconds"].get<double>(), bytes, 1.0);
        EXPECT_EQ(derived["written_bytes"] == 0, derived["write_amplification"].is_null());
    }
    EXPECT_EQ(cells["iops"], 5U * 56U);
    EXPECT_EQ(cells["throughput"], 2U * 5U * 2U);
    EXPECT_EQ(cells["latency"], 5U * 9U);
    EXPECT_EQ(cells["saturation"], 50U) << "each round writes a fiftieth of the drive";
    expect_valid_result(out);
}

TEST_F(TbPts, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(std::string(kSmall) + "--tests iops,latency --blocks 4k --reads 65,0");
}

TEST_F(TbPts, StopsAtTheFirstSteadyWindow) {
    const Json result =
        result_of("--preset tiny --cell 4000 --tests iops --blocks 4k --reads 0 --mode client");
    const Json& derived = result["points"][0]["derived"];
    EXPECT_EQ(derived["steady"], true);
    EXPECT_LT(derived["rounds"], 25);
    EXPECT_EQ(result["points"].size(), 1U + derived["rounds"].get<std::size_t>());
}

TEST_F(TbPts, MeasuresADriveOfTheGallery) {
    const Json result = result_of(
        "--drive intel-s3700/data-sheet --tests iops --blocks 4k --reads 100 --cell 200 --rounds 5 "
        "--overwrite 0");
    EXPECT_EQ(result["points"][0]["result"]["config"]["nand"]["geometry"]["blocks"], 256) << "scaled down";
}

TEST_F(TbPts, RefusesMistakes) {
    expect_refused("--tests some", {"--tests", "iops, throughput, latency, saturation"});
    expect_refused("--cell 0s", {"--cell", "found 0s", "60s"});
    expect_refused("--cell 5parsec", {"--cell", "found 5parsec"});
    expect_refused("--rounds 26", {"--rounds", "found 26", "1 to 25"});
    expect_refused("--blocks 3k", {"--blocks", "found 3k", "power of two"});
    expect_refused("--reads 101", {"--reads", "found 101"});
    expect_refused("--mode home", {"--mode", "enterprise, client"});
    expect_refused("--drive intel-s3700/none", {"--drive", "intel-s3700/data-sheet"});
    expect_refused("--drive none/none", {"none"});
    expect_refused("--workload random,count=5", {"--workload", "tb_replay"});
    expect_refused("--precondition fill=1", {"--precondition", "the specification says"});
}

}  // namespace
