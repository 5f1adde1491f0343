// SPDX-License-Identifier: Apache-2.0
//
// tb_disk as a user runs it. scripts/clients tests it with real clients.
#include <sys/mount.h>

#include <fstream>

#include "fw/testing/files.h"
#include "testbench/programs/scenario_fixture.h"

namespace solidtlm::testbench {
namespace {

class TbDisk : public ScenarioTest {
  protected:
    TbDisk() : ScenarioTest(built_path("tb_disk"), "Clients") {}

    void SetUp() override { SKIP_WITHOUT("nbdkit"); }
    /// Puts the private folders for sockets below the test's folder.
    [[nodiscard]] std::string temporary() const { return "TMPDIR=" + folder_.string() + " "; }
};

TEST_F(TbDisk, RefusesContradictoryOptions) {
    expect_refused("--preset tiny --time paced --think 3us --idle wall",
                   {"--think: found with --time paced; allowed: with --time afap",
                    "--idle: found with --time paced; allowed: with --time afap"});
    expect_refused("--preset tiny --factor 2",
                   {"--factor: found with --time afap; allowed: with --time paced"});
    expect_refused("--preset tiny --idle 5", {"--idle: found 5; allowed: none, wall, or a duration"});
    expect_refused("--preset tiny --set content=tags",
                   {"content: found tags; allowed: bytes, because clients"});
    expect_refused("--preset tiny --workload random --fit wrap --jobs 2",
                   {"unknown option --workload; requests come from clients",
                    "unknown option --fit; requests come from clients", "unknown option --jobs"});
    expect_refused("--preset tiny --host ahci --power-cut-every 1ms --after-power-cut boot",
                   {"--power-cut-every: found with host.interface = \"ahci\"; allowed: with link",
                    "--after-power-cut: found with host.interface = \"ahci\"; allowed: with link"});
    expect_refused(
        "--preset tiny --set firmware.translation=bast --power-cut-after-writes 4",
        {"--power-cut-after-writes: found with firmware.translation = \"bast\"; allowed: with page_map"});
    expect_refused(
        "--presett tiny --idle 5 --power-cut-every x --set nand.geometry.chanels=2 --load-state ''",
        {"did you mean --preset?", "--idle: found 5", "--power-cut-every: found x",
         "did you mean nand.geometry.channels?", "--load-state: found nothing"});
    expect_refused("--preset tiny --record both --save-state both", {"--record: found both"});
    expect_refused("--preset tiny --record " + folder_.string(), {"cannot write", "Is a directory"});
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

TEST_F(TbDisk, ReportsHowTheCommandEnded) {
    const Outcome run = execute("--preset tiny --quiet --run 'exit 3'");
    EXPECT_EQ(run.code, 1);
    expect_text(run, {"error: the command of --run has ended with exit code 3"});
}

TEST_F(TbDisk, ReportsWhyThereIsNoServer) {
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
    EXPECT_EQ(run.code, 128 + SIGTERM) << run.output;
    expect_text(run, {"Clients", "error: interrupted by SIGTERM at "});
    EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "the socket and its folder are gone";
}

/// When tb_disk is killed, nbdkit ends by itself and removes its socket.
TEST_F(TbDisk, LeavesNothingBehindWhenItIsKilled) {
    const Outcome run =
        shell(temporary() + built_path("tb_disk") + " --preset tiny --run 'kill -KILL $PPID; exec sleep 60'");
    EXPECT_EQ(run.code, 128 + SIGKILL);
    const Outcome gone = shell("for i in $(seq 300); do test -z \"$(ls -A " + folder_.string() +
                               ")\" && exit 0; sleep 0.1; done; exit 1");
    EXPECT_EQ(gone.code, 0) << "the socket is still there after 30 s";
}

/// The run ends at the power cut. The next run finds on flash everything that was durable, and possibly later
/// writes.
TEST_F(TbDisk, SavesADriveAsAPowerCutHasLeftIt) {
    SKIP_WITHOUT("nbdcopy");
    const std::string drive = (folder_ / "drive").string();
    const std::string image = (folder_ / "image").string();
    std::ofstream(image) << std::string(std::size_t{1} << 20U, 'x');
    const std::string copy = "nbdcopy --requests=1 --request-size=4096 " + image + " $uri";
    const Json cut = result_of("--preset tiny --power-cut-after-writes 100 --save-state " + drive +
                               " --run '" + copy + "; echo it fails with $?'");
    EXPECT_EQ(cut["power"]["cuts"], 1);
    EXPECT_EQ(cut["disk"]["requests"]["write"], 100);
    EXPECT_EQ(cut["faults"], Json::array());
    const Json next =
        result_of("--preset tiny --boot timed --run 'nbdcopy $uri null:' --load-state " + drive);
    EXPECT_GE(next["power"]["audited_sectors"], 800) << "the audit checks all sectors before any is read";
    EXPECT_GT(next["verify"]["reads_checked"], 0);
    EXPECT_EQ(next["faults"], Json::array());
}

TEST_F(TbDisk, ComesBackAfterAPowerCut) {
    SKIP_WITHOUT("nbdinfo", "pgrep");
    const std::filesystem::path script = folder_ / "client";
    std::ofstream(script) << R"(
soon() {
    for try in $(seq 3000); do "$@" && return; sleep 0.01; done
    echo "not after 3000 tries: $*"
    exit 1
}
restarted() { now=$(pgrep -P $PPID nbdkit) && test "$now" != "$before"; }
for cut in 1 2; do
    before=$(pgrep -P $PPID nbdkit)
    kill -USR2 $PPID
    soon restarted
    soon nbdinfo --size $uri
done)";
    const Json result = result_of("--preset tiny --after-power-cut boot --run '. " + script.string() + "'");
    EXPECT_EQ(result["power"]["cuts"], 2);
}

TEST_F(TbDisk, IgnoresThePowerSignalUnlessEnabled) {
    SKIP_WITHOUT("nbdinfo");
    const Outcome run =
        execute("--preset tiny --quiet --run 'kill -USR2 $PPID; sleep 0.2; nbdinfo --size $uri'");
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"SIGUSR2 cuts the power with --after-power-cut"});
    expect_refused("--preset tiny --set firmware.translation=bast --after-power-cut boot",
                   {"--after-power-cut", "found with firmware.translation", "allowed: with page_map"});
}

