// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks on a file system, and traces with regrouped trims, as a user runs them.
#include "testbench/programs/tb_replay_fixture.h"

namespace solidtlm::testbench {
namespace {

class TbReplayFilesystem : public TbReplay {};

constexpr const char* kPostmark =
    "--preset tiny --workload postmark,files=200,transactions=1000,fsync=0.1,journal=1MiB,memory=1MiB,";

TEST_F(TbReplayFilesystem, WritesAResultThatTheSchemaKnows) {
    const Json result = result_of(std::string(kPostmark) + "discard=batched");
    EXPECT_EQ(result["filesystem"]["operations"], 1000);
    EXPECT_EQ(result["filesystem"]["trims"], result["host"]["trim"]["count"]);
    EXPECT_EQ(result["parameters"]["pacing"], "open");
    expect_valid_result(folder_ / "out");
}

TEST_F(TbReplayFilesystem, ShowsTheBenchmarksCounters) {
    const Outcome run = execute(std::string(kPostmark) + "discard=queued");
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("File system\n"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("(1,000 operations)"), std::string::npos) << run.output;
}

// Recording changes no result, and a repeated run gives the same result.
TEST_F(TbReplayFilesystem, IsTheSameWithRecorders) {
    const std::string arguments = std::string(kPostmark) + "discard=per_extent";
    const Json plain = result_of(arguments);
    const Json recorded = result_of(arguments + " --timeline " + (folder_ / "timeline.json").string());
    EXPECT_EQ(without_wall_times(plain), without_wall_times(recorded));
}

TEST_F(TbReplayFilesystem, RefusesOptionsThatABenchmarkCannotUse) {
    expect_refused("--preset tiny --workload postmark,journal=1MiB --pacing closed", {"--pacing closed"});
    expect_refused("--preset tiny --workload postmark,journal=1MiB --speed 2", {"--speed"});
    expect_refused("--preset tiny --workload postmark,journal=1MiB --limit 5", {"--limit"});
    expect_refused("--preset tiny --workload postmark,journal=1MiB --regroup-trims batched", {"discard="});
    expect_refused("--preset tiny --workload filebench_delete", {"files: found 30000"});
    expect_refused("--preset tiny --workload postmark,discard=all", {"discard: found all", "fstrim"});
    expect_refused("--preset tiny --workload postmrk", {"did you mean postmark?"});
}

TEST_F(TbReplayFilesystem, RegroupsTheTrimsOfATrace) {
    const std::string trace = file("t.nbd",
                                   "0 T 0 8\n"
                                   "100 T 800 8\n"
                                   "200 T 1600 8\n"
                                   "300 R 0 8\n");
    const std::string arguments = "--preset tiny --trace " + trace + " --format nbd --regroup-trims ";
    EXPECT_EQ(result_of(arguments + "batched")["host"]["trim"]["count"], 1);
    EXPECT_EQ(result_of(arguments + "per_extent")["host"]["trim"]["count"], 3);
    EXPECT_EQ(result_of(arguments + "queued")["parameters"]["regroup_trims"], "queued");
    expect_refused(arguments + "all", {"per_extent, batched, queued"});
}

}  // namespace
}  // namespace solidtlm::testbench
