// SPDX-License-Identifier: Apache-2.0
#include "hw/ahci/prd_walk.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::ahci {
namespace {

using Entry = std::array<std::byte, kPrdBytes>;

Entry entry(std::uint64_t address, std::uint32_t count_field, bool interrupt = false) {
    Entry bytes{};
    put_little_endian(std::span(bytes).first<8>(), address);
    put_little_endian(std::span(bytes).subspan<12, 4>(), count_field | (interrupt ? kPrdInterrupt : 0));
    return bytes;
}

// Pieces of at most `most` bytes, as "address, bytes"; the entries come from the addresses that the walk
// gives.
std::vector<std::pair<std::uint64_t, std::uint32_t>> pieces(PrdWalk& walk, const std::vector<Entry>& table,
                                                            std::uint32_t most) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> result;
    while (!walk.exhausted()) {
        if (walk.wants_entry()) {
            walk.take_entry(table.at((walk.entry_address() - 0x1080) / kPrdBytes));
            continue;
        }
        const PrdWalk::Piece piece = walk.next(most);
        result.emplace_back(piece.address, piece.bytes);
    }
    return result;
}

using Pieces = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

TEST(PrdWalk, EntriesInTheirOrderAndNoMoreThanAskedFor) {
    const std::vector<Entry> table{entry(0x2000, 511), entry(0x1'0000'0000, 3), entry(0x8000, 1023)};
    PrdWalk walk;
    walk.begin(0x1000, 3, 0);
    EXPECT_EQ(walk.entry_address(), 0x1080U);
    EXPECT_EQ(pieces(walk, table, 512),
              (Pieces{{0x2000, 512}, {0x1'0000'0000, 4}, {0x8000, 512}, {0x8200, 512}}));
}

// 0 means 1 byte, 3FFFFFh 4 MiB; reserved bits 30:22 are ignored, bit 0 of an address is taken as 0.
TEST(PrdWalk, ByteCountsAreStoredMinusOne) {
    const std::vector<Entry> table{entry(0x2001, 0), entry(0x3000, 0x7FFFFFFF)};
    PrdWalk walk;
    walk.begin(0x1000, 2, 0);
    EXPECT_EQ(pieces(walk, table, ~0U), (Pieces{{0x2000, 1}, {0x3000, 4U << 20U}}));
}

TEST(PrdWalk, AnOffsetSkipsEntriesAndPartOfOne) {
    const std::vector<Entry> table{entry(0x2000, 511), entry(0x4000, 511), entry(0x6000, 511)};
    PrdWalk walk;
    walk.begin(0x1000, 3, 600);
    EXPECT_EQ(pieces(walk, table, ~0U), (Pieces{{0x4058, 424}, {0x6000, 512}}));
    walk.begin(0x1000, 3, 1536);
    EXPECT_EQ(pieces(walk, table, ~0U), Pieces{});
}

TEST(PrdWalk, AnEmptyTableIsExhausted) {
    PrdWalk walk;
    walk.begin(0x1000, 0, 0);
    EXPECT_TRUE(walk.exhausted());
    EXPECT_FALSE(walk.wants_entry());
}

TEST(PrdWalk, InterruptsAtTheEndOfAnEntryWithTheInterruptBit) {
    PrdWalk walk;
    walk.begin(0x1000, 2, 0);
    walk.take_entry(entry(0x2000, 7, true));
    walk.next(4);
    EXPECT_FALSE(walk.interrupts());
    walk.next(4);
    EXPECT_TRUE(walk.interrupts());
    walk.take_entry(entry(0x3000, 7));
    walk.next(8);
    EXPECT_FALSE(walk.interrupts());
}

}  // namespace
}  // namespace solidtlm::hw::ahci
