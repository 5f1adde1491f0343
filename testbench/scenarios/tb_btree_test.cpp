// SPDX-License-Identifier: Apache-2.0
//
// tb_btree as a user runs it.
#include <algorithm>

#include "testbench/scenarios/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbBtree : public ScenarioTest {
  protected:
    TbBtree() : ScenarioTest(SOLIDTLM_TB_BTREE, "Table 1") {}
};

TEST_F(TbBtree, RunsTheTreeOnEveryLayerAndWritesAResultThatItsSchemaAccepts) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute("--inserts 2500 --buffer-pages 8 --no-sensitivity --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"2500 random integers", "On the simulated drive", "fmax", "mtbs", "E1", "E4",
                      "the study made 100,000 inserts"});
    EXPECT_EQ(run.output.find(" NO "), std::string::npos) << "counts on the drive differ:\n" << run.output;
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 12U);
    EXPECT_EQ(result["claims"].size(), 4U);
    for (const Json& point : result["points"]) {
        EXPECT_EQ(point["result"]["nand"]["programs"], point["derived"]["counted_writes"])
            << point["parameters"];
        EXPECT_EQ(point["result"]["nand"]["erases"], point["derived"]["counted_erases"])
            << point["parameters"];
        EXPECT_EQ(point["result"]["verify"]["mismatches"], 0);
        EXPECT_GT(point["result"]["verify"]["reads_checked"], 0);
    }
    EXPECT_EQ(result["points"][0]["derived"]["study_writes"], 120201);
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

TEST_F(TbBtree, VariesWhatTheStudyLeavesOpen) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute("--inserts 1500 --page-sizes 512,4096 --no-drive --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(run.output.find("Claims"), std::string::npos) << "a column of the table is missing";
    EXPECT_EQ(run.output.find("nearest"), std::string::npos) << "the study's table is one of 100,000 inserts";
    const Json result = result_in(out);
    EXPECT_EQ(result["points"].size(), 0U);
    std::vector<std::string> ids;
    for (const Json& figure : result["figures"]) {
        ids.push_back(figure["id"]);
    }
    for (const char* id : {"table-writes", "buffer-writes-512", "logs-erases-4096", "entry-writes-512",
                           "switches-erases-4096"}) {
        EXPECT_NE(std::ranges::find(ids, id), ids.end()) << id;
    }
}

TEST_F(TbBtree, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs("--inserts 800 --buffer-pages 6 --page-sizes 512,16384 --no-sensitivity");
}

TEST_F(TbBtree, RefusesWhatMakesNoSense) {
    expect_refused("--inserts 0", {"--inserts", "found 0", "1 to 10000000"});
    expect_refused("--entry-bytes 4", {"--entry-bytes", "found 4", "8"});
    expect_refused("--entry-bytes 128 --page-sizes 512", {"--entry-bytes", "less than 4 entries"});
    expect_refused("--buffer-pages 3", {"--buffer-pages", "found 3", "4"});
    expect_refused("--log-blocks 1", {"--log-blocks", "found 1", "2"});
    expect_refused("--page-sizes 512,512", {"--page-sizes", "512 twice"});
    expect_refused("--page-sizes 768", {"--page-sizes", "multiples of the NAND page of 512"});
    expect_refused("--page-sizes x", {"--page-sizes", "found x"});
    expect_refused("--queue-depth 4", {"--queue-depth", "allowed: 1"});
    expect_refused("--workload random,count=5", {"--workload", "tb_replay"});
    expect_refused("--content tags", {"content", "bytes", "--no-drive"});
    expect_refused("--set ssd.capacity=1MiB", {"ssd.capacity", "1048576"});
    expect_refused("--preset default", {"1 of each"});
    expect_refused("--set nand.geometry.blocks=256", {"blocks"});
    expect_refused("--bufer-pages 5", {"--buffer-pages"});
}

}  // namespace
