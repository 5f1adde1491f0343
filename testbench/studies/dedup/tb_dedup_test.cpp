// SPDX-License-Identifier: Apache-2.0
//
// tb_dedup as a user runs it.
#include <algorithm>

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"
#include "testbench/show/report/browser.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbDedup : public ScenarioTest {
  protected:
    TbDedup() : ScenarioTest(solidtlm::built_path("tb_dedup"), "points") {}
};

// After 0.3 s of processor time it reads its load, which is far longer than that.
TEST_F(TbDedup, SaysSoIfASignalEndsItBeforeAnythingRan) {
    const fs::path out = folder_ / "none";
    const Outcome run =
        shell(solidtlm::built_path("tb_dedup") + " --parts systems --workload random,read=0,count=1G --out " +
              out.string() +
              " 2>&1 & pid=$!; while kill -0 $pid; do "
              "if [ $(cut -d' ' -f14 /proc/$pid/stat) -gt 30 ]; then kill -TERM $pid; break; fi; "
              "sleep 0.02; done; wait $pid");
    EXPECT_EQ(run.code, 143) << run.output;
    expect_text(run, {"error: interrupted by SIGTERM before anything was simulated: there is no result"});
    EXPECT_FALSE(fs::exists(out / "result.json"));
}

TEST_F(TbDedup, RunsEverySystemOnTheStudysWorkloads) {
    const fs::path out = folder_ / "out";
    const Outcome run =
        execute("--parts systems,power --workloads webvm,app_install --scale 0.05 --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    expect_text(run, {"webvm: writes and flash", "app_install: deduplication", "offline_crc32", "online",
                      "Power loss after acknowledged duplicates", "capacitor", "C1", "C4", "C6"});
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 5U * 2 + 7 * 2);
    std::map<std::string, std::uint64_t> duplicates;
    for (const Json& point : result["points"]) {
        const std::string system = point["parameters"]["system"];
        const Json& derived = point["derived"];
        const bool unprotected = point["parameters"].value("protection", "") == "none";
        if (!unprotected) {
            EXPECT_EQ(point["result"]["verify"]["mismatches"], 0) << point["parameters"];
        }
        EXPECT_GT(point["result"]["verify"]["reads_checked"], 0);
        if (point["parameters"]["part"] == "power") {
            const bool lost = unprotected && system == "online";
            EXPECT_EQ(derived["lost_pages"], lost ? 16 : 0) << point["parameters"];
            EXPECT_EQ(derived["lost_commands"], 0) << "all were acknowledged";
            continue;
        }
        EXPECT_EQ(point["result"]["ledger"]["residual_ns"], 0);
        EXPECT_NEAR(derived["write_hash_us"].get<double>() + derived["write_flash_us"].get<double>() +
                        derived["write_buffer_us"].get<double>() + derived["write_rest_us"].get<double>(),
                    derived["write_mean_us"].get<double>(), 0.01);
        EXPECT_EQ(derived.contains("duplicates"), system != "none");
        if (system != "none" && point["parameters"]["load"] == "webvm") {
            duplicates[system] = derived["duplicates"];
        }
    }
    for (const auto& [system, found] : duplicates) {
        EXPECT_GT(found, 0U) << system;
        EXPECT_LE(found, duplicates["online"])
            << system << ": blocks overwritten before they are checked are missed";
    }
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

TEST_F(TbDedup, VariesParametersThatMatter) {
    const Json result = result_of(
        "--parts sensitivity --scale 0.04 --systems online,offline_crc32 --duplicates 10,60 --idles 5ms "
        "--speeds 1 --byte-times 25ns --md5 50,200 --tables 64k");
    ASSERT_EQ(result["points"].size(), 2U * (2 + 1 + 1 + 1 + 2 + 1));
    const auto of = [&result](const char* parameter, double value, const char* system) {
        for (const Json& point : result["points"]) {
            const Json& parameters = point["parameters"];
            if (parameters["parameter"] == parameter && parameters["value"] == value &&
                parameters["system"] == system) {
                return point["derived"];
            }
        }
        return Json(nullptr);
    };
    EXPECT_LT(of("duplicates", 10, "online")["duplicates"], of("duplicates", 60, "online")["duplicates"]);
    EXPECT_LT(of("md5", 50, "online")["write_mean_us"], of("md5", 200, "online")["write_mean_us"]);
    EXPECT_EQ(of("md5", 50, "offline_crc32"), of("md5", 200, "offline_crc32")) << "no fingerprint at all";
    EXPECT_EQ(result["figures"].size(), 10U);
    EXPECT_FALSE(result.contains("claims") && !result["claims"].empty());
}

TEST_F(TbDedup, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(
        "--parts systems --workloads webvm --scale 0.01 --systems none,online,offline_crc32");
}

