// SPDX-License-Identifier: Apache-2.0
//
// tb_replay --compare as a user runs it.
#include "testbench/programs/tb_replay_fixture.h"

namespace {

using namespace solidtlm::testbench;

class Compare : public TbReplay {
  protected:
    Json result_of(const std::string& arguments) {
        const std::filesystem::path out = folder_ / "out";
        const Outcome run = execute(arguments + " --out " + out.string());
        EXPECT_EQ(run.code, 0) << run.output;
        text_ = run.output;
        return result_in(out);
    }

    const std::string workload_ =
        "--preset tiny --seed 3 --workload random,read=0.5,size=4k,count=2000 --precondition "
        "fill=1,random=1 ";
    std::string text_;
};

std::vector<std::string> devices(const Json& result) {
    std::vector<std::string> names;
    for (const auto& point : result["points"]) {
        names.push_back(point["parameters"]["device"]);
    }
    return names;
}

TEST_F(Compare, TwoFilesAreTwoDevices) {
    const std::string slow = file("slow.toml", "[nand.timing]\nread = \"100us\"\n");
    const std::string fast = file("fast.toml", "[nand.timing]\nread = \"20us\"\n");
    const Json result = result_of(workload_ + "--compare " + slow + " " + fast);
    EXPECT_EQ(devices(result), (std::vector<std::string>{"slow", "fast"}));
    const auto& points = result["points"];
    EXPECT_EQ(points[0]["result"]["config"]["nand"]["timing"]["read"][0], "100us");
    EXPECT_EQ(points[1]["result"]["config"]["nand"]["timing"]["read"][0], "20us");
    EXPECT_EQ(points[0]["result"]["host"]["requests"], 2000);
    EXPECT_GT(points[0]["result"]["host"]["latency_us"]["mean"],
              points[1]["result"]["host"]["latency_us"]["mean"]);
    EXPECT_EQ(result["figures"].size(), 2U);
    EXPECT_NE(text_.find("slow to fast"), std::string::npos) << text_;
    EXPECT_NE(text_.find("array"), std::string::npos) << text_;
}

TEST_F(Compare, ADeviceHasTheNumbersOfARunOfItsOwn) {
    const Json compared = result_of(workload_ + "--compare-set nand.geometry.channels=4");
    EXPECT_EQ(devices(compared), (std::vector<std::string>{"base", "nand.geometry.channels=4"}));
    const Json base = result_of(workload_);
    const Json variant = result_of(workload_ + "--set nand.geometry.channels=4");
    EXPECT_EQ(compared["points"][0]["result"]["host"], base["host"]);
    EXPECT_EQ(compared["points"][0]["result"]["ledger"], base["ledger"]);
    EXPECT_EQ(compared["points"][1]["result"]["host"], variant["host"]);
    EXPECT_EQ(compared["points"][1]["result"]["ledger"], variant["ledger"]);
}

TEST_F(Compare, TheSameFileTwiceIsTheSameDeviceTwice) {
    const std::string path = file("a.toml", "[sata]\ngeneration = \"gen2\"\n");
    const Json result = result_of(workload_ + "--compare " + path + " " + path);
    EXPECT_EQ(devices(result), (std::vector<std::string>{"a", "a #2"}));
    EXPECT_EQ(result["points"][0]["result"]["host"], result["points"][1]["result"]["host"]);
}

TEST_F(Compare, SeveralKeysInOneVariant) {
    const Json result = result_of(workload_ + "--compare-set 'sata.generation=gen1; sata.queue_depth=8'");
    const auto& sata = result["points"][1]["result"]["config"]["sata"];
    EXPECT_EQ(sata["generation"], "gen1");
    EXPECT_EQ(sata["queue_depth"], 8);
}

TEST_F(Compare, RefusesWhatCannotBeCompared) {
    const std::string good = file("good.toml", "[sata]\ngeneration = \"gen2\"\n");
    const std::string bad = file("bad.toml", "[sata]\ngeneration = \"gen9\"\n");
    expect_refused(workload_ + "--compare " + good + " " + (folder_ / "none.toml").string(),
                   {"error: ", "none.toml"});
    expect_refused(workload_ + "--compare " + good + " " + bad,
                   {"error: ", "bad.toml:2", "sata.generation", "gen9"});
    expect_refused(workload_ + "--compare-set sata.genration=gen1",
                   {"error: ", "sata.genration", "sata.generation"});
    expect_refused(workload_ + "--compare-set ' ; '", {"error: ", "--compare-set", "KEY=VALUE"});
    expect_refused("--preset tiny --compare " + good, {"--trace", "--workload"});
}

TEST_F(Compare, RefusesATraceThatLeavesOneOfTheDevices) {
    const std::string trace = file("far.nbd", "# t_us op lba512 nsect flags content\n0 W 20000 8 - +\n");
    const std::string arguments = "--preset tiny --trace " + trace + " --compare-set ";
    expect_refused(arguments + "ssd.capacity=8MiB", {"error: ", "device ssd.capacity=8MiB", "far.nbd"});
}

}  // namespace
