// SPDX-License-Identifier: Apache-2.0
//
// Pairs of contents with equal CRC-32, expanded to bytes on the way to the device and back.
#include "testbench/sim/load/crc_collisions.h"

#include <gtest/gtest.h>

#include <set>

#include "hw/hash/digest.h"
#include "hw/tlm/content.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {
namespace {

using Block = std::array<std::byte, 4096>;

Block expanded(std::uint64_t identity) {
    Block block{};
    for (std::uint32_t sector = 0; sector < block.size() / hal::kSectorBytes; ++sector) {
        hw::expand_content(Verifier::sector_identity(identity, sector),
                           std::span(block).subspan(sector * hal::kSectorBytes).first<hal::kSectorBytes>());
    }
    return block;
}

hw::Digest::Value digest(hal::HashFunction function, const Block& block) {
    hw::Digest digest;
    digest.begin(function);
    digest.add(block);
    return digest.end();
}

TEST(CrcCollisions, DifferInContentsAndFingerprintButNotInTheirCrc) {
    std::set<std::uint64_t> met;
    for (const auto& [a, b] : kCrcCollisions) {
        SCOPED_TRACE(a);
        const Block first = expanded(a);
        const Block second = expanded(b);
        EXPECT_NE(first, second);
        EXPECT_EQ(digest(hal::HashFunction::crc32, first), digest(hal::HashFunction::crc32, second));
        EXPECT_NE(digest(hal::HashFunction::md5, first), digest(hal::HashFunction::md5, second));
        EXPECT_TRUE(met.insert(a).second && met.insert(b).second) << "in only one pair";
        EXPECT_GE(std::min(a, b), kCrcCollisionBase) << "in a range that no workload uses";
    }
}

}  // namespace
}  // namespace solidtlm::testbench
