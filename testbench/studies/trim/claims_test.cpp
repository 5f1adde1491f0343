// SPDX-License-Identifier: Apache-2.0
//
// Verdicts of made-up measurements.
#include "testbench/studies/trim/claims.h"

#include <gtest/gtest.h>

#include "testbench/studies/trim/figures.h"
#include "testbench/studies/trim/tables.h"

namespace solidtlm::testbench::trim {
namespace {

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
    return {{{"part", "ranges"},
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
            {{"link_transfer", made.us / 2}, {"firmware_execute", made.us / 2}, {"gc_stall", 0.0}}};
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
            {{"operations_per_s", per_s * 2}, {"synced_operations_per_s", per_s}},
            nullptr};
}

std::string verdict(const std::vector<Measured>& points, const std::string& id) {
    for (const Claim& claim : claims_of(points)) {
        if (claim.id == id) {
            return std::string(verdict_name(claim.verdict)) + ": " + claim.measured.get<std::string>();
        }
    }
    return "none";
}

TEST(TrimClaims, AreLeftOutWhereNothingWasMeasured) {
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
    EXPECT_EQ(text.find("gc_stall"), std::string::npos) << "nothing was spent there\n" << text;
    for (const Figure& figure : figures_of(points)) {
        EXPECT_NO_THROW((void)to_json(figure));
    }
}

}  // namespace
}  // namespace solidtlm::testbench::trim
