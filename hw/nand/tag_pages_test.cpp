// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/tag_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace solidtlm::hw {
namespace {

constexpr std::size_t kTag = sizeof(std::uint64_t);

std::span<const std::byte> bytes_of(const std::vector<std::uint64_t>& tags) {
    return std::as_bytes(std::span(tags));
}

std::vector<std::uint64_t> read(const TagPages& pages, std::size_t block, std::size_t sector,
                                std::size_t sectors) {
    std::vector<std::uint64_t> tags(sectors, ~std::uint64_t{0});
    pages.copy(block, sector, std::as_writable_bytes(std::span(tags)));
    return tags;
}

TEST(TagRun, FollowsFromItsFirstTagOrDoesNot) {
    EXPECT_TRUE(follow_each_other({5, 6, 7, 8, 9, 10, 11, 12}));
    EXPECT_TRUE(follow_each_other({}));
    EXPECT_FALSE(follow_each_other({0, 1, 2, 3, 4, 5, 6, 7})) << "after zeros come zeros";
    EXPECT_FALSE(follow_each_other({5, 6, 7, 8, 9, 10, 11, 13}));
    EXPECT_FALSE(follow_each_other({5, 5, 5, 5, 5, 5, 5, 5}));
    EXPECT_EQ(expand_run(5), (RunTags{5, 6, 7, 8, 9, 10, 11, 12}));
    EXPECT_EQ(expand_run(0), RunTags{});
    EXPECT_EQ(tag_in_run(5, 7), 12U);
    EXPECT_EQ(tag_in_run(0, 7), 0U);
    const RunTags past_the_end = expand_run(~std::uint64_t{2});
    EXPECT_EQ(past_the_end[3], 0U);
    EXPECT_TRUE(follow_each_other(past_the_end));
}

TEST(TagPages, EightConsecutiveTagsTakeOneWord) {
    constexpr std::size_t kBlock = 1;
    TagPages pages(2, 1024);
    EXPECT_EQ(pages.memory(), 0U);
    std::vector<std::uint64_t> tags(32);
    std::iota(tags.begin(), tags.end(), 1000);
    pages.store(kBlock, 64, bytes_of(tags));
    EXPECT_EQ(pages.memory(), 1024 / 8 * kTag);
    EXPECT_EQ(read(pages, kBlock, 64, 32), tags);
    tags[9] = 7;  // one run of eight
    pages.store(kBlock, 64, bytes_of(tags));
    EXPECT_EQ(pages.memory(), 1024 / 8 * kTag + 1024 / 8 / 64 * kTag + 8 * kTag);
    EXPECT_EQ(read(pages, kBlock, 64, 32), tags);
    pages.forget(kBlock);
    EXPECT_EQ(pages.memory(), 1024 / 8 * kTag);
}

// Compared with one word per sector: runs at any place and of any length, of tags that are consecutive, are
// not, or are zeros.
TEST(TagPages, ReturnsWhatWasStored) {
    constexpr std::size_t kSectors = 200;
    constexpr std::size_t kBlocks = 3;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        TagPages pages(kBlocks, kSectors);
        std::vector<std::vector<std::uint64_t>> expected(kBlocks, std::vector<std::uint64_t>(kSectors));
        for (int step = 0; step < 300; ++step) {
            const std::size_t block = random() % kBlocks;
            const std::size_t first = random() % kSectors;
            const std::size_t sectors = random() % std::min<std::size_t>(40, kSectors - first) + 1;
            std::vector<std::uint64_t> tags(sectors);
            const auto kind = random() % 5;
            if (kind == 0) {
                pages.clear(block, first, sectors);
            } else {
                if (kind == 1) {
                    std::ranges::generate(tags, [&random] { return random() % 3; });
                } else {
                    std::iota(tags.begin(), tags.end(), random() % 100 * 8 + first % 8);
                }
                pages.store(block, first, bytes_of(tags));
            }
            std::ranges::copy(tags, expected[block].begin() + static_cast<std::ptrdiff_t>(first));
            if (random() % 100 == 0) {
                pages.forget(block);
                pages.clear(block, 0, kSectors);
                std::ranges::fill(expected[block], 0);
            }
            for (std::size_t each = 0; each < kBlocks; ++each) {
                ASSERT_EQ(read(pages, each, 0, kSectors), expected[each]) << "after step " << step;
            }
            ASSERT_EQ(read(pages, block, first, 1).front(), expected[block][first]);
        }
    }
}

}  // namespace
}  // namespace solidtlm::hw
