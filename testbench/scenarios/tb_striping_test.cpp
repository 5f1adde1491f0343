// SPDX-License-Identifier: Apache-2.0
//
// tb_striping as a user runs it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "testbench/scenarios/shell.h"

namespace {

namespace fs = std::filesystem;
using solidtlm::testbench::Outcome;
using solidtlm::testbench::shell;

class TbStriping : public ::testing::Test {
  protected:
    TbStriping() : folder_(fs::path(::testing::TempDir()) / ("tb_striping_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~TbStriping() override { fs::remove_all(folder_); }

    static Outcome sweep(const std::string& arguments) {
        return shell(std::string(SOLIDTLM_TB_STRIPING) + " " + arguments);
    }

    /// A mistake of the user: exit code 2, nothing simulated, and a message that says `wanted`.
    static void expect_refused(const std::string& arguments, const std::vector<std::string>& wanted) {
        const Outcome run = sweep(arguments);
        EXPECT_EQ(run.code, 2) << run.output;
        for (const std::string& text : wanted) {
            EXPECT_NE(run.output.find(text), std::string::npos) << "'" << text << "' is not in:\n"
                                                                << run.output;
        }
        EXPECT_EQ(run.output.find("points"), std::string::npos) << run.output;
    }

    fs::path folder_;
};

constexpr const char* kSmall =
    "--channels 1,2 --dies 1,2 --orders PCWD --striping full --allocation static --requests 200 ";

TEST_F(TbStriping, WritesAResultThatItsSchemaAccepts) {
    const fs::path out = folder_ / "out";
    const Outcome run = sweep(kSmall + ("--out " + out.string()));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("16 points"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("random write, PCWD, striping full, static"), std::string::npos) << run.output;
    std::ifstream stream(out / "result.json");
    const nlohmann::json result = nlohmann::json::parse(stream);
    ASSERT_EQ(result["points"].size(), 16U);
    EXPECT_EQ(result["points"][1]["parameters"]["channels"], 2);
    EXPECT_EQ(result["points"][2]["parameters"]["dies_per_channel"], 2);
    EXPECT_EQ(result["points"][0]["derived"]["bound_by"], "dies");
    EXPECT_GE(result["figures"].size(), 4U) << "a map of throughput each";
    EXPECT_TRUE(fs::exists(out / "report.html"));
    if (shell("python3 -c 'import jsonschema'").code != 0) {
        GTEST_SKIP() << "python3-jsonschema is not installed";
    }
    const Outcome check =
        shell(std::string(SOLIDTLM_SOURCE_DIR) + "/scripts/check-result " + (out / "result.json").string());
    EXPECT_EQ(check.code, 0) << check.output;
}

TEST_F(TbStriping, TheNumberOfJobsChangesNothing) {
    std::array<nlohmann::json, 2> results;
    for (const int jobs : {1, 3}) {
        const fs::path out = folder_ / std::to_string(jobs);
        const Outcome run = sweep(std::string(kSmall) + "--patterns random --quiet --jobs " +
                                  std::to_string(jobs) + " --out " + out.string());
        EXPECT_EQ(run.code, 0);
        EXPECT_EQ(run.output, "");
        std::ifstream stream(out / "result.json");
        nlohmann::json& result = results[jobs / 2];
        result = nlohmann::json::parse(stream);
        result.erase("wall_time_s");
        result.erase("parameters");
        for (nlohmann::json& point : result["points"]) {
            point["result"].erase("wall_time_s");
            point["result"].erase("requests_per_wall_s");
        }
    }
    EXPECT_EQ(results[0].dump(), results[1].dump());
}

TEST_F(TbStriping, JasmineIsReproduced) {
    const Outcome run = sweep("--study jasmine");
    EXPECT_EQ(run.code, 0) << run.output;
    for (const char* text : {"J1", "J5", "39.3", "102.8", "reproduced"}) {
        EXPECT_NE(run.output.find(text), std::string::npos) << text;
    }
    EXPECT_EQ(run.output.find("not reproduced"), std::string::npos) << run.output;
}

TEST_F(TbStriping, RefusesWhatItCannotSweep) {
    expect_refused("--channels 0", {"--channels", "found 0", "1 to 64"});
    expect_refused("--channels 1,2,1", {"--channels", "found 1 twice"});
    expect_refused("--dies 4,x", {"--dies", "found x"});
    expect_refused("--orders CCDP", {"--orders", "found CCDP", "PCWD"});
    expect_refused("--striping half", {"--striping", "full, none"});
    expect_refused("--allocation random", {"--allocation", "static, dynamic"});
    expect_refused("--patterns mixed", {"--patterns", "sequential, random"});
    expect_refused("--operations trim", {"--operations", "read, write"});
    expect_refused("--size 3000", {"--size", "found 3000", "power of two"});
    expect_refused("--random-size 512", {"--random-size", "found 512", "4096"});
    expect_refused("--requests 1", {"--requests", "found 1"});
    expect_refused("--study all", {"--study", "sweep, jasmine"});
    expect_refused("--workload random,count=5", {"--workload", "tb_replay"});
    expect_refused("--chanels 3", {"--channels"});
}

TEST_F(TbStriping, RefusesADeviceThatIsImpossibleOrTooSmallBeforeAnythingRuns) {
    expect_refused(std::string(kSmall) + "--set nand.geometry.blocks=12 --set ssd.over_provisioning=0.6",
                   {"too small"});
    expect_refused("--preset jasmine --channels 16 --dies 8", {"dram.size"});
}

}  // namespace
