// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/saved_result.h"

#include <gtest/gtest.h>

#include "fw/testing/files.h"
#include "testbench/programs/cli/command_line_test_support.h"

namespace solidtlm::testbench {
namespace {

Json result_of(const std::string& program) {
    return {{"schema", kResultSchema},   {"version", version()},           {"scenario", program},
            {"wall_time_s", 1.5},        {"config", {{"preset", "tiny"}}}, {"parameters", Json::object()},
            {"host", {{"iops", {1, 2}}}}};
}

TEST(SavedResult, DiffersInValuesAndNotInWallTimesOrVersions) {
    const Json saved = result_of("tb_test");
    Json found = saved;
    found["wall_time_s"] = 2;
    found["version"] = "9.9";
    EXPECT_EQ(differences(saved, found), Errors{});
    found["host"]["iops"][1] = 3;
    found["host"]["more"] = "x";
    found["config"].erase("preset");
    EXPECT_EQ(differences(saved, found),
              (Errors{"config.preset: found nothing, saved \"tiny\"", "host.iops[1]: found 3, saved 2",
                      "host.more: found \"x\", saved nothing"}));
}

class SavedResults : public ::testing::Test {
  protected:
    [[nodiscard]] std::string file(const Json& document) const {
        return folder_.write("result.json", document.dump()).string();
    }
    [[nodiscard]] static std::string errors(const std::vector<std::string>& arguments) {
        return parse_arguments(one_run_program(), arguments).err;
    }

    TemporaryFolder folder_;
};

TEST_F(SavedResults, MustComeFromTheSameProgram) {
    const std::string good = file(result_of("tb_test"));
    EXPECT_EQ(errors({"--rerun", good, "--compare-result", good}), "");
    EXPECT_EQ(errors({"--rerun", file(result_of("tb_other"))}),
              "error: --rerun: " + good + ": found a result of tb_other; allowed: one of tb_test\n");
    EXPECT_EQ(errors({"--rerun", folder_.write("result.json", "no JSON").string(), "--speeed", "2"}),
              "error: unknown option --speeed; did you mean --speed?\n"
              "error: --rerun: " +
                  good + ": found no JSON; allowed: a result.json, solidtlm.result/1\n");
    EXPECT_EQ(errors({"--rerun", "none.json"}),
              "error: --rerun: none.json: cannot read the file: no such file\n");
    const std::string folder = folder_.path().string();
    EXPECT_EQ(errors({"--rerun", folder}),
              "error: --rerun: " + folder + ": cannot read the file: it is a directory\n");
    EXPECT_EQ(errors({"--compare-result", file(Json::array())}),
              "error: --compare-result: " + good +
                  ": found JSON of another kind; allowed: a result.json, "
                  "solidtlm.result/1\n");
    EXPECT_EQ(errors({"--compare-result", "none.json"}),
              "error: --compare-result: none.json: cannot read the file: no such file\n");
    Json points = result_of("tb_test");
    points["points"] = Json::array();
    EXPECT_EQ(errors({"--compare-result", file(points)}),
              "error: --compare-result: " + good + ": found the result of several runs; allowed: of one\n");
}

TEST_F(SavedResults, ReportAnotherVersion) {
    Json other = result_of("tb_test");
    other["version"] = "9.9";
    other["config"]["sata"]["speed_of_light"] = 3;
    const std::string saved = file(other);
    EXPECT_EQ(errors({"--rerun", saved}), "error: " + saved + ": sata.speed_of_light: unknown key\n" +
                                              "error: --rerun: " + saved + " is of 9.9, this is " +
                                              std::string(version()) + "\n");
}

TEST_F(SavedResults, AreNotOverwritten) {
    const std::string saved = file(result_of("tb_test"));
    EXPECT_EQ(errors({"--compare-result", saved, "--out", folder_.path().string()}),
              "error: --compare-result: found " + saved + "; allowed: another file than those of --out\n");
}

}  // namespace
}  // namespace solidtlm::testbench
