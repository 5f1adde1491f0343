// SPDX-License-Identifier: Apache-2.0
//
// tb_gallery as a user runs it.
#include <cmath>

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbGallery : public ScenarioTest {
  protected:
    TbGallery() : ScenarioTest(solidtlm::built_path("tb_gallery"), "points") {}
};

// Reads from a drive at a sixteenth of its size; takes a few seconds.
constexpr const char* kShort = "samsung-860-pro --only samsung-860-pro/microserver-g8/random-read ";

TEST_F(TbGallery, PrintsPublishedAndModel) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(kShort + ("--out " + out.string()));
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"7 points", "Samsung 860 PRO 512 GB (2018); HP Microserver G8", "fio-plot", "52,419.3",
                      "Mean absolute error", "predicted", "SATA drives: error in %",
                      "rates of curves: two published rates", "Values that a drive's own figures determine"});
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 7U);
    const Json& saturated = result["points"][5];
    EXPECT_EQ(saturated["parameters"]["depth"], 32);
    EXPECT_NEAR(saturated["derived"]["iops"].get<double>(), 52'413.0, 50.0)
        << "the link, whose turnaround was computed from this rate";
    EXPECT_EQ(saturated["derived"]["published_iops"], 52419.34);
    EXPECT_LT(std::abs(saturated["derived"]["error_iops"].get<double>()), 0.005);
    EXPECT_EQ(saturated["derived"]["fitted"], "iops,mean_us,p50_us");
    EXPECT_EQ(saturated["derived"]["limit"], "link");
    EXPECT_EQ(saturated["derived"]["outside"], "iops,mean_us,p50_us,p99_us,p999_us");
    EXPECT_EQ(result["points"][0]["derived"]["limit"], "path") << "most sectors were never written";
    EXPECT_EQ(result["figures"].size(), 3U) << "errors, rate and latency";
    expect_valid_result(out);
}

TEST_F(TbGallery, DrawsHowFastADriveWritesAndPrintsWhatGuessesDo) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(
        "crucial-mx500 --only crucial-mx500/data-sheet/sequential-write --guesses --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"error while guesses move", "evidence", "what the model lacks"});
    const Json result = result_in(out);
    const Json& figures = result["figures"];
    ASSERT_EQ(figures.size(), 2U) << "errors, and write speed over amount written";
    EXPECT_EQ(figures[1]["series"].size(), 2U) << "published and model";
    expect_valid_result(out);
}

TEST_F(TbGallery, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(
        "samsung-860-pro --only samsung-860-pro/microserver-g8/random-read/1 --only "
        "samsung-860-pro/microserver-g8/random-read/4 "
        "--without host_time ");
}

TEST_F(TbGallery, RefusesWhatItCannotRun) {
    expect_refused("samsung-999", {"drive samsung-999", "samsung-pm883"});
    expect_refused("./nowhere", {"drive ./nowhere: found no folder"});
    expect_refused("--without magic", {"--without", "found magic", "host_time"});
    expect_refused("--only samsung-999", {"--only: found samsung-999"});
    expect_refused("--preset tiny", {"--preset"});
    expect_refused("--precondition", {"--precondition", "each test says"});
    expect_refused("jasmine --set nand.geometry.blocks=1", {"nand.geometry.blocks"});
}

}  // namespace
