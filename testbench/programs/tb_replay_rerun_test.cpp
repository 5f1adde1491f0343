// SPDX-License-Identifier: Apache-2.0
//
// Run files, re-runs of results, and comparisons of results.
#include <cstdlib>
#include <random>

#include "testbench/programs/tb_replay_fixture.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

/// Draws command lines of short runs of small drives.
class DrawnRun {
  public:
    explicit DrawnRun(std::uint64_t seed) : random_(seed * 104'729) {
        add("--seed", {std::to_string(seed)});
        const bool adapter = some(6);
        const bool blocks = !adapter && some(6);
        if (adapter) {
            add("--host", {"ahci"});
        } else if (some(3)) {
            add("--content", {"bytes", "none"});
        }
        if (blocks) {
            add("--set firmware.translation=", {"fast", "fmax", "bast"});
        } else {
            add("--set firmware.gc.policy=", {"greedy", "cost_benefit", "fifo", "random"});
            add("--set firmware.allocation.mode=", {"static", "dynamic"});
            add("--set firmware.trim.persist=", {"lazy", "journal", "immediate"});
        }
        add("--set nand.timing.read=", {"30us", "40us,70us"});
        add("--set nand.geometry.channels=", {"1", "2"});
        const bool cuts = !adapter && !blocks && some(3);
        if (cuts) {
            add("", {"--power-cut-every 15ms", "--power-cut-at 2ms,9ms --power-off 300us"});
        }
        if (some(2)) {
            add("--precondition ", {"", "fill=0.7,random=0.5", "random=1,trim=0.1,pattern=zipf"});
        }
        draw_load();
    }

    [[nodiscard]] const std::string& arguments() const { return arguments_; }

  private:
    void draw_load() {
        if (some(5)) {
            add("--workload ", {"postmark,files=60,transactions=150", "filebench_delete,files=100"});
            return;
        }
        if (some(4)) {
            add("--trace " + source_path("traces/"), {"sample.nbd.xz", "ahci_ext4.cmds.xz"});
            arguments_ += " --fit scale --limit 1500";
            add("--pacing ", {"open", "closed"});
            return;
        }
        add("--workload ", {"random,read=0.5,count=1500", "zipf,read=0.3,trim=0.05,flush=40,count=1500",
                            "hotcold,read=0.7,size=4k:3/64k:1,count=800", "random,rate=20k,count=1500",
                            "sequential,read=0,size=64k,bytes=16MiB"});
        if (some(2)) {
            add("--queue-depth ", {"1", "7", "32"});
        }
        if (some(4)) {
            add("--warm-up ", {"200", "steady"});
        }
        if (some(4)) {
            arguments_ += " --limit 700";
        }
        if (some(4)) {
            add("--regroup-trims ", {"per_extent", "batched", "queued"});
        }
    }

    bool some(std::uint64_t one_in) { return random_() % one_in == 0; }
    /// `option` ends with "=" or " ", after which its value follows.
    void add(const std::string& option, const std::vector<std::string>& values) {
        const bool joined =
            option.empty() || option.ends_with('=') || option.ends_with('/') || option.ends_with(' ');
        arguments_ += " " + option + (joined ? "" : " ") + values[random_() % values.size()];
    }

    std::mt19937_64 random_;
    std::string arguments_ = "--preset tiny";
};

class TbReplayRerun : public TbReplay {
  protected:
    [[nodiscard]] std::string saved() const { return (folder_ / "out" / "result.json").string(); }
};

// The variable SOLIDTLM_RERUNS changes the number of runs.
TEST_F(TbReplayRerun, GivesTheSameResult) {
    const char* asked = std::getenv("SOLIDTLM_RERUNS");
    const std::uint64_t runs = asked != nullptr ? std::stoull(asked) : 30;
    std::uint64_t refused = 0;
    for (std::uint64_t seed = 1; seed <= runs + refused; ++seed) {
        const std::string arguments = DrawnRun(seed).arguments();
        const Outcome first = execute(arguments + " --quiet --out " + (folder_ / "out").string());
        if (first.code == 2 && ++refused <= runs / 4) {  // e.g. a file system that is too large for the drive
            continue;
        }
        // Exit code 1: a load that does not suit the drive; the re-run must show the same faults.
        ASSERT_LE(first.code, 1) << "seed " << seed << ": " << arguments << "\n" << first.output;
        const Outcome again = execute("--rerun " + saved());
        EXPECT_EQ(again.code, first.code) << "seed " << seed << ": " << arguments << "\n" << again.output;
        EXPECT_NE(again.output.find("the same result as " + saved() + "\n"), std::string::npos)
            << "seed " << seed << ": " << arguments << "\n"
            << again.output;
    }
}

