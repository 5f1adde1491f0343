// SPDX-License-Identifier: Apache-2.0
//
// tb_contention as a user runs it.
#include "fw/testing/places.h"
#include "testbench/scenarios/scenario_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

class TbContention : public ScenarioTest {
  protected:
    TbContention() : ScenarioTest(solidtlm::built_path("tb_contention"), "points") {}
};

/// A smaller drive than that of the default sweep. With requests of 32 KiB at depth 8 and a small cache of
/// single entries, eight misses follow each other, so more channels gain little although nothing is full. At
/// depth 32 tafp, with one miss per request, fills the link however small the cache is.
TEST_F(TbContention, AnswersTheStudysQuestions) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(
        "--set ssd.capacity=64MiB --set nand.geometry.blocks=32 --channels 2,8,16 --caches 16k,64k,whole "
        "--orders "
        "PCWD "
        "--requests 1500 --out " +
        out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("36 points"), std::string::npos) << run.output;
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 36U);
    EXPECT_EQ(result["figures"].size(), 4U * 6U);
    int serialised = 0;
    int full = 0;
    for (const Json& point : result["points"]) {
        const Json& parameters = point["parameters"];
        const Json& derived = point["derived"];
        EXPECT_EQ(point["result"]["verify"]["mismatches"], 0);
        EXPECT_GT(point["result"]["verify"]["reads_checked"], 0);
        EXPECT_EQ(point["result"]["ledger"]["residual_ns"], 0);
        EXPECT_LE(derived["measured_of_bound"], 1.02) << parameters;
        const bool small = parameters["cache_bytes"] == 16384;
        if (small && parameters["policy"] == "dftl" && parameters["queue_depth"] == 8) {
            serialised += derived.contains("enough_channels") && derived["limit"] == "misses" ? 1 : 0;
        }
        if (small && parameters["policy"] == "tafp" && parameters["queue_depth"] == 32) {
            full += derived.contains("enough_cache") && derived["limit"] == "link" ? 1 : 0;
        }
    }
    EXPECT_EQ(serialised, 1) << run.output;
    EXPECT_GE(full, 2) << run.output;
    EXPECT_TRUE(fs::exists(out / "report.html"));
    expect_valid_result(out);
}

TEST_F(TbContention, RefusesWhatItCannotSweep) {
    expect_refused("--channels 0", {"--channels", "found 0", "1 to 64"});
    expect_refused("--caches 64k,lots", {"--caches", "found lots", "whole"});
    expect_refused("--caches 64k,65536", {"--caches", "found 65536 twice"});
    expect_refused("--policies lru", {"--policies", "dftl"});
    expect_refused("--policies full_table", {"--policies", "full_page"});
    expect_refused("--depths 64", {"--depths", "1 to 32"});
    expect_refused("--orders CCDP", {"--orders", "found CCDP"});
    expect_refused("--trace x.spc", {"--trace", "tb_replay"});
    expect_refused("--pacing closed --queue-depth 2",
                   {"unknown option --pacing; tb_contention makes its own requests",
                    "unknown option --queue-depth; use --depths"});
    expect_refused("--workload postmark", {"--workload: found a benchmark on a file system"});
    expect_refused("--workload random,sise=5k --set ssd.capacty=1GiB --chanels 2",
                   {"did you mean size?", "did you mean ssd.capacity?", "did you mean --channels?"});
    expect_refused("--warm-up steady", {"--warm-up", "found steady", "allowed: a number"});
    expect_refused("--workload random,rate=5k", {"--workload", "arrival"});
    expect_refused("--workload random,sise=5k", {"sise", "size"});
    expect_refused("--caches 8", {"firmware.map_cache.size"});
    expect_refused("--preset tiny", {"ssd.capacity"});
}

}  // namespace
