// SPDX-License-Identifier: Apache-2.0
//
// tb_contention as a user runs it.
#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

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

/// Behind NVMe, where 3,314 MB/s of 32 KiB cross the link (docs/nvme.md), dies and misses limit what SATA's
/// link does: 2 channels of 4 dies are full below it, 8 are not; the small cache costs a fifth even with 8.
TEST_F(TbContention, AsksTheSameOfNvme) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(
        "--preset nvme --host nvme --set ssd.capacity=64MiB --set nand.geometry.blocks=32 --channels 2,8 "
        "--dies 4 --caches 16k,whole --orders PCWD --policies dftl --depths 128 --requests 1500 --out " +
        out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    const Json result = result_in(out);
    ASSERT_EQ(result["points"].size(), 4U);
    for (const Json& point : result["points"]) {
        const Json& parameters = point["parameters"];
        const Json& derived = point["derived"];
        const double mb_per_s = derived["mb_per_s"];
        EXPECT_EQ(point["result"]["ledger"]["residual_ns"], 0);
        EXPECT_EQ(point["result"]["verify"]["mismatches"], 0);
        EXPECT_LE(derived["measured_of_bound"], 1.02) << parameters;
        EXPECT_GT(mb_per_s, 1000.0) << "more than SATA's link carries: " << parameters;
        EXPECT_NEAR(derived["bound_link_mb_per_s"], 3314.0, 1.0);
        const bool whole = parameters["cache_bytes"] == "whole map";
        if (parameters["channels"] == 8) {
            EXPECT_EQ(derived["limit"] == "link", whole) << derived["limit"];
            EXPECT_GT(derived["share_link"], whole ? 0.5 : 0.0);
            EXPECT_EQ(mb_per_s > 3200.0, whole) << mb_per_s;
        } else {
            EXPECT_EQ(derived["limit"], whole ? "dies" : "one_die");
        }
    }
    expect_valid_result(out);
}

TEST_F(TbContention, RefusesWhatItCannotSweep) {
    expect_refused("--channels 0", {"--channels", "found 0", "1 to 64"});
    expect_refused("--caches 64k,lots", {"--caches", "found lots", "whole"});
    expect_refused("--caches 64k,65536", {"--caches", "found 65536 twice"});
    expect_refused("--policies lru", {"--policies", "dftl"});
    expect_refused("--policies full_table", {"--policies", "full_page"});
    expect_refused("--depths 64", {"--depths: found 64; allowed: at most sata.queue_depth, 32"});
    expect_refused("--host nvme --depths 1024",
                   {"--depths: found 1024; allowed: at most what the host's queues hold, 1023"});
    expect_refused("--depths 0", {"--depths", "found 0"});
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