TEST_F(TbReplayRerun, ReportsDifferences) {
    (void)result_of("--preset tiny --workload random,read=0.5,count=500 --precondition --queue-depth 4");
    const Outcome deeper =
        execute("--quiet --rerun " + saved() + " --queue-depth 8 --set sata.queue_depth=16");
    EXPECT_EQ(deeper.code, 1);
    expect_text(deeper, {"error: parameters.queue_depth: found 8, saved 4\n",
                         "error: config.sata.queue_depth: found 16, saved 32\n", "error: host.iops: found ",
                         " values differ from " + saved() + "\n"});
    Json old = result_in(folder_ / "out");
    old["version"] = "0.0.7";
    const std::string earlier = file("earlier.json", old.dump());
    expect_text(execute("--rerun " + earlier),
                {"the same result as " + earlier + "; " + earlier + " is of 0.0.7, this is "});
    expect_refused("--rerun " + earlier + " --set nand.geometry.chanels=3",
                   {"did you mean nand.geometry.channels?", "error: --rerun: " + earlier + " is of 0.0.7"});
}

// In this run, Data FISes end at instants at which the firmware issues programs, whose data pass through the
// same DRAM.
TEST_F(TbReplayRerun, GivesTheSameResultInStep) {
    (void)result_of(
        "--preset study_c --set nand.geometry.blocks=19 --set nand.geometry.pages=64 "
        "--set ssd.over_provisioning=0.5 --set firmware.write_buffer.policy=write_back --content none --seed "
        "3 "
        "--workload iozone,scale=device,count=3000 --queue-depth 32 --power-off 20us --power-cut-at "
        "1.7ms,11ms --until 40ms");
    const Outcome in_step = execute("--quiet --rerun " + saved() + " --set run_ahead=0s");
    expect_text(in_step, {"config.run_ahead: found ", "error: 1 values differ from "});
}

TEST_F(TbReplayRerun, IsShownBesideASavedResult) {
    const std::string run = "--preset tiny --workload random,read=0.5,count=500 --queue-depth ";
    (void)result_of(run + "4");
    const Outcome beside = execute(run + "8 --compare-result " + saved());
    EXPECT_EQ(beside.code, 0) << beside.output;
    expect_text(beside, {"parameters.queue_depth: found 8, saved 4\n",
                         "Side by side, changes against " + saved(), "this run"});
    expect_refused(run + "8 --compare-set nand.geometry.channels=1 --compare-result " + saved(),
                   {"--compare-result: found with --compare or --compare-set"});
}

TEST_F(TbReplayRerun, RepeatsAComparison) {
    (void)result_of("--preset tiny --workload random,count=300 --compare-set nand.geometry.channels=1");
    const Outcome again = execute("--rerun " + saved());
    EXPECT_EQ(again.code, 0) << again.output;
    expect_text(again, {"the same result as " + saved()});
}

TEST_F(TbReplayRerun, ARunFileThatWasPrintedIsTheRun) {
    const std::string arguments =
        "--preset tiny --set nand.geometry.channels=1 --workload random,read=0.5,count=400 --precondition "
        "--power-cut-at 3ms --queue-depth 5";
    const Json first = result_of(arguments);
    const std::string run = file("run.toml", execute(arguments + " --show-config").output);
    EXPECT_EQ(without_wall_times(result_of(run, "again")), without_wall_times(first));
    expect_valid_result(folder_ / "again");
}

TEST_F(TbReplayRerun, ReportsMissingFilesBeforeAnythingRuns) {
    const std::string trace = file("t.nbd", "# t_us op lba512 nsect flags content\n0 W 0 8 - +\n10 R 0 8\n");
    (void)result_of("--preset tiny --trace " + trace);
    fs::remove(trace);
    expect_refused("--rerun " + saved(), {trace});
    const std::string run =
        file("run.toml", "preset = \"tiny\"\n[run]\ntrace = \"" + trace +
                             "\"\nload_state = \"none.drive\"\nqueue_deth = 3\n[nand]\ngeometri = 2\n");
    expect_refused(run, {run + ":5: run.queue_deth: unknown key; did you mean queue_depth?",
                         run + ":7: nand.geometri: unknown key", trace});
}

}  // namespace
}  // namespace solidtlm::testbench
