// SPDX-License-Identifier: Apache-2.0
//
// tb_map_cache as a user runs it.
#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbMapCache : public ScenarioTest {
  protected:
    TbMapCache() : ScenarioTest(solidtlm::built_path("tb_map_cache"), "points") {}
};

TEST_F(TbMapCache, WithoutTimeRunsEveryPolicyOnTheWorkloadsOfTheStudy) {
    const fs::path out = folder_ / "off";
    const Outcome run = execute("--sizes 16k,64k --limit 2000 --details --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run,
                {"104 points: 26 caches on 4 loads", "pc: hit ratio", "financial: mean penalty", "tafp_256",
                 "tpftl", "Table 3", "Loads, and table 2", "B1", "B3", "B4", "B5", "B6", "--limit"});
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 104U);
    for (const Json& point : result["points"]) {
        const Json& cache = point["result"]["map_cache"];
        EXPECT_EQ(cache["hits"].get<std::uint64_t>() + cache["misses"].get<std::uint64_t>(),
                  cache["lookups"]);
        EXPECT_TRUE(cache["penalty_us"]["measured"]["total"].is_null());
        EXPECT_FALSE(point["result"].contains("windows_over_time"));
    }
    EXPECT_EQ(result["claims"].size(), 5U) << "32 KB was not run: no B2";
    EXPECT_EQ(result["figures"].size(), 4U * (1 + 4 + 2)) << "SLE, four curves, windows at two sizes";
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

// The signal comes when the second point's process runs, one at a time: the first has ended. Such points have
// no host and no drive.
TEST_F(TbMapCache, KeepsThePointsThatEndedBeforeASignal) {
    const fs::path out = folder_ / "part";
    const Outcome run = shell(
        solidtlm::built_path("tb_map_cache") +
        " --workloads pc --limit 200000 --policies bsb,full_page,half_page --jobs 1 --out " + out.string() +
        " 2>&1 & pid=$!; first=; while kill -0 $pid; do "
        "child=$(cat /proc/$pid/task/$pid/children); first=${first:-$child}; "
        "if [ -n \"$child\" ] && [ \"$child\" != \"$first\" ]; then kill -TERM $pid; break; fi; "
        "sleep 0.01; done; wait $pid");
    EXPECT_EQ(run.code, 143) << run.output;
    expect_text(run, {"interrupted: ", " more have not ended",
                      "error: interrupted by SIGTERM: ", "points have not ended, and nothing is concluded"});
    EXPECT_EQ(run.output.find("json"), std::string::npos) << run.output;
    const Json result = result_in(out);
    EXPECT_GE(result["points"].size(), 1U);
    EXPECT_GT(result["points_interrupted"], 0);
    EXPECT_TRUE(result["points"][0]["result"].contains("map_cache"));
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

TEST_F(TbMapCache, WithTimeTheThreePenaltiesDiffer) {
    const fs::path out = folder_ / "full";
    const Outcome run = execute(
        "--timing full --set nand.geometry.blocks=1024 --set firmware.gc.background_threshold=52 "
        "--workload pc,scale=device,count=3000 --policies full_page,tafp_8,bsb --sizes 8k --out " +
        out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"bytes of the entries", "whole sectors or codewords", "measured, waiting"});
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 3U);
    EXPECT_EQ(result["points"][0]["parameters"]["timing"], "full");
    EXPECT_GT(result["points"][2]["result"]["map_cache"]["windows"].size(), 0U) << "bsb chose";
    for (const Json& point : result["points"]) {
        EXPECT_EQ(point["result"]["verify"]["mismatches"], 0);
        EXPECT_EQ(point["result"]["ledger"]["residual_ns"], 0);
        const Json& penalty = point["result"]["map_cache"]["penalty_us"];
        EXPECT_GE(penalty["closed_form"]["total"], penalty["closed_form_entries"]["total"]);
        EXPECT_GT(penalty["measured"]["total"], 0.0);
    }
    const Json& tafp = result["points"][1]["derived"];
    EXPECT_GT(tafp["penalty_bus_us"], tafp["penalty_entries_us"]) << "8 bytes are a sector of 512";
    expect_valid_result(out);
}

TEST_F(TbMapCache, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs("--policies bsb,sftl,dftl --sizes 16k --limit 500");
}

TEST_F(TbMapCache, RunsATraceByItsPath) {
    const Outcome run = execute("--policies full_page,bsb --sizes 16k --trace " +
                                solidtlm::source_path("traces/nvme_xfs.cmds.xz"));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("2 points: 2 caches on 1 loads"), std::string::npos) << run.output;
    // Page requests: awk counts the 4 KiB pages that each read or write of the file touches.
    EXPECT_NE(run.output.find("52,146"), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find("B1"), std::string::npos) << "the study says nothing about this trace";
}

TEST_F(TbMapCache, ReportsAllImpossibleSettingsTogether) {
    expect_refused("--policies full_page,tafp_10,lru --sizes 1k,x --workloads pc,tpc",
                   {"--policies: found lru", "found a window of 10 bytes; allowed: a multiple of an entry",
                    "full_page: found a map cache of 1024 bytes; allowed: at least 4108", "--sizes: found x",
                    "--workloads: found tpc", "did you mean pc?"});
    expect_refused(
        "--policies bsb,bsb --sizes 16k,16384 --workloads pc,pc",
        {"--policies: found bsb twice", "--sizes: found 16384 twice", "--workloads: found pc twice"});
    expect_refused("--timing maybe", {"--timing", "off, full"});
    expect_refused("--queue-depth 4", {"--queue-depth", "--timing full"});
    expect_refused("--timing full --pacing open --warm-up 3", {"--pacing", "--warm-up", "tb_replay"});
    expect_refused("--workload pc,scal=0.1", {"scal", "did you mean scale?"});
    expect_refused("--trace /nonexistent", {"/nonexistent"});
    expect_refused("--set firmware.map_cache.policy=dlft", {"firmware.map_cache.policy", "found dlft"});
    expect_refused("--set firmware.map_cache.bsb_candidates=full,tafp_10",
                   {"bsb_candidates", "multiple of 4"});
    expect_refused("--preset tiny --workloads pc", {"scale=device"});
}

}  // namespace
