// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/content.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace solidtlm::hw {
namespace {

TEST(Content, IdentityZeroIsZeros) {
    SectorContent sector;
    sector.fill(std::byte{0xAA});
    expand_content(0, sector);
    EXPECT_TRUE(std::all_of(sector.begin(), sector.end(), [](std::byte b) { return b == std::byte{0}; }));
    EXPECT_EQ(identify_content(sector), 0U);
}

// Published test vector of SplitMix64: the first three outputs from seed 1234567.
TEST(Content, IsTheSplitMix64Sequence) {
    constexpr std::uint64_t kIdentity = 11906536674387683726U;
    static_assert(split_mix64(kIdentity) == 1234567);
    SectorContent sector;
    expand_content(kIdentity, sector);
    std::array<std::uint64_t, 3> words{};
    std::memcpy(words.data(), sector.data(), sizeof words);
    EXPECT_EQ(words[0], 6457827717110365317U);
    EXPECT_EQ(words[1], 3203168211198807973U);
    EXPECT_EQ(words[2], 9817491932198370423U);
}

TEST(Content, IdentityComesBackFromContentAndDamageIsSeen) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t identity = random();
        SectorContent sector;
        expand_content(identity, sector);
        ASSERT_EQ(identify_content(sector), identity);
        sector[random() % sector.size()] ^= std::byte{1};
        ASSERT_EQ(identify_content(sector), std::nullopt);
    }
}

}  // namespace
}  // namespace solidtlm::hw
