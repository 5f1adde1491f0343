// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/shadow_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kTebibyte = (1ULL << 40U) / hal::kSectorBytes;

TEST(ShadowMap, TebibyteCostsNothingWhereUntouched) {
    ShadowMap map(kTebibyte);
    EXPECT_EQ(map.changed_pages(), 0U);
    EXPECT_EQ(map.get(kTebibyte - 1).identity, 0U);
    EXPECT_EQ(map.get(0).writer, 0U);
    map.set(kTebibyte - 1, {7, 3, SectorState::Kind::pinned});
    EXPECT_EQ(map.changed_pages(), 1U);
    EXPECT_EQ(map.get(kTebibyte - 1).identity, 7U);
    EXPECT_EQ(map.get(kTebibyte - 1).writer, 3U);
    EXPECT_EQ(map.get(kTebibyte - 1).kind, SectorState::Kind::pinned);
    EXPECT_EQ(map.get(kTebibyte).identity, 0U) << "beyond the end there is nothing";
    EXPECT_EQ(map.next_changed(0, kTebibyte), kTebibyte - ShadowMap::kPageSectors);
    EXPECT_EQ(map.next_changed(0, 1000), 1000U);
}

TEST(ShadowMap, MatchesAMapUnderRandomChanges) {
    ShadowMap map(1U << 24U);
    std::map<std::uint64_t, SectorState> expected;
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t lba = random() % 64 * 250'000 + random() % 100;
        const SectorState state{random(), static_cast<std::uint32_t>(random() % SectorState::kMaxWriter),
                                static_cast<SectorState::Kind>(random() % 4)};
        map.set(lba, state);
        expected[lba] = state;
    }
    for (const auto& [lba, state] : expected) {
        ASSERT_EQ(map.get(lba).identity, state.identity);
        ASSERT_EQ(map.get(lba).writer, state.writer);
        ASSERT_EQ(map.get(lba).kind, state.kind);
    }
}

// Runs across page ends, and past the end of the device.
TEST(ShadowMap, ChangesAndShowsRunsAsItDoesSingleSectors) {
    constexpr std::uint64_t kSectors = 3 * ShadowMap::kPageSectors + 100;
    ShadowMap runs(kSectors);
    ShadowMap single(kSectors);
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t lba = random() % (kSectors + 200);
        const auto count = static_cast<std::uint32_t>(random() % 2500);
        std::uint32_t seen = 0;
        if (i % 2 == 0) {
            runs.change(lba, count, [&](std::uint32_t sector, const SectorState& before) {
                EXPECT_EQ(sector, seen++);
                const std::uint64_t at = lba + sector;
                EXPECT_EQ(before.identity, single.get(at).identity);
                const SectorState state{before.identity + at + 1, sector, SectorState::Kind::pinned};
                if (at < kSectors) {
                    single.set(at, state);
                }
                return state;
            });
        } else {
            runs.each(lba, count, [&](std::uint32_t sector, const SectorState& state) {
                EXPECT_EQ(sector, seen++);
                EXPECT_EQ(state.identity, single.get(lba + sector).identity);
                EXPECT_EQ(state.writer, single.get(lba + sector).writer);
                EXPECT_EQ(state.kind, single.get(lba + sector).kind);
            });
        }
        ASSERT_EQ(seen, count);
    }
    EXPECT_EQ(runs.changed_pages(), single.changed_pages());
}

}  // namespace
}  // namespace solidtlm::testbench