TEST_F(TbDisk, ReportsProgressOnASignal) {
    const std::string out = (folder_ / "out").string();
    const Outcome run =
        execute("--preset tiny --out " + out + " --run 'kill -USR1 $PPID; for i in $(seq 200); do " +
                "test -e " + out + "/result.json && exec mv " + out + "/result.json " + out +
                "/then.json; sleep 0.1; done; exit 1'");
    EXPECT_EQ(run.code, 0) << run.output;
    const Json then = Json::parse(read_file(folder_ / "out" / "then.json"));
    EXPECT_EQ(then["scenario"], "tb_disk");
    EXPECT_TRUE(then["disk"].contains("requests"));
}

TEST_F(TbDisk, LetsOneRunAtATimeReplaceASavedDrive) {
    const std::string drive = (folder_ / "drive").string();
    const std::string arguments = " --preset tiny --quiet --save-state " + drive + " --run ";
    const Outcome both = execute(arguments + "'" + built_path("tb_disk") + arguments + "true'");
    EXPECT_EQ(both.code, 1);
    expect_text(both, {"error: " + drive + " is in use by another run"});
    EXPECT_EQ(execute(arguments + "true").code, 0);
}

/// The result of a long run is still written if the drive cannot be saved.
TEST_F(TbDisk, WritesItsResultIfTheDriveCannotBeSaved) {
    SKIP_WITHOUT("nbdinfo");
    if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=16k") != 0) {
        GTEST_SKIP() << "only root mounts small file systems";
    }
    const Outcome run = execute("--preset tiny --save-state " + (folder_ / "drive").string() +
                                " --run 'nbdinfo $uri'" + " --precondition fill=1,random=0");
    EXPECT_EQ(::umount(folder_.c_str()), 0);
    EXPECT_EQ(run.code, 1);
    expect_text(run, {"No space left on device", "Checks"});
}

}  // namespace
}  // namespace solidtlm::testbench
