// SPDX-License-Identifier: Apache-2.0
//
// tb_trim as a user runs it.
#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"
#include "testbench/show/report/browser.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbTrim : public ScenarioTest {
  protected:
    TbTrim() : ScenarioTest(solidtlm::built_path("tb_trim"), "points") {}
};

constexpr const char* kRanges = "--parts ranges --region 32m --trimmed 64 --sizes 4k,64k,1m ";

TEST_F(TbTrim, MeasuresEveryShapeOnEveryDevice) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(kRanges + ("--out " + out.string()));
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"jasmine, cached: time of a TRIM command of 64 ranges", "default, hybrid",
                      "64 scattered ranges of 16 KiB", "firmware_execute", "D1", "D5", "-92.3 %"});
    const Json result = result_in(out);
    // 4 kinds of 1 range x 3 sizes; of 64 ranges only those with room: 4 KiB all, 64 KiB all; 7 counts. 1 MiB
    // x 64 has no room in 32 MiB.
    ASSERT_EQ(result["points"].size(), 8U * (4 * 3 + 4 * 2 + 7));
    for (const Json& point : result["points"]) {
        EXPECT_EQ(point["result"]["ledger"]["residual_ns"], 0);
        EXPECT_EQ(point["result"]["host"]["trim"]["count"], point["parameters"]["commands"]);
        EXPECT_GT(point["derived"]["command_us"], 0.0);
    }
    EXPECT_GE(result["figures"].size(), 8U * 2 + 2);
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

/// One command takes less time than many; it saves at most everything that they take in addition to their
/// ranges.
TEST_F(TbTrim, OneCommandOf64RangesIsShorterThan64Commands) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(
        "--parts ranges --region 32m --trimmed 128 --sizes 16k --counts 1,64 --mappings page "
        "--partials zeroed --placements scattered --starts aligned --quiet --out " +
        out.string());
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.output, "");
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 4U);
    for (std::size_t i = 0; i < 4; i += 2) {
        const double one = result["points"][i]["derived"]["command_us"];
        const double all = result["points"][i + 1]["derived"]["command_us"];
        EXPECT_LT(all, 64 * one);
        EXPECT_GT(all, one);
    }
    EXPECT_EQ(result["claims"].back()["id"], "D5");
}

TEST_F(TbTrim, RunsTheHostPartsAndDrawsThem) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(
        "--parts filesystem,latency,ageing --drives given --region 64m --reads 2000 --trim-percent 0,25 "
        "--rounds 0.5 --benchmark postmark,files=100,transactions=200 --benchmark filebench_delete,files=300 "
        "--partials zeroed "
        "--discards per_extent,batched --out " +
        out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"filebench_delete", "Random reads while TRIMs run", "trim_share", "D6"});
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 2U * 2 + 4 + 2);
    EXPECT_EQ(result["figures"].size(), 4U);
    if (!solidtlm::testbench::testing::have_browser()) {
        GTEST_SKIP() << "chromium is not installed";
    }
    const auto page = solidtlm::testbench::testing::open_page(out / "report.html");
    solidtlm::testbench::testing::expect_sound(page);
    EXPECT_GE(page.plots, 4);
    EXPECT_TRUE(page.shows("Mean latency of reads while TRIMs run"));
}

TEST_F(TbTrim, RefusesImpossibleMeasurements) {
    expect_refused("--parts all", {"--parts", "ranges, filesystem, latency, ageing"});
    expect_refused("--sizes 1000", {"--sizes", "found 1000", "multiple of 512"});
    expect_refused("--sizes 4k,4k", {"--sizes", "twice"});
    expect_refused("--ranges 65", {"--ranges", "found 65", "1 to 64"});
    expect_refused("--counts 0", {"--counts", "found 0"});
    expect_refused("--placements both", {"--placements", "contiguous, scattered"});
    expect_refused("--mappings fast", {"--mappings", "page, cached, hybrid"});
    expect_refused("--drives intel", {"--drives", "given"});
    expect_refused("--grain 100", {"--grain", "found 100"});
    expect_refused("--region 1k", {"--region", "found 1k"});
    expect_refused("--parts ranges --region 900g", {"--region", "at most"});
    expect_refused("--parts ranges --region 1m --sizes 64m --counts 64", {"nothing to run"});
    expect_refused("--discards some", {"--discards", "per_extent"});
    expect_refused("--parts filesystem --benchmark postmark,files=0", {"--benchmark: files: found 0"});
    expect_refused("--parts filesystem --benchmark iozone", {"--benchmark", "found iozone"});
    expect_refused("--partials some", {"--partials", "zeroed, kept"});
    expect_refused("--interval 0s", {"--interval", "found 0s"});
    expect_refused("--trim-percent 95", {"--trim-percent", "found 95"});
    expect_refused("--workload random,count=5", {"--workload", "tb_replay"});
    expect_refused("--queue-depth 4", {"--queue-depth"});
    expect_refused("--rangs 3", {"--rangs"});
}

}  // namespace
