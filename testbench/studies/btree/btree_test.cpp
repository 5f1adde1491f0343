// SPDX-License-Identifier: Apache-2.0
//
// Claims, distances and fits of study E on small hand-made tables, and the tree on a simulated drive.
#include <gtest/gtest.h>

#include <cmath>

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"
#include "testbench/studies/btree/btree.h"

namespace solidtlm::testbench::btree {
namespace {

Table published_table() {
    Table table;
    for (const Layer layer : kLayers) {
        for (const std::uint32_t size : kPublishedPageBytes) {
            table[{layer, size}] = *published(layer, size);
        }
    }
    return table;
}

TEST(Table1, IsTheStudys) {
    EXPECT_EQ(published(Layer::bast, 4096), (Counts{1'068'925, 36'742}));
    EXPECT_EQ(published(Layer::mtbs, 512), (Counts{111'697, 3'409}));
    EXPECT_FALSE(published(Layer::fast, 2048));
    EXPECT_DOUBLE_EQ((Counts{100, 10}).cost(), 800 + 650);
}

// The study's statements about its own table must hold there.
TEST(Claims, HoldForTheStudysOwnTable) {
    for (const Claim& claim : claims_of(published_table(), true)) {
        EXPECT_EQ(claim.verdict, Verdict::reproduced) << claim.id << ": " << claim.measured;
        EXPECT_EQ(claim.reason, "") << claim.id;
    }
}

TEST(Claims, FailAsFarAsTheyAreWrong) {
    Table table = published_table();
    table[{Layer::bast, 512}] = {2'000'000, 100'000};  // now the worst at 512 B
    table[{Layer::mtbs, 4096}] = {1'000, 10};          // now the best at 4 KB, and the best cell
    const std::vector<Claim> claims = claims_of(table, true);
    EXPECT_EQ(claims[0].verdict, Verdict::partly);
    EXPECT_EQ(claims[0].measured, "fmax 4 KB, bast 512 B, fast 4 KB, mtbs 16 KB");
    EXPECT_NE(claims[0].reason.find("bast, mtbs"), std::string::npos) << claims[0].reason;
    EXPECT_EQ(claims[1].verdict, Verdict::partly);
    EXPECT_EQ(claims[3].verdict, Verdict::not_reproduced);
    EXPECT_EQ(claims[3].measured, "mtbs at 4 KB");
}

TEST(Claims, ATieIsNotABest) {
    Table table = published_table();
    table[{Layer::bast, 16384}] = table[{Layer::fast, 16384}];
    table[{Layer::fast, 512}] = table[{Layer::fast, 16384}];
    const std::vector<Claim> claims = claims_of(table, true);
    EXPECT_EQ(claims[1].verdict, Verdict::partly) << "fast writes just as little at 512 B";
    EXPECT_NE(claims[1].measured.get<std::string>().find("fast 512 B and others"), std::string::npos);
    EXPECT_EQ(claims[3].verdict, Verdict::partly);
    EXPECT_EQ(claims[3].measured, "bast at 16 KB, fast at 512 B, fast at 16 KB");
}

TEST(Claims, WithOtherInsertsTheyReportIt) {
    const std::vector<Claim> claims = claims_of(published_table(), false);
    EXPECT_NE(claims[0].reason.find("100,000"), std::string::npos);
}

TEST(Distance, IsOfRatios) {
    const Counts wanted{1000, 100};
    EXPECT_DOUBLE_EQ(squared_distance(wanted, wanted), 0);
    const double twice = std::log(2.0) * std::log(2.0);
    EXPECT_DOUBLE_EQ(squared_distance({2000, 100}, wanted), twice);
    EXPECT_DOUBLE_EQ(squared_distance({500, 200}, wanted), 2 * twice) << "half is as far off as twice";
    EXPECT_TRUE(std::isfinite(squared_distance({0, 0}, wanted)));
}

/// Adds points of all layers on one tree: the published counts times `factor`.
void add_tree(std::vector<CountedPoint>& points, std::uint32_t size, std::uint32_t buffer_pages,
              double factor) {
    for (const Layer layer : kLayers) {
        for (const std::uint32_t log_blocks : {0U, 8U}) {
            if ((layer == Layer::mtbs) != (log_blocks == 0) && layer != Layer::fmax) {
                continue;
            }
            const Counts wanted = *published(layer, size);
            const double far = log_blocks == 8 && layer == Layer::fmax ? 2 * factor : factor;
            points.push_back(
                {{size, buffer_pages, 8, false},
                 layer,
                 log_blocks,
                 false,
                 {static_cast<std::uint64_t>(std::llround(static_cast<double>(wanted.writes) * far)),
                  static_cast<std::uint64_t>(std::llround(static_cast<double>(wanted.erases) * far))}});
        }
    }
}

// Buffers of 16 and 128 pages. For 512 B, 128 pages fit; for 4 KB, 16 pages. The best common buffer has 128
// pages and is off by a factor of three in one of two columns: exp(sqrt(ln(3)^2 / 2)).
TEST(Fits, FindTheNearestSettings) {
    std::vector<CountedPoint> points;
    add_tree(points, 512, 16, 10);
    add_tree(points, 512, 128, 1);
    add_tree(points, 4096, 16, 1);
    add_tree(points, 4096, 128, 3);
    const std::vector<Fit> fits = best_fits(points, 1);
    ASSERT_EQ(fits.size(), 5U);
    EXPECT_EQ(fits[0].buffer_pages, (std::vector<std::uint32_t>{128, 128}));
    EXPECT_EQ(fits[0].mirror_blocks, 0U) << "8 mirrors are off by a factor of two";
    EXPECT_EQ(fits[0].log_blocks, 8U);
    EXPECT_NEAR(fits[0].factor(), std::exp(std::log(3.0) / std::sqrt(2.0)), 1e-3);
    EXPECT_EQ(fits[1].what, "buffer bytes") << "128 pages of 512 B are 16 of 4 KB";
    EXPECT_EQ(fits[1].buffer_pages, (std::vector<std::uint32_t>{128, 16}));
    EXPECT_NEAR(fits[1].factor(), 1.0, 1e-3);
    EXPECT_NEAR(fits[2].factor(), 1.0, 1e-3);
    EXPECT_EQ(fits[3].page_bytes, (std::vector<std::uint32_t>{512}));
    EXPECT_EQ(fits[4].buffer_pages, (std::vector<std::uint32_t>{16}));

    const DistanceMap map = distance_map(points);
    EXPECT_EQ(map.buffer_pages, (std::vector<std::uint32_t>{16, 128}));
    EXPECT_EQ(map.log_blocks, (std::vector<std::uint32_t>{8}));
    EXPECT_NEAR(*map.factor[0][0], std::exp(std::log(10.0) / std::sqrt(2.0)), 1e-2);
}

TEST(Fits, NothingPublishedGivesNone) {
    std::vector<CountedPoint> points;
    EXPECT_TRUE(best_fits(points, 3).empty());
    points.push_back({{2048, 16, 8, false}, Layer::fast, 8, false, {1, 1}});
    EXPECT_TRUE(best_fits(points, 3).empty());
}

platform::Configuration small_drive() {
    platform::ConfigurationSources sources;
    sources.preset = "small_block";
    sources.settings = {"content=bytes", "ssd.capacity=2MiB", "firmware.write_buffer.policy=write_through"};
    return platform::load_configuration(sources);
}

Load small_load(std::uint32_t page_bytes) {
    return page_bytes < 16384 ? Load{4000, 3, page_bytes, 8, {16, false}}
                              : Load{8000, 3, page_bytes, Btree::kLeastFrames, {16, false}};
}

class OnDrive : public ::testing::TestWithParam<std::tuple<std::size_t, std::uint32_t>> {};

// Programs and erases are those counted without a drive, the tree reads back in order, there is no residual,
// and no rule is broken.
TEST_P(OnDrive, AgreesWithTheLayerAlone) {
    const Layer layer = kLayers[std::get<0>(GetParam())];
    const std::uint32_t page_bytes = std::get<1>(GetParam());
    const LayerSetting setting{layer, layer == Layer::mtbs ? 0U : 3U};
    const SimulationOutcome outcome =
        run_on_drive(with_layer(small_drive(), setting), small_load(page_bytes));
    EXPECT_EQ(outcome.faults, std::vector<std::string>{});
    const LoadOutcome load = run_in_memory(small_load(page_bytes));
    const fw::BlockCounters counted = count(load.traffic, page_bytes, setting, Flash{});
    EXPECT_EQ(counts_of(outcome.result), counts_of(counted));
    EXPECT_GT(counted.erases, 0U);
    EXPECT_EQ(outcome.result["verify"]["reads_checked"], load.buffer.reads + load.root.pages)
        << "every page that the tree read, and all of them at the end";
    EXPECT_EQ(outcome.result["verify"]["mismatches"], 0);
}

INSTANTIATE_TEST_SUITE_P(All, OnDrive,
                         ::testing::Combine(::testing::Range<std::size_t>(0, kLayers.size()),
                                            ::testing::Values(512U, 4096U, 16384U)));

// Wrong data from a drive is found: here, read data is changed on its way to the tree.
TEST(DevicePages, AWrongByteIsFound) {
    DevicePages pages(small_load(512));
    Request request;
    Command command;
    bool spoiled = false;
    std::vector<std::vector<std::byte>> flash(4096);
    while (pages.next(request)) {
        command.operation = request.operation;
        command.content.assign(request.operation == Operation::read ? 512 : 0, std::byte{0});
        pages.issued(command);
        if (request.operation == Operation::write) {
            flash[request.lba.value] = command.content;
        } else {
            command.content = flash[request.lba.value];
            if (!spoiled) {
                command.content[100] ^= std::byte{1};
                spoiled = true;
            }
        }
        pages.completed(command);
    }
    pages.finished();
    EXPECT_EQ(pages.counts().mismatches, 1U);
    ASSERT_EQ(pages.faults().size(), 1U);
    EXPECT_NE(pages.faults()[0].find("1 sectors"), std::string::npos);
}

// tb_btree as a user runs it.

namespace fs = std::filesystem;

class TbBtree : public ScenarioTest {
  protected:
    TbBtree() : ScenarioTest(built_path("tb_btree"), "Table 1") {}
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

TEST_F(TbBtree, VariesTheStudysOpenParameters) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute("--inserts 1500 --page-sizes 512,4096 --no-drive --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(run.output.find("Claims"), std::string::npos) << "a column of the table is missing";
    EXPECT_EQ(run.output.find("nearest"), std::string::npos) << "the study's table is for 100,000 inserts";
    const Json result = result_in(out);
    EXPECT_EQ(result["points"].size(), 8U);
    for (const Json& point : result["points"]) {
        EXPECT_EQ(point["parameters"]["part"], "counted");
        EXPECT_GT(point["derived"]["counted_writes"], 0) << point;
    }
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

TEST_F(TbBtree, RefusesMeaninglessOptions) {
    expect_refused("--inserts 0", {"--inserts", "found 0", "1 to 10000000"});
    expect_refused("--entry-bytes 4", {"--entry-bytes", "found 4", "8"});
    expect_refused("--entry-bytes 128 --page-sizes 512", {"--entry-bytes", "less than 4 entries"});
    expect_refused("--buffer-pages 3", {"--buffer-pages", "found 3", "4"});
    expect_refused("--log-blocks 1", {"--log-blocks", "found 1", "2"});
    expect_refused("--page-sizes 512,512", {"--page-sizes", "512 twice"});
    expect_refused("--page-sizes 768", {"--page-sizes", "multiples of the NAND page of 512"});
    expect_refused("--page-sizes x", {"--page-sizes", "found x"});
    expect_refused("--queue-depth 4", {"unknown option --queue-depth; the tree waits for each page"});
    expect_refused("--workload random,count=5 --limit 5",
                   {"unknown option --workload; tb_btree makes its own requests; use tb_replay",
                    "unknown option --limit; tb_btree makes its own requests; use tb_replay"});
    expect_refused("--content tags", {"content", "bytes", "--no-drive"});
    expect_refused("--set ssd.capacity=1MiB", {"ssd.capacity", "1048576"});
    expect_refused("--preset default", {"1 of each"});
    expect_refused("--set nand.geometry.blocks=256", {"blocks"});
    expect_refused("--bufer-pages 5", {"--buffer-pages"});
}

}  // namespace
}  // namespace solidtlm::testbench::btree
