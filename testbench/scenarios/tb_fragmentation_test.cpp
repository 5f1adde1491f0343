// SPDX-License-Identifier: Apache-2.0
//
// tb_fragmentation as a user runs it.
#include "testbench/scenarios/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbFragmentation : public ScenarioTest {
  protected:
    TbFragmentation() : ScenarioTest(SOLIDTLM_TB_FRAGMENTATION, "systems on") {}
};

/// A sixteenth of everything: 2 GiB, and a log of two groups.
constexpr const char* kSmall = "--scale 0.0625 --drive-sweep 1 --log-sweep 2048 ";

TEST_F(TbFragmentation, WritesAResultThatItsSchemaAccepts) {
    const Json result = result_of(std::string(kSmall) + "--timing off", "counted");
    ASSERT_EQ(result["points"].size(), 52U) << "13 systems, striped or not, on 2 loads";
    EXPECT_EQ(result["points"][0]["parameters"]["layer"], "page_map");
    EXPECT_EQ(result["points"][1]["parameters"]["log_nand_blocks"], 128);
    EXPECT_EQ(result["claims"].size(), 7U);
    EXPECT_EQ(result["figures"][0]["id"], "pattern-iozone");
    EXPECT_TRUE(fs::exists(folder_ / "counted" / "report.html"));
    expect_valid_result(folder_ / "counted");
}

/// One request at a time reaches the layer in the host's order: the drive must count what is counted.
TEST_F(TbFragmentation, TheDriveDoesWhatIsCounted) {
    const std::string systems =
        std::string(kSmall) + "--layers page_map,fast --striping full --queue-depth 1 ";
    const Json counted = result_of(systems + "--timing off", "counted");
    const Json timed = result_of(systems + "--timing full", "timed");
    ASSERT_EQ(counted["points"].size(), 6U);
    ASSERT_EQ(timed["points"].size(), 6U);
    for (std::size_t i = 0; i < counted["points"].size(); ++i) {
        const Json& expected = counted["points"][i]["derived"];
        const Json& found = timed["points"][i]["derived"];
        for (const char* field :
             {"pages_written", "write_data_share", "update_pure_share", "update_wasted_share", "merges_full",
              "merges_partial", "merges_switched", "merges_dropped", "pages_copied", "blocks_erased"}) {
            EXPECT_EQ(found[field], expected[field]) << field << " at point " << i;
        }
        EXPECT_GT(found["mb_per_s"], 0.0);
        EXPECT_FALSE(expected.contains("mb_per_s"));
    }
}

TEST_F(TbFragmentation, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(std::string(kSmall) + "--timing off --layers fast,bast");
}

TEST_F(TbFragmentation, AUsedDriveHasNoFirstWrites) {
    const Json result = result_of(std::string(kSmall) +
                                      "--timing off --layers fast --striping full --rules on "
                                      "--workloads pc_application --precondition fill=1,random=0",
                                  "used");
    ASSERT_EQ(result["points"].size(), 1U);
    const Json& derived = result["points"][0]["derived"];
    EXPECT_EQ(derived["update_pure_share"], 1.0);
    EXPECT_EQ(derived["block_utilisation"], 1.0);
}

TEST_F(TbFragmentation, RunsTraces) {
    const fs::path traces = fs::path(SOLIDTLM_SOURCE_DIR) / ".." / "shared" / "traces";
    if (!fs::exists(traces)) {
        GTEST_SKIP() << "the traces of the study are not here";
    }
    const Json result = result_of(
        "--timing off --layers page_map,fast --striping full --log-sweep 2048 --limit 5000 --trace " +
            (traces / "recorded" / "nat_dev_lowmem.nbd.xz").string(),
        "trace");
    ASSERT_EQ(result["points"].size(), 3U);
    EXPECT_EQ(result["points"][0]["parameters"]["load"], "nat_dev_lowmem");
    EXPECT_EQ(result["claims"].size(), 1U) << "A7 alone: the others are about the study's workloads";
}

TEST_F(TbFragmentation, RefusesWhatItCannotRun) {
    expect_refused("--layers fsat", {"--layers", "found fsat", "superblock"});
    expect_refused("--layers fast,fast", {"--layers", "found fast twice"});
    expect_refused("--striping half", {"--striping", "full, none"});
    expect_refused("--rules perhaps", {"--rules", "on, off"});
    expect_refused("--workloads pc", {"--workloads", "iozone, pc_application"});
    expect_refused("--timing half", {"--timing", "full, off"});
    expect_refused("--scale 0", {"--scale", "above 0"});
    expect_refused("--scale 2 --drive-sweep 0", {"--scale", "--drive-sweep"});
    expect_refused("--log-blocks 63", {"--log-blocks", "63 NAND blocks", "at least 64"});
    expect_refused("--log-blocks 64", {"log_blocks"});
    expect_refused("--warm-up 5", {"--warm-up"});
    expect_refused("--timing off --precondition", {"--precondition", "random=0"});
    expect_refused("--workload random,read=1,size=4k,count=5", {"there is no write in it"});
    expect_refused("--trace /nonexistent", {"/nonexistent"});
    expect_refused("--preset default", {"error: --set: ssd.capacity"});
}

}  // namespace
