// SPDX-License-Identifier: Apache-2.0
//
// Hand-worked examples: a translation page has entries 0 ... 1023, entry e of translation page t is LPN
// 1024 t + e.
#include "testbench/studies/sle.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "testbench/sim/host/listed_source.h"
#include "testbench/studies/load_properties.h"

namespace solidtlm::testbench {
namespace {

using hal::Lpn;

void access_all(SleHistogram& histogram, std::initializer_list<std::uint32_t> lpns) {
    for (const std::uint32_t lpn : lpns) {
        histogram.access(Lpn{lpn});
    }
}

TEST(Sle, FigureOneOfTheStudy) {
    // Request A is LPN 1 and causes the translation page to be cached; request X is LPN 1023: 1023 - 1.
    SleHistogram histogram;
    access_all(histogram, {1, 1023});
    EXPECT_EQ(histogram.total(), 2U);
    EXPECT_EQ(histogram.misses(), 1U);
    EXPECT_EQ(histogram.count(0), 1U) << "A itself";
    EXPECT_EQ(histogram.count(1022), 1U);
    EXPECT_EQ(histogram.moved(), 1U);
}

TEST(Sle, DistancesHaveSignsAndReachTheEnds) {
    SleHistogram histogram;
    access_all(histogram, {1023, 0, 1023, 1000});            // distances 0, -1023, 0, -23
    access_all(histogram, {2048, 2048 + 1023, 2048, 2049});  // distances 0, +1023, 0, +1
    EXPECT_EQ(histogram.count(0), 4U);
    EXPECT_EQ(histogram.misses(), 2U);
    EXPECT_EQ(histogram.count(-1023), 1U);
    EXPECT_EQ(histogram.count(-23), 1U);
    EXPECT_EQ(histogram.count(1023), 1U);
    EXPECT_EQ(histogram.count(1), 1U);
    EXPECT_EQ(histogram.count(-1023, -1), 2U);
    EXPECT_EQ(histogram.count(1, 1023), 2U);
    EXPECT_EQ(histogram.count(-1023, 1023), histogram.total());
}

TEST(Sle, NeighbouringTranslationPagesHaveNothingInCommon) {
    SleHistogram histogram;
    access_all(histogram, {1023, 1024});
    EXPECT_EQ(histogram.misses(), 2U);
    EXPECT_EQ(histogram.moved(), 0U);
}

TEST(Sle, TheLeastRecentlyUsedTranslationPageLeavesAndIsTriggeredAgain) {
    // Room for two. Page 0 is triggered by entry 10, page 1 by entry 20. Page 0 is used again, so page 2
    // evicts page 1. Page 1 comes back with entry 25 as its trigger and evicts page 0.
    SleHistogram histogram(2);
    access_all(histogram, {10, 1024 + 20, 15, 2048, 1024 + 25, 1024 + 20, 12});
    EXPECT_EQ(histogram.misses(), 5U);
    EXPECT_EQ(histogram.count(5), 1U) << "15 - 10";
    EXPECT_EQ(histogram.count(-5), 1U) << "20 - 25, not 20 - 20";
    EXPECT_EQ(histogram.count(0), 5U) << "12 is a trigger again";
}

TEST(LoadProperties, CountsPagesOfUnalignedRequests) {
    LoadProperties properties;
    properties.add(request_of(Operation::write, 7, 2));         // sectors 7, 8: pages 0, 1
    properties.add(request_of(Operation::read, 8, 16));         // pages 1, 2
    properties.add(request_of(Operation::write, 8191, 1));      // page 1023
    properties.add(request_of(Operation::write, 8192 * 3, 8));  // the first page of translation page 3
    properties.add(request_of(Operation::flush, 0, 0));
    EXPECT_EQ(properties.requests(), 4U);
    EXPECT_EQ(properties.page_requests(), 6U);
    EXPECT_EQ(properties.bytes(), 27U * 512);
    EXPECT_DOUBLE_EQ(properties.mean_bytes(), 27.0 * 512 / 4);
    EXPECT_DOUBLE_EQ(properties.read_share(), 0.25);
    EXPECT_EQ(properties.range_bytes(), (8192U * 3 + 8 - 7) * 512);
    EXPECT_EQ(properties.distinct_pages(), 5U);
    EXPECT_EQ(properties.distinct_translation_pages(), 2U);
    EXPECT_DOUBLE_EQ(properties.share_of_top_fifth(), 2.0 / 6) << "page 1 is one of five pages";
}

}  // namespace
}  // namespace solidtlm::testbench
