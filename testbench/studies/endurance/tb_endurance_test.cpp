// SPDX-License-Identifier: Apache-2.0
//
// tb_endurance as a user runs it.
#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbEndurance : public ScenarioTest {
  protected:
    TbEndurance() : ScenarioTest(solidtlm::built_path("tb_endurance"), "at a time") {}
};

constexpr const char* kShortLives = "--hot 0.5 --window 4 --set faults.lifetime.cycles=20 ";

TEST_F(TbEndurance, WritesAResultThatItsSchemaAccepts) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(kShortLives + ("--care none,refresh --out " + out.string()));
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"2 drives, 2 at a time; each programs about", "read-only", "Schroeder"});
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 2U);
    EXPECT_EQ(result["points"][0]["parameters"], (Json{{"hot", 0.5}, {"care", "none"}, {"drive", 1}}));
    EXPECT_EQ(result["points"][0]["derived"]["read_only"], true);
    EXPECT_GT(result["points"][0]["derived"]["drive_writes"], 5);
    std::vector<std::string> figures;
    for (const Json& figure : result["figures"]) {
        figures.push_back(figure["id"]);
        EXPECT_GE(figure["series"].size(), 2U) << figure["id"];
    }
    EXPECT_EQ(figures, (std::vector<std::string>{"write_amplification", "read_p99_us", "write_p99_us",
                                                 "retried_per_1000", "rber", "failed_reads",
                                                 "retired_superblocks", "bathtub", "written"}));
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

TEST_F(TbEndurance, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(std::string(kShortLives) + "--care reclaim --drives 2");
}

TEST_F(TbEndurance, RefusesImpossibleLives) {
    expect_refused("--care some", {"--care", "none, reclaim, refresh"});
    expect_refused("--care none,none", {"--care", "found none twice"});
    expect_refused("--hot 0", {"--hot", "found 0"});
    expect_refused("--hot 1.2", {"--hot", "found 1.2"});
    expect_refused("--reads 1", {"--reads", "found 1"});
    expect_refused("--drives 0", {"--drives", "found 0", "1 to 64"});
    expect_refused("--day 1us", {"--day", "found 1us"});
    expect_refused("--window 0", {"--window", "found 0"});
    expect_refused("--reclaim-bits 65", {"--reclaim-bits", "found 65", "64", "nand.ecc.correctable_bits"});
    expect_refused("--workload random,count=5", {"--workload", "tb_replay"});
    expect_refused("--precondition fill=1", {"--precondition", "new drives"});
    expect_refused("--set faults.lifetime.cycles=0", {"nothing wears this drive out", "--most-writes"});
    expect_refused("--set faults.cycles=2000", {"faults.cycles", "found 2000", "blocks last"});
    expect_refused("--care parity", {"over-provisioning of 0.5"});
    expect_refused("--care parity --parity-dies 3", {"parity_dies", "found groups of 3 dies"});
    expect_refused("--set firmware.translation=fast --care refresh", {"--care", "page_map", "allowed: none"});
}

}  // namespace
