// SPDX-License-Identifier: Apache-2.0
//
// tb_slc_cache as a user runs it.
#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbSlcCache : public ScenarioTest {
  protected:
    TbSlcCache() : ScenarioTest(solidtlm::built_path("tb_slc_cache"), "points") {}
};

const std::string kSmall =
    "--drives given --caches dynamic --sizes 64m --folding idle --pauses 0,2 "
    "--set nand.geometry.channels=1 --set nand.geometry.dies=1 ";

TEST_F(TbSlcCache, WritesAResultThatItsSchemaAccepts) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(kSmall + "--out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("The given drive"), std::string::npos) << run.output;
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 5U) << "with a pause in both ways of copying, and two with bit errors";
    EXPECT_EQ(result["points"][1]["parameters"]["pause"], 2.0);
    EXPECT_GT(result["points"][1]["derived"]["recovered_share"], 0.9);
    EXPECT_EQ(result["figures"].size(), 3U) << "the curve, the recovery, and bit errors";
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

TEST_F(TbSlcCache, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(kSmall);
}

TEST_F(TbSlcCache, ReportsMistakes) {
    const Outcome small = execute(kSmall + "--sizes 64g --set nand.geometry.blocks=64");
    EXPECT_EQ(small.code, 2);
    EXPECT_NE(small.output.find("the device is too small"), std::string::npos) << small.output;
    const Outcome busy = execute(kSmall + "--set firmware.slc_cache.fold_when_idle=false");
    EXPECT_EQ(busy.code, 2);
    EXPECT_NE(busy.output.find("firmware.slc_cache.fold_when_idle: found false"), std::string::npos)
        << busy.output;
    const Outcome longer = execute(kSmall + "--set firmware.slc_cache.largest_write=64KiB");
    EXPECT_EQ(longer.code, 2);
    EXPECT_NE(longer.output.find("firmware.slc_cache.largest_write: found 65536 bytes"), std::string::npos)
        << longer.output;
    const std::string inside = kSmall + "--set firmware.slc_cache.copy_back=true ";
    const Outcome both = execute(inside + "--copying controller");
    EXPECT_EQ(both.code, 2);
    EXPECT_NE(both.output.find("--copying: found controller"), std::string::npos) << both.output;
    EXPECT_EQ(execute(inside + "--dry-run").code, 0);
    const Outcome whole = execute(kSmall + "--copying die --set nand.programming=one_shot");
    EXPECT_EQ(whole.code, 2);
    EXPECT_NE(whole.output.find("--copying: found die"), std::string::npos) << whole.output;
}

}  // namespace
