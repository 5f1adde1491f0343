// SPDX-License-Identifier: Apache-2.0
//
// The measures of duplicates on streams that are short enough to work out by hand.
#include "testbench/studies/content_properties.h"

#include <gtest/gtest.h>

#include "testbench/studies/arrival_gaps.h"

namespace solidtlm::testbench {
namespace {

Request write(std::uint64_t page, std::vector<std::uint64_t> content) {
    Request request;
    request.operation = Operation::write;
    request.lba = Lba{page * 8};
    request.sectors = content.size() * 8;
    request.content = std::move(content);
    return request;
}

Request trim(std::uint64_t page, std::uint32_t pages) {
    Request request;
    request.operation = Operation::trim;
    request.ranges.push_back({Lba{page * 8}, pages * 8});
    return request;
}

TEST(ContentProperties, DistinguishesContentsWrittenFromContentsPresent) {
    ContentProperties properties;
    properties.add(write(0, {1, 2, 3}));
    properties.add(write(10, {2}));  // page 1 holds these contents
    properties.add(write(1, {4}));
    properties.add(write(10, {5}));
    properties.add(write(20, {2}));  // written before, but no page holds it now
    properties.add(write(20, {2}));  // only this page holds it
    EXPECT_EQ(properties.blocks(), 8U);
    EXPECT_EQ(properties.told(), 8U);
    EXPECT_EQ(properties.distinct(), 5U);
    EXPECT_EQ(properties.repeated(), 3U);
    EXPECT_EQ(properties.duplicates(), 1U);
    EXPECT_EQ(properties.rewritten(), 1U);
    EXPECT_EQ(properties.overwrites(), 3U);
}

TEST(ContentProperties, ATrimEndsContentsAndTheOverwriting) {
    ContentProperties properties;
    properties.add(write(0, {1, 2, 3}));
    properties.add(trim(1, 2));
    properties.add(write(5, {2, 3, 1}));  // the first page still holds 1
    properties.add(write(1, {9}));
    EXPECT_EQ(properties.repeated(), 3U);
    EXPECT_EQ(properties.duplicates(), 1U);
    EXPECT_EQ(properties.overwrites(), 0U);
}

TEST(ContentProperties, RunsAndDistances) {
    ContentProperties properties;
    properties.add(write(0, {1, 2, 3}));
    properties.add(write(10, {7, 2, 3}));     // both are 3 blocks later
    properties.add(write(20, {4, 1, 5, 1}));  // 7 blocks after the first, then 2
    EXPECT_EQ(properties.repeated(), 4U);
    EXPECT_DOUBLE_EQ(properties.mean_run(), 4.0 / 3);
    EXPECT_DOUBLE_EQ(properties.mean_distance(), (3 + 3 + 7 + 2) / 4.0);
    EXPECT_EQ(properties.median_distance(), 3U) << "the third of 2, 3, 3, 7";
}

TEST(ContentProperties, CountsZerosAndUnknownContents) {
    ContentProperties properties;
    properties.add(write(0, {0, 0, 1}));
    Request silent = write(10, {1, 1});
    silent.content.clear();
    properties.add(silent);
    EXPECT_EQ(properties.blocks(), 5U);
    EXPECT_EQ(properties.told(), 3U);
    EXPECT_EQ(properties.zeros(), 2U);
    EXPECT_EQ(properties.duplicates(), 1U);
}

TEST(ContentProperties, PartsOfABlockEndItsContents) {
    ContentProperties properties;
    properties.add(write(0, {1, 2}));
    Request odd = write(0, {7});
    odd.lba = Lba{4};  // second half of page 0 and first half of page 1
    properties.add(odd);
    EXPECT_EQ(properties.blocks(), 2U);
    properties.add(write(10, {1, 2}));
    EXPECT_EQ(properties.repeated(), 2U);
    EXPECT_EQ(properties.duplicates(), 0U);
}

// 6 sectors, pages 1 and 2, 2 sectors: the contents of pages 1 and 2 are known; the fragments destroy those
// of pages 0 and 3.
TEST(ContentProperties, WholeBlocksBetweenFragments) {
    ContentProperties properties;
    properties.add(write(0, {1}));
    properties.add(write(3, {4}));
    Request log = write(0, {7, 8, 9, 10});
    log.lba = Lba{2};
    log.sectors = 24;
    log.content_layout = ContentLayout::aligned_to(2);
    properties.add(log);
    EXPECT_EQ(properties.blocks(), 4U);
    EXPECT_EQ(properties.told(), 4U);
    properties.add(write(20, {1, 4, 8, 9}));  // 1 and 4 were written before and are gone, 8 and 9 are present
    EXPECT_EQ(properties.repeated(), 4U);
    EXPECT_EQ(properties.duplicates(), 2U);
}

// Blocks begin 7 sectors into a page, so each page has 8 sectors of contents, but from two blocks.
TEST(ContentProperties, PagesWithPartsOfTwoBlocksHaveNoIdentity) {
    ContentProperties properties;
    Request shifted = write(0, {1, 2, 3});
    shifted.lba = Lba{7};
    properties.add(shifted);
    EXPECT_EQ(properties.blocks(), 2U);
    EXPECT_EQ(properties.told(), 0U);
}

TEST(ContentProperties, TheMostFrequentHundredth) {
    ContentProperties properties;
    for (std::uint64_t i = 1; i <= 100; ++i) {
        properties.add(write(i, {i}));
    }
    for (std::uint64_t i = 0; i < 100; ++i) {
        properties.add(write(1000 + i, {42}));
    }
    EXPECT_DOUBLE_EQ(properties.share_of_top_hundredth(), 101.0 / 200);
}

TEST(ArrivalGaps, CountsTheLongOnes) {
    ArrivalGaps gaps(std::chrono::milliseconds(10));
    Request request;
    // gaps of 20 and 31 ms; the gap of 10 ms is not longer than the limit
    for (const int at_ms : {0, 1, 2, 22, 23, 33, 64}) {
        request.arrival = std::chrono::milliseconds(at_ms);
        gaps.add(request);
    }
    EXPECT_DOUBLE_EQ(gaps.idle_share(), 51.0 / 64);
    EXPECT_EQ(gaps.mean_gap(), std::chrono::microseconds(25'500));
    EXPECT_DOUBLE_EQ(gaps.mean_burst(), 7.0 / 3);
}

}  // namespace
}  // namespace solidtlm::testbench