TEST_F(TbDedup, RunsTracesWithContents) {
    const Json result = result_of("--parts systems --systems online --trace " +
                                  solidtlm::source_path("traces/sample.nbd.xz"));
    ASSERT_EQ(result["points"].size(), 1U);
    EXPECT_EQ(result["points"][0]["parameters"]["load"], "sample");
    EXPECT_TRUE(!result.contains("claims") || result["claims"].empty())
        << "the study says nothing about this trace";
}

TEST_F(TbDedup, TakesTheTracesOfTheStudyFromTheFolderThatIsNamed) {
    const std::string part = "--parts systems --systems none --scale 0.01 ";
    const Outcome without = execute(part + "--out " + (folder_ / "without").string());
    EXPECT_EQ(without.code, 0) << without.output;
    expect_text(without, {"nat_maildir: left out; --trace-folder must name a folder with "
                          "recorded/nat_maildir.nbd.xz\n"});
    EXPECT_EQ(result_in(folder_ / "without")["points"].size(), 2U) << "webvm, app_install";

    // The folder holds a slice of the trace under the trace's name.
    const fs::path traces = folder_ / "traces";
    fs::create_directories(traces / "recorded");
    fs::create_symlink(solidtlm::source_path("traces/maildir.nbd.xz"),
                       traces / "recorded" / "nat_maildir.nbd.xz");
    const std::string given = part + "--trace-folder " + traces.string();
    const Outcome with = execute(given + " --out " + (folder_ / "with").string());
    EXPECT_EQ(with.code, 0) << with.output;
    expect_text(with, {"nat_dev_lowmem: left out; " + (traces / "recorded/nat_dev_lowmem.nbd.xz").string() +
                       " is not there (--trace-folder)\n"});
    const Json result = result_in(folder_ / "with");
    ASSERT_EQ(result["points"].size(), 3U);
    EXPECT_EQ(result["points"][2]["parameters"]["load"], "nat_maildir");
    // The number that samples_test.cpp has counted in the text of the trace.
    EXPECT_EQ(result["points"][2]["result"]["host"]["write"]["count"], 14'214);
    EXPECT_EQ(result["points"][2]["derived"]["written_pages"], 81'156);
    EXPECT_EQ(result["points"][2]["derived"]["distinct_contents"], 66'467);
}

TEST_F(TbDedup, DrawsItsMeasurements) {
    if (!solidtlm::testbench::testing::have_browser()) {
        GTEST_SKIP() << "chromium is not installed";
    }
    (void)result_of("--parts systems --workloads webvm --scale 0.03");
    const auto page = solidtlm::testbench::testing::open_page(folder_ / "out" / "report.html");
    solidtlm::testbench::testing::expect_sound(page);
    EXPECT_GE(page.plots, 3);
    EXPECT_TRUE(page.shows("Time spent deduplicating, webvm"));
}

TEST_F(TbDedup, RefusesImpossibleComparisons) {
    const fs::path plain = folder_ / "plain.trace";
    std::ofstream(plain) << "0.0 0 0 8 1\n0.1 0 8 8 0\n";
    expect_refused("--trace " + plain.string() + " --format disksim",
                   {"plain.trace", "which does not record contents", "nbd", "fiu"});
    const fs::path untold = folder_ / "untold.nbd";
    std::ofstream(untold) << "# t_us op lba512 nsect flags content\n0 W 0 8 - 0\n";
    expect_refused("--trace " + untold.string(), {"untold.nbd", "none with contents"});
    expect_refused("--trace /nonexistent", {"/nonexistent"});
    expect_refused("--systems online,inline", {"--systems", "found inline", "offline_crc32"});
    expect_refused("--systems online,online", {"--systems", "found online twice"});
    expect_refused("--parts all", {"--parts", "systems, power, sensitivity"});
    expect_refused("--workloads mail", {"--workloads", "found mail", "webvm"});
    expect_refused("--workloads fiu_mail --trace-folder /nonexistent",
                   {"found fiu_mail; /nonexistent/public/fiu_mail_10k_md5.blkparse.xz is not there"});
    expect_refused("--workloads webvm,fiu_mail",
                   {"--workloads: found fiu_mail; --trace-folder must name a folder with public/fiu_mail"});
    expect_refused("--scale 0", {"--scale"});
    expect_refused("--used 1.5", {"--used"});
    expect_refused("--protection battery", {"--protection", "capacitor"});
    expect_refused("--duplicates 99", {"--duplicates", "found 99"});
    expect_refused("--idles soon", {"--idles", "found soon"});
    expect_refused("--md5 0", {"--md5", "found 0"});
    expect_refused("--tables some", {"--tables", "found some"});
    expect_refused("--parts sensitivity --tables 1k", {"firmware.dedup.table_size"});
    expect_refused("--content none", {"content", "tags, bytes"});
    expect_refused("--pacing closed", {"unknown option --pacing; requests come at their arrival times"});
    expect_refused("--precondition", {"--precondition"});
    expect_refused("--workload random,sise=4k,count=5", {"sise", "size"});
    expect_refused("--set firmware.translation=fast --workloads webvm", {"page_map"});
}

}  // namespace
