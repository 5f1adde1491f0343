// SPDX-License-Identifier: Apache-2.0
//
// Workloads with contents, compared with their parameters: shares within 5 % of the requested ones, measured
// without knowing how the contents were drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "testbench/sim/load/crc_collisions.h"
#include "testbench/sim/load/workload.h"
#include "testbench/studies/arrival_gaps.h"
#include "testbench/studies/content_properties.h"
#include "testbench/studies/load_properties.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kDevice = std::uint64_t{1} << 21;  ///< sectors of 1 GiB
constexpr double kTolerance = 0.05;

std::unique_ptr<RequestSource> workload(const std::string& spec, std::uint64_t device = kDevice) {
    return make_workload(parse_workload(spec, device));
}

std::vector<Request> requests_of(const std::string& spec, std::uint64_t device = kDevice) {
    const auto source = workload(spec, device);
    std::vector<Request> requests;
    Request request;
    while (source->next(request)) {
        requests.push_back(request);
    }
    return requests;
}

ContentProperties contents_of(const std::string& spec, std::uint64_t device = kDevice) {
    ContentProperties properties;
    properties.add_all(*workload(spec, device));
    return properties;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

void expect_near(double value, double wanted, const char* what) {
    EXPECT_NEAR(value, wanted, kTolerance * wanted) << what;
}

struct Asked {
    const char* spec;
    double duplicates;
};

void PrintTo(const Asked& asked, std::ostream* out) {
    *out << asked.spec;
}

class DuplicatesAskedFor : public testing::TestWithParam<Asked> {};

TEST_P(DuplicatesAskedFor, AreThereByBothMeasures) {
    for (const char* seed : {",seed=1", ",seed=2", ",seed=3"}) {
        SCOPED_TRACE(seed);
        const ContentProperties properties = contents_of(std::string(GetParam().spec) + seed);
        EXPECT_EQ(properties.told(), properties.blocks());
        expect_near(share(properties.repeated(), properties.told()), GetParam().duplicates, "repeated");
        expect_near(share(properties.duplicates(), properties.told()), GetParam().duplicates, "duplicates");
    }
}

// Identities are numbered in order of appearance. One that is neither the next number nor a repetition would
// be a content that two "new" blocks share by accident.
TEST_P(DuplicatesAskedFor, AndNothingElseRepeats) {
    std::uint64_t next = 1;
    for (const Request& request : requests_of(GetParam().spec)) {
        for (const std::uint64_t identity : request.content) {
            ASSERT_GE(identity, 1U);
            ASSERT_LE(identity, next);
            next += identity == next ? 1 : 0;
        }
    }
    EXPECT_EQ(contents_of(GetParam().spec).distinct(), next - 1);
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, DuplicatesAskedFor,
    testing::Values(Asked{"webvm,count=30k", 0.30}, Asked{"webvm,duplicates=0.6,count=30k", 0.60},
                    Asked{"webvm,overwrite=0.5,theta=0,recency=0,count=30k", 0.30},
                    Asked{"webvm,range=0-1MiB,count=30k", 0.30}, Asked{"app_install,count=10k", 0.35},
                    Asked{"app_install,streams=1,duplicates=0.7,count=10k", 0.70},
                    Asked{"random,read=0,duplicates=0.3,count=30k", 0.30},
                    Asked{"random,read=0.5,duplicates=0.9,duplicate_run=32,size=4k:1/64k:1,count=30k", 0.90},
                    Asked{"sequential,read=0,size=128k,range=0-64MiB,duplicates=0.1,recency=0.5,count=3000",
                          0.10},
                    Asked{"zipf,read=0,trim=0.3,trim_size=64k,duplicates=0.5,count=30k", 0.50}));

TEST(ContentLoad, RequestsDoNotDependOnTheirContents) {
    const std::vector<Request> plain = requests_of("random,read=0.3,trim=0.1,count=2000");
    const std::vector<Request> with = requests_of("random,read=0.3,trim=0.1,count=2000,duplicates=0.3");
    ASSERT_EQ(plain.size(), with.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
        ASSERT_EQ(plain[i].operation, with[i].operation);
        ASSERT_EQ(plain[i].lba, with[i].lba);
        EXPECT_TRUE(plain[i].content.empty());
        ASSERT_EQ(with[i].content.size(), with[i].operation == Operation::write ? with[i].sectors / 8 : 0U);
    }
}

TEST(ContentLoad, TheSeedDecidesContents) {
    const auto contents = [](const std::string& spec) {
        std::vector<std::uint64_t> all;
        for (const Request& request : requests_of(spec)) {
            all.insert(all.end(), request.content.begin(), request.content.end());
        }
        return all;
    };
    for (const std::string spec : {"webvm,count=2000", "app_install,count=1000"}) {
        EXPECT_EQ(contents(spec + ",seed=5"), contents(spec + ",seed=5")) << spec;
        EXPECT_NE(contents(spec + ",seed=5"), contents(spec + ",seed=6")) << spec;
    }
}

TEST(ContentLoad, RepeatsRecentBlocksMoreOftenTheLargerTheRecency) {
    const auto median = [](const std::string& recency) {
        return contents_of("random,read=0,count=50k,duplicates=0.3,recency=" + recency).median_distance();
    };
    // All earlier contents are equally likely: at block n, the mean distance is half of n.
    EXPECT_GT(median("0"), 5'000U);
    EXPECT_LT(median("1"), 1'000U);
    EXPECT_LT(median("2"), 10U) << "60.8 % of d^-2 at d = 1";
}

TEST(ContentLoad, CollidingContentsAreAShareOfTheBlocks) {
    std::unordered_set<std::uint64_t> met;
    double colliding = 0;
    double blocks = 0;
    for (const Request& request : requests_of("random,read=0,size=16k,collisions=0.1,count=20k")) {
        for (const std::uint64_t identity : request.content) {
            ++blocks;
            if (identity >= kCrcCollisionBase) {
                ++colliding;
                met.insert(identity);
            }
        }
    }
    expect_near(colliding / blocks, 0.1, "collisions");
    EXPECT_EQ(met.size(), 2 * kCrcCollisions.size()) << "both blocks of every pair";
    // All other contents differ.
    const ContentProperties properties = contents_of("random,read=0,size=16k,collisions=0.1,count=20k");
    EXPECT_EQ(properties.distinct(), static_cast<std::uint64_t>(blocks - colliding) + met.size());
}

/// Mean time between arrivals in ms, over gaps within bursts and the pauses between them.
double mean_gap_ms(const std::vector<Request>& requests) {
    return std::chrono::duration<double, std::milli>(requests.back().arrival).count() /
           static_cast<double>(requests.size() - 1);
}

TEST(ContentLoad, PausesComeBetweenBursts) {
    expect_near(mean_gap_ms(requests_of("random,rate=10k,idle=8ms,burst=20,count=50k")), 0.1 + 8.0 / 20,
                "fixed");
    const std::vector<Request> requests =
        requests_of("random,interval=100us,arrival=exponential,idle=50ms,burst=10,count=50k");
    expect_near(mean_gap_ms(requests), 0.1 + 50.0 / 10, "exponential");
    // longer than any gap within a burst, shorter than most pauses
    ArrivalGaps gaps(std::chrono::milliseconds(2));
    for (const Request& request : requests) {
        gaps.add(request);
    }
    // Mean of an exponential distribution above 2 ms: 50 + 2.
    expect_near(std::chrono::duration<double, std::milli>(gaps.mean_gap()).count(), 52.1, "pause");
    expect_near(gaps.mean_burst(), 10 * std::exp(2.0 / 50), "burst");
}

TEST(Webvm, HasThePublishedShares) {
    const std::vector<Request> requests = requests_of("webvm");
    LoadProperties load;
    ContentProperties contents;
    for (const Request& request : requests) {
        ASSERT_EQ(request.lba.value % 8, 0U);
        ASSERT_LE(request.lba.value + request.sectors, kDevice / 5 * 4) << "the range";
        load.add(request);
        contents.add(request);
    }
    EXPECT_EQ(load.requests(), 100'000U);
    EXPECT_EQ(load.mean_bytes(), 4096);
    expect_near(load.read_share(), 3.40 / (3.40 + 11.46), "reads");
    expect_near(share(contents.overwrites(), contents.blocks()), 1 - 0.86 / 11.46, "overwrites");
    expect_near(mean_gap_ms(requests), 1 / 3.0 + 80.0 / 40, "time");
}

TEST(Webvm, TakesOtherParameters) {
    const ContentProperties contents = contents_of("webvm,read=0,overwrite=0.5,count=50k");
    EXPECT_EQ(contents.blocks(), 50'000U);
    expect_near(share(contents.overwrites(), contents.blocks()), 0.5, "overwrites");
    EXPECT_EQ(contents_of("webvm,duplicates=0,count=100").told(), 0U);
    // A small working set is eventually overwritten completely.
    const ContentProperties small = contents_of("webvm,read=0,overwrite=0,range=0-1MiB,count=10k");
    EXPECT_EQ(small.blocks() - small.overwrites(), 256U);
}

TEST(AppInstall, WritesFilesFromBeginningToEndAndFillsTheRange) {
    constexpr std::uint64_t kExtent = 1024;  ///< sectors
    constexpr std::uint64_t kRange = kDevice / 5 * 4;
    const std::vector<Request> requests = requests_of("app_install,count=60k");
    LoadProperties load;
    ContentProperties contents;
    std::uint64_t end = ~std::uint64_t{0};
    for (const Request& request : requests) {
        ASSERT_EQ(request.lba.value % 8, 0U);
        ASSERT_LE(request.lba.value + request.sectors, kRange);
        ASSERT_EQ(request.lba.value / kExtent, (request.lba.value + request.sectors - 1) / kExtent);
        if (request.operation == Operation::write) {
            ASSERT_TRUE(request.lba.value == end || request.lba.value % kExtent == 0);
            end = request.lba.value + request.sectors;
        }
        load.add(request);
        contents.add(request);
    }
    expect_near(load.read_share(), 0.2, "reads");
    // Files of 4, 16, 64, 256 KiB and 1 MiB: 59.56 KiB per file. 2 % of the files are cut into two or three
    // requests, and all others where an extent of 512 KiB ends: (59.56 - 4) / 512 more.
    expect_near(load.mean_bytes() / 1024, 59.56 / (1 + 0.02 + 55.56 / 512), "mean length");
    // 819.2 MiB are 1,638 extents, 273 of them per version: the four installed versions and two more touch
    // all of them.
    EXPECT_GT(contents.blocks() - contents.overwrites(), std::uint64_t{1638} * 128 * 95 / 100);
    EXPECT_GT(contents.overwrites(), contents.blocks() / 2);
    // Whole files are repeated one after another, so runs are longer than a file.
    EXPECT_GT(contents.mean_run(), 59.56 / 4);
    expect_near(mean_gap_ms(requests), 1 / 2.0 + 31.0 / 52, "time");
}

TEST(AppInstall, RepeatsNothingWhenAskedTo) {
    const ContentProperties contents = contents_of("app_install,duplicates=0,count=10k");
    EXPECT_EQ(contents.told(), contents.blocks());
    EXPECT_EQ(contents.repeated(), 0U);
}

TEST(AppInstall, WorksInTheSmallestRange) {
    // One application, its next version, and one spare version, of one extent each.
    const ContentProperties contents =
        contents_of("app_install,streams=1,range=0-1536k,size=512k:1/12k:1,read=0.5,count=5000");
    expect_near(share(contents.duplicates(), contents.told()), 0.35, "duplicates");
}

}  // namespace
}  // namespace solidtlm::testbench
