// SPDX-License-Identifier: Apache-2.0
//
// How tb_replay reads a trace, and what it prints about it.
#include "testbench/programs/tb_replay_fixture.h"

namespace solidtlm::testbench {
namespace {

constexpr const char* kTwoDisks =
    "8,0 0 1 0.000001 1 D R 64 + 8 [x]\n"
    "8,16 0 1 0.000003 1 D W 1000 + 8 [x]\n"
    "8,0 0 1 0.000002 1 D N 36 (12) [x]\n"
    "8,0 0 1 0.000002 1 Q R 64 + 8 [x]\n"
    "8,0 0 1 0.001002 1 D FF 0 [x]\n";

class TbReplayTrace : public TbReplay {
  protected:
    /// The lines about traces: from each line that begins with "trace " to the next line that is not
    /// indented.
    static std::string said_of_traces(const std::string& output) {
        const std::size_t begin = output.find("trace ");
        if (begin == std::string::npos) {
            return {};
        }
        std::size_t end = output.find('\n', begin) + 1;
        while (end < output.size() && output[end] == ' ') {
            end = output.find('\n', end) + 1;
        }
        return output.substr(begin, end - begin);
    }
};

TEST_F(TbReplayTrace, ReportsTheTraceInTableAndResult) {
    const std::string trace = file("two.blkparse", kTwoDisks);
    const Json result = result_of("--preset tiny --trace " + trace);
    ASSERT_EQ(result["traces"].size(), 1U);
    const Json& read = result["traces"][0];
    EXPECT_EQ(read["format"], "blkparse");
    EXPECT_EQ(read["format_by"], "by content: its first 5 lines read so");
    EXPECT_EQ(read["requests"], 3);
    EXPECT_EQ(read["reads"], 1);
    EXPECT_EQ(read["writes"], 1);
    EXPECT_EQ(read["trims"], 0);
    EXPECT_EQ(read["flushes"], 1);
    EXPECT_EQ(read["span_s"], 0.001001);
    EXPECT_EQ(read["lowest_lba"], 64);
    EXPECT_EQ(read["highest_lba"], 1007);
    EXPECT_EQ(read["devices"],
              (Json{{{"name", "8,0"}, {"requests", 2}}, {{"name", "8,16"}, {"requests", 1}}}));
    EXPECT_EQ(read["skipped"], 1);
    EXPECT_EQ(read["other_events"], 1);
    EXPECT_EQ(read["reordered"], 0);
    expect_valid_result(folder_ / "out");
}

TEST_F(TbReplayTrace, DescribeLoadReportsTheSame) {
    const std::string traces = file("two.blkparse", kTwoDisks) + " " + source_path("traces/four_fs.cmds.xz");
    std::string arguments = "--preset tiny --fit wrap --dry-run";
    std::istringstream names(traces);
    for (std::string name; names >> name;) {
        const Outcome replayed = execute(arguments + " --trace " + name);
        EXPECT_EQ(replayed.code, 0) << replayed.output;
        const Outcome described = shell(built_path("describe_load") + " " + name);
        EXPECT_EQ(described.code, 0) << described.output;
        EXPECT_NE(said_of_traces(replayed.output), "");
        EXPECT_EQ(said_of_traces(replayed.output), said_of_traces(described.output));
    }
}

TEST_F(TbReplayTrace, ChoosesFromATrace) {
    const std::string run = "--preset tiny --trace " + file("two.blkparse", kTwoDisks);
    const Json disk = result_of(run + " --device 8,16 --offset -400KiB --scale 0.5");
    EXPECT_EQ(disk["host"]["requests"], 1);
    EXPECT_EQ(disk["traces"][0]["other_devices"], 3);
    EXPECT_EQ(disk["parameters"]["device"], "8,16");
    EXPECT_EQ(disk["parameters"]["offset"], Json{"-400KiB"});
    EXPECT_EQ(disk["parameters"]["scale"], 0.5);
    EXPECT_EQ(result_of(run + " --action Q")["host"]["requests"], 1);
    EXPECT_EQ(result_of(run + " --trace-from 2us --trace-until 1001us")["host"]["requests"], 1);
    const Json declared =
        result_of("--preset tiny --trace " + file("my.csv", "10,0,R,0,512\n20,0,x,512,512\n") +
                  " --format columns:'time=1:us op=3{R,Read} offset=4:B size=5:B device=2 sep=,'");
    EXPECT_EQ(declared["traces"][0]["format"], "columns");
    EXPECT_EQ(declared["host"]["write"]["count"], 1);
}

TEST_F(TbReplayTrace, MergesTracesByTime) {
    const std::string traces = "--preset tiny --trace " + file("a.nbd", "0 W 0 8 - +\n500 R 0 8\n") +
                               " --trace " + file("b.nbd", "70 W 0 8 - +\n480 R 0 8\n") + " --offset 0,1MiB";
    const std::string run = traces + " --merge";
    const Json result = result_of(run);
    EXPECT_EQ(result["parameters"]["merge"], true);
    EXPECT_EQ(result["parameters"]["offset"], (Json{"0", "1MiB"}));
    EXPECT_EQ(result["traces"].size(), 2U);
    EXPECT_EQ(result["host"]["requests"], 4);
    EXPECT_EQ(execute("--rerun " + (folder_ / "out/result.json").string()).code, 0);
    // The last request, a read of what is in the write buffer, comes 500 us after the first; one after
    // another, 910 us.
    const Json after = result_of(traces, "after");
    EXPECT_NEAR(after["sim_time_s"].get<double>() - result["sim_time_s"].get<double>(), 410e-6, 1e-9);
    expect_text(execute(run + " --dry-run"), {"4 requests not simulated"});
    expect_refused(run + " --offset 0", {"--offset: found 3 values and 2 traces"});
    expect_refused("--preset tiny --workload random,count=1 --merge", {"--merge: found with 0 traces"});
}

TEST_F(TbReplayTrace, RefusesImpossibleSelections) {
    const std::string run = "--preset tiny --trace " + file("two.blkparse", kTwoDisks);
    expect_refused(run + " --device sda", {"holds no requests to device 'sda', but to 8,0, 8,16"});
    expect_refused(run + " --action X", {"--action: found X", "D, Q, C"});
    expect_refused(run + " --offset 100", {"--offset: found 100", "a multiple of 512"});
    expect_refused(run + " --scale 0", {"--scale: found 0"});
    expect_refused("--preset tiny --workload random,count=1 --device sda", {"--device", "without a trace"});
    expect_refused(run + " --format columns:'tim=1:us op=2'", {"did you mean time?", "op: found ''"});
}

}  // namespace
}  // namespace solidtlm::testbench
