// SPDX-License-Identifier: Apache-2.0
//
// tb_disk as a user runs it. What real clients do is tested by scripts/clients.
#include "testbench/scenarios/scenario_fixture.h"

namespace solidtlm::testbench {
namespace {

class TbDisk : public ScenarioTest {
  protected:
    TbDisk() : ScenarioTest(built_path("tb_disk"), "Clients") {}

    void SetUp() override {
        if (shell("command -v nbdkit").code != 0) {
            GTEST_SKIP() << "nbdkit is not installed";
        }
    }
    /// Of the private folders for sockets.
    [[nodiscard]] std::string temporary() const { return "TMPDIR=" + folder_.string() + " "; }
};

TEST_F(TbDisk, RefusesWhatDoesNotBelongTogether) {
    expect_refused("--preset tiny --time paced --think 3us", {"leave out --think and --idle"});
    expect_refused("--preset tiny --factor 2", {"only with --time paced"});
    expect_refused("--preset tiny --idle 5", {"--idle: found 5; allowed: none, wall, or a duration"});
    expect_refused("--preset tiny --content tags", {"--content", "allowed: bytes"});
    expect_refused("--preset tiny --workload random", {"requests come from clients"});
    expect_refused("--preset tiny --set nand.geometry.chanels=2", {"did you mean nand.geometry.channels?"});
}

TEST_F(TbDisk, RunsACommandAndGivesAResult) {
    const Json result = result_of("--preset tiny --run 'echo uri $uri; test -S $unixsocket'");
    EXPECT_EQ(result["scenario"], "tb_disk");
    EXPECT_EQ(result["host"]["issued"], 0);
    EXPECT_EQ(result["disk"]["time"], "afap");
    EXPECT_EQ(result["disk"]["think_us"], 5.0);
    expect_valid_result(folder_ / "out");
}

TEST_F(TbDisk, TellsHowTheCommandEnded) {
    const Outcome run = execute("--preset tiny --quiet --run 'exit 3'");
    EXPECT_EQ(run.code, 1);
    expect_text(run, {"error: the command of --run has ended with exit code 3"});
}

TEST_F(TbDisk, TellsWhyThereIsNoServer) {
    const std::string arguments = "--preset tiny --quiet --run true ";
    const Outcome taken = execute(arguments + "--socket " + folder_.string());
    EXPECT_EQ(taken.code, 1);
    expect_text(taken, {"error: nbdkit did not start"});
    const Outcome missing = shell("PATH= " + built_path("tb_disk") + " " + arguments);
    EXPECT_EQ(missing.code, 1);
    expect_text(missing, {"error: nbdkit is not installed"});
}

TEST_F(TbDisk, EndsInOrderWhenAskedTo) {
    const Outcome run =
        shell(temporary() + built_path("tb_disk") + " --preset tiny --run 'kill -TERM $PPID; exec sleep 60'");
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"Clients"});
    EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "the socket and its folder are gone";
}

/// nbdkit ends by itself then, and takes its socket along.
TEST_F(TbDisk, LeavesNothingBehindWhenItIsKilled) {
    const Outcome run =
        shell(temporary() + built_path("tb_disk") + " --preset tiny --run 'kill -KILL $PPID; exec sleep 60'");
    EXPECT_EQ(run.code, 128 + SIGKILL);
    const Outcome gone = shell("for i in $(seq 300); do test -z \"$(ls -A " + folder_.string() +
                               ")\" && exit 0; sleep 0.1; done; exit 1");
    EXPECT_EQ(gone.code, 0) << "the socket is still there after 30 s";
}

}  // namespace
}  // namespace solidtlm::testbench
