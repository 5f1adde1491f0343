// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/prp_walk.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {
namespace {

using PrpPieces = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

PrpPieces prp_pieces(const PrpWalk& walk, std::uint32_t bytes) {
    PrpPieces result;
    for (std::uint32_t at = 0; at < bytes;) {
        const PrpWalk::Piece piece = walk.piece(at, bytes);
        result.emplace_back(piece.address, piece.bytes);
        at += piece.bytes;
    }
    return result;
}

bool take(PrpWalk& walk, const std::vector<std::uint64_t>& entries) {
    std::vector<std::byte> bytes(entries.size() * 8);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        put_little_endian(std::span(bytes).subspan(i * 8, 8), entries[i]);
    }
    return walk.take_list(bytes);
}

TEST(PrpWalk, OnePageNeedsPrp1Alone) {
    PrpWalk walk;
    ASSERT_TRUE(walk.begin(0x10000, 0x123, 4096));  // PRP2 is not looked at
    EXPECT_FALSE(walk.wants_list());
    EXPECT_EQ(prp_pieces(walk, 4096), (PrpPieces{{0x10000, 4096}}));
    ASSERT_TRUE(walk.begin(0x10E00, 0x123, 512));
    EXPECT_EQ(prp_pieces(walk, 512), (PrpPieces{{0x10E00, 512}}));
}

TEST(PrpWalk, TheSecondPageIsPrp2) {
    PrpWalk walk;
    ASSERT_TRUE(walk.begin(0x10000, 0x30000, 8192));
    EXPECT_EQ(prp_pieces(walk, 8192), (PrpPieces{{0x10000, 4096}, {0x30000, 4096}}));
    ASSERT_TRUE(walk.begin(0x10F04, 0x30000, 512));
    EXPECT_EQ(prp_pieces(walk, 512), (PrpPieces{{0x10F04, 252}, {0x30000, 260}}));
}

TEST(PrpWalk, MorePagesComeFromAList) {
    PrpWalk walk;
    ASSERT_TRUE(walk.begin(0x10800, 0x50008, 3 * 4096));  // 2048 + 4096 + 4096 + 2048
    ASSERT_TRUE(walk.wants_list());
    EXPECT_EQ(walk.list_address(), 0x50008U);
    EXPECT_EQ(walk.list_bytes(), 24U);
    ASSERT_TRUE(take(walk, {0x20000, 0x40000, 0x30000}));
    EXPECT_FALSE(walk.wants_list());
    EXPECT_EQ(prp_pieces(walk, 3 * 4096),
              (PrpPieces{{0x10800, 2048}, {0x20000, 4096}, {0x40000, 4096}, {0x30000, 2048}}));
}

// The last qword of a list's page is data if one page is left, else it points to the next list.
TEST(PrpWalk, ListsGoOnInAnotherPage) {
    PrpWalk walk;
    ASSERT_TRUE(walk.begin(0x10000, 0x50FF0, 3 * 4096));
    EXPECT_EQ(walk.list_bytes(), 16U);  // two entries, and two pages are left: both are data
    ASSERT_TRUE(take(walk, {0x20000, 0x30000}));
    EXPECT_FALSE(walk.wants_list());

    ASSERT_TRUE(walk.begin(0x10000, 0x50FF0, 4 * 4096));
    EXPECT_EQ(walk.list_bytes(), 16U);
    ASSERT_TRUE(take(walk, {0x20000, 0x60000}));
    ASSERT_TRUE(walk.wants_list());
    EXPECT_EQ(walk.list_address(), 0x60000U);
    EXPECT_EQ(walk.list_bytes(), 16U);
    ASSERT_TRUE(take(walk, {0x30000, 0x40000}));
    EXPECT_EQ(prp_pieces(walk, 4 * 4096),
              (PrpPieces{{0x10000, 4096}, {0x20000, 4096}, {0x30000, 4096}, {0x40000, 4096}}));

    ASSERT_TRUE(walk.begin(0x10000, 0x50FF8, 3 * 4096));  // a pointer alone
    EXPECT_EQ(walk.list_bytes(), 8U);
    ASSERT_TRUE(take(walk, {0x60000}));
    EXPECT_EQ(walk.list_bytes(), 16U);
}

TEST(PrpWalk, TheMostThatMdtsAllows) {
    PrpWalk walk;
    ASSERT_TRUE(walk.begin(0x10004, 0x50000, kMostBytes));  // 33 pages; the list names 32
    EXPECT_EQ(walk.list_bytes(), 32U * 8);
    std::vector<std::uint64_t> entries;
    for (std::uint64_t page = 0; page < 32; ++page) {
        entries.push_back(0x100000 + page * 4096);
    }
    ASSERT_TRUE(take(walk, entries));
    EXPECT_EQ(walk.piece(kMostBytes - 4, 4).address, 0x100000U + 31 * 4096);
}

TEST(PrpWalk, OffsetsThatAreNotAllowed) {
    PrpWalk walk;
    EXPECT_FALSE(walk.begin(0x10002, 0, 512));
    EXPECT_FALSE(walk.begin(0x10000, 0x30200, 8192));
    EXPECT_FALSE(walk.begin(0x10000, 0x50004, 3 * 4096));
    ASSERT_TRUE(walk.begin(0x10000, 0x50000, 3 * 4096));
    EXPECT_FALSE(take(walk, {0x20000, 0x30010}));
    ASSERT_TRUE(walk.begin(0x10000, 0x50FF8, 3 * 4096));
    EXPECT_FALSE(take(walk, {0x60008}));  // a further list begins at its page's start
}

}  // namespace
}  // namespace solidtlm::hw::nvme
