// SPDX-License-Identifier: Apache-2.0
//
// The requests of the study, and verdicts on made-up measurements.
#include <gtest/gtest.h>

#include <set>

#include "testbench/studies/trim/trim.h"

namespace solidtlm::testbench::trim {
namespace {

constexpr std::uint64_t kRegion = 64ULL << 20U;

std::vector<Request> all_of(RequestSource&& source) {
    std::vector<Request> requests;
    Request request;
    while (source.next(request)) {
        requests.push_back(request);
    }
    return requests;
}

std::vector<TrimRange> ranges_of(const Shape& shape, std::uint64_t most) {
    std::vector<TrimRange> ranges;
    for (const Request& request : all_of(ShapeSource(*plan_shape(shape, kRegion, most), 7))) {
        EXPECT_EQ(request.operation, Operation::trim);
        EXPECT_EQ(request.ranges.size(), shape.ranges);
        EXPECT_FALSE(request.queued);
        ranges.insert(ranges.end(), request.ranges.begin(), request.ranges.end());
    }
    return ranges;
}

/// Expects ranges inside the region, of the right length, and without overlaps.
void expect_apart(std::vector<TrimRange> ranges, const Shape& shape) {
    std::ranges::sort(ranges, {}, [](const TrimRange& range) { return range.lba.value; });
    std::uint64_t free = 0;
    for (const TrimRange& range : ranges) {
        EXPECT_EQ(range.sectors, shape.bytes / 512);
        EXPECT_GE(range.lba.value, free);
        free = range.lba.value + range.sectors;
    }
    EXPECT_LE(free * 512, kRegion);
}

TEST(TrimShape, ContiguousRangesFollowOneAnother) {
    for (const bool aligned : {true, false}) {
        const Shape shape{16384, 4, true, aligned};
        const std::vector<TrimRange> ranges = ranges_of(shape, 4000);
        ASSERT_EQ(ranges.size(), 4000U);
        expect_apart(ranges, shape);
        for (std::size_t i = 1; i < ranges.size(); ++i) {
            EXPECT_EQ(ranges[i].lba.value, ranges[i - 1].lba.value + 32);
        }
        EXPECT_EQ(ranges.front().lba.value % 32 == 0, aligned);
    }
}

TEST(TrimShape, ScatteredRangesBeginWhereTheyShould) {
    const Shape aligned{16384, 8, false, true};
    const Shape unaligned{16384, 8, false, false, 4096};
    std::vector<TrimRange> ranges = ranges_of(aligned, 800);
    expect_apart(ranges, aligned);
    for (const TrimRange& range : ranges) {
        EXPECT_EQ(range.lba.value % 32, 0U);
    }
    ranges = ranges_of(unaligned, 800);
    expect_apart(ranges, unaligned);
    for (const TrimRange& range : ranges) {
        EXPECT_EQ(range.lba.value % 16, 8U) << "an odd multiple of 4 KiB";
    }
}

TEST(TrimShape, TheSameRangesForAnyNumberInACommand) {
    Shape shape{16384, 64, false, false};
    const std::vector<TrimRange> batched = ranges_of(shape, 64);
    shape.ranges = 1;
    const std::vector<TrimRange> single = ranges_of(shape, 64);
    ASSERT_EQ(batched.size(), single.size());
    for (std::size_t i = 0; i < single.size(); ++i) {
        EXPECT_EQ(single[i].lba, batched[i].lba);
    }
}

TEST(TrimShape, PlansAsManyCommandsAsFit) {
    const auto commands = [](const Shape& shape, std::uint64_t most) {
        return plan_shape(shape, kRegion, most)->commands;
    };
    EXPECT_EQ(commands({16384, 64, true, true}, 512), 8U);
    EXPECT_EQ(commands({16384, 64, true, true}, 10), 1U) << "at least one command";
    EXPECT_EQ(commands({16384, 64, true, true}, 1 << 20), 64U);
    EXPECT_EQ(commands({16384, 64, true, false}, 1 << 20), 63U) << "another range would end past the region";
    EXPECT_EQ(commands({16384, 64, false, true}, 1 << 20), 32U);
    EXPECT_EQ(commands({1 << 20, 64, true, true}, 1 << 20), 1U);
    EXPECT_EQ(plan_shape({16 << 20, 1, true, true}, 4ULL << 30U, 512)->commands, 16U) << "256 MiB";
    EXPECT_FALSE(plan_shape({1 << 20, 64, false, true}, kRegion, 1000));
    EXPECT_FALSE(plan_shape({4096, 1, false, false, 4096}, kRegion, 1000)) << "one grain is always aligned";
}

TEST(TrimMixedSource, FreesARangeForSixteenReads) {
    for (const Sending sending : {Sending::none, Sending::one_a_command, Sending::batched, Sending::queued}) {
        std::size_t reads = 0;
        std::set<std::uint64_t> freed;
        for (const Request& request : all_of(MixedSource(sending, {kRegion, 16384, Ps{1000}}, 3))) {
            if (request.operation == Operation::read) {
                ++reads;
                EXPECT_LE((request.lba.value + request.sectors) * 512, kRegion / 2);
                continue;
            }
            EXPECT_EQ(request.ranges.size(), sending == Sending::batched ? 64U : 1U);
            EXPECT_EQ(request.queued, sending == Sending::queued);
            for (const TrimRange& range : request.ranges) {
                EXPECT_TRUE(freed.insert(range.lba.value).second) << "trimmed before";
                EXPECT_GE(range.lba.value * 512, kRegion / 2);
                EXPECT_LE((range.lba.value + range.sectors) * 512, kRegion);
            }
        }
        EXPECT_EQ(reads, 16384U);
        EXPECT_EQ(freed.size(), sending == Sending::none ? 0U : 1024U);
    }
}

struct Made {
    std::string drive = "jasmine";
    std::uint64_t bytes = 16384;
    bool contiguous = false;
    bool aligned = true;
    int ranges = 1;
    double us = 10.0;
};

Measured point(const Made& made) {
    const double mb = made.ranges * static_cast<double>(made.bytes) / 1e6;
    return {
        {{"part", "ranges"},
         {"device", made.drive + ", page"},
         {"drive", made.drive},
         {"mapping", "page"},
         {"partial", "zeroed"},
         {"range_bytes", made.bytes},
         {"contiguous", made.contiguous},
         {"aligned", made.aligned},
         {"ranges", made.ranges},
         {"commands", 64}},
        {{"command_us", made.us}, {"range_us", made.us / made.ranges}, {"us_per_mb", made.us / mb}},
        {{"stages", {{"link_transfer", made.us / 2}, {"firmware_execute", made.us / 2}, {"gc_stall", 0.0}}}}};
}

Measured benchmark(const char* discard, double per_s) {
    return {{{"part", "filesystem"},
             {"device", "jasmine, page"},
             {"drive", "jasmine"},
             {"mapping", "page"},
             {"partial", "zeroed"},
             {"benchmark", "postmark"},
             {"workload", "postmark,files=10"},
             {"discard", discard}},
            {{"operations_per_s", per_s * 2}, {"synced_operations_per_s", per_s}}};
}

std::string verdict(const std::vector<Measured>& points, const std::string& id) {
    for (const Claim& claim : claims_of(points)) {
        if (claim.id == id) {
            return std::string(verdict_name(claim.verdict)) + ": " + claim.measured.get<std::string>();
        }
    }
    return "none";
}

TEST(TrimClaims, AreLeftOutWithoutMeasurements) {
    EXPECT_TRUE(claims_of({}).empty());
    EXPECT_TRUE(figures_of({}).empty());
    EXPECT_EQ(tables_of({}, TextStyle{}), "");
}

TEST(TrimClaims, D1ComparesMediansWithTheFasterDrive) {
    EXPECT_EQ(verdict({point({.us = 250}), point({.bytes = 65536, .us = 190}),
                       point({.bytes = 1 << 20, .us = 300})},
                      "D1"),
              "reproduced: jasmine, page 190-300 us, median 250");
    EXPECT_EQ(
        verdict({point({.us = 5}), point({.bytes = 65536, .us = 6}), point({.bytes = 1 << 20, .us = 300})},
                "D1"),
        "partly: jasmine, page 5-300 us, median 6");
    EXPECT_EQ(verdict({point({.us = 5})}, "D1"), "not reproduced: jasmine, page 5-5 us, median 5");
}

TEST(TrimClaims, D2CountsStepsOfEachLineOfSizes) {
    const std::vector<Measured> falling{point({.bytes = 4096, .us = 10}), point({.bytes = 16384, .us = 12}),
                                        point({.bytes = 4096, .contiguous = true, .us = 5}),
                                        point({.bytes = 16384, .contiguous = true, .us = 6})};
    EXPECT_EQ(verdict(falling, "D2"), "reproduced: falls at 2 of 2 steps of the size");
    const std::vector<Measured> rising{point({.bytes = 4096, .us = 10}), point({.bytes = 16384, .us = 41})};
    EXPECT_EQ(verdict(rising, "D2"), "not reproduced: falls at 0 of 1 steps of the size");
}

TEST(TrimClaims, D3AndD4ComparePairs) {
    const std::vector<Measured> points{point({.us = 10}),
                                       point({.aligned = false, .us = 20}),
                                       point({.contiguous = true, .us = 8}),
                                       point({.contiguous = true, .aligned = false, .us = 10}),
                                       point({.drive = "default", .us = 10}),
                                       point({.drive = "default", .contiguous = true, .us = 11})};
    EXPECT_EQ(verdict(points, "D3"),
              "reproduced: sectors of partly covered units zeroed: faster in 100 % of 2 pairs, median -20 %");
    EXPECT_EQ(verdict(points, "D4"), "reproduced: jasmine, page -20 %; default, page +10 %");
    EXPECT_EQ(verdict({point({.us = 10}), point({.contiguous = true, .us = 10})}, "D4"),
              "not reproduced: jasmine, page +0 %");
}

TEST(TrimClaims, D5IsTheTimeSavedOnJasmine) {
    // 64 x 100 us against 492.8 us: 1 - 492.8 / 6400 = 92.3 %.
    EXPECT_EQ(verdict({point({.us = 100}), point({.ranges = 64, .us = 492.8})}, "D5"), "reproduced: -92.3 %");
    EXPECT_EQ(verdict({point({.us = 100}), point({.ranges = 64, .us = 2000})}, "D5"), "partly: -68.8 %");
    EXPECT_EQ(verdict({point({.drive = "default"}), point({.drive = "default", .ranges = 64})}, "D5"),
              "none");
}

TEST(TrimClaims, D6IsTheLargestGain) {
    EXPECT_EQ(verdict({benchmark("per_extent", 100), benchmark("batched", 135)}, "D6"),
              "reproduced: up to +35.0 % (postmark, jasmine, page)");
    EXPECT_EQ(verdict({benchmark("per_extent", 100), benchmark("batched", 101)}, "D6"),
              "not reproduced: up to +1.0 % (postmark, jasmine, page)");
    EXPECT_EQ(verdict({benchmark("per_extent", 100), benchmark("none", 135)}, "D6"), "none");
}

TEST(TrimTables, HaveTheNumbersOfTheStages) {
    const std::vector<Measured> points{point({.us = 100}), point({.ranges = 64, .us = 480})};
    const std::string text = tables_of(points, TextStyle{});
    EXPECT_NE(text.find("92.5 % saved"), std::string::npos) << text;
    EXPECT_NE(text.find("3,200.0"), std::string::npos) << "half of 64 x 100 us on the link\n" << text;
    EXPECT_EQ(text.find("gc_stall"), std::string::npos) << "no time was spent there\n" << text;
    for (const Figure& figure : figures_of(points)) {
        EXPECT_NO_THROW((void)to_json(figure));
    }
}

}  // namespace
}  // namespace solidtlm::testbench::trim
