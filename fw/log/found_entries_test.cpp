// SPDX-License-Identifier: Apache-2.0
#include "fw/log/found_entries.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

using namespace solidtlm::fw;

using Map = std::map<std::uint32_t, std::uint32_t>;

Map visited(const FoundEntries& entries) {
    Map found;
    std::uint32_t previous = 0;
    entries.each([&](Lpn lpn, Ppa entry) {
        EXPECT_TRUE(found.empty() || lpn.value > previous) << "ascending";
        previous = lpn.value;
        found[lpn.value] = entry.value;
    });
    return found;
}

// Compared with a std::map; sizes that fill the last stretch, or just begin one.
class FoundEntriesOfSize : public testing::TestWithParam<std::uint32_t> {};

TEST_P(FoundEntriesOfSize, VisitsExactlyTheEntriesThatAreSet) {
    FoundEntries entries(GetParam(), "a test");
    EXPECT_TRUE(visited(entries).empty());
    std::minstd_rand random(GetParam());
    Map expected;
    const auto set = [&](std::uint32_t lpn, std::uint32_t entry) {
        entries.set(Lpn{lpn}, Ppa{entry});
        expected[lpn] = entry;
    };
    set(0, 0);
    set(GetParam() - 1, 7);
    for (int i = 0; i < 50; ++i) {
        const auto lpn = static_cast<std::uint32_t>(random() % GetParam());
        if (random() % 3 == 0) {
            entries.set(Lpn{lpn}, kUnmapped);
            expected.erase(lpn);
        } else {
            set(lpn, static_cast<std::uint32_t>(random() % 1000));
        }
        ASSERT_EQ(visited(entries), expected);
    }
}
INSTANTIATE_TEST_SUITE_P(Sizes, FoundEntriesOfSize, testing::Values(1, 1023, 1024, 1025, 100'000));

TEST(FoundEntries, MayBeSetWhileTheyAreVisited) {
    FoundEntries entries(3000, "a test");
    for (const std::uint32_t lpn : {5U, 1024U, 2999U}) {
        entries.set(Lpn{lpn}, Ppa{lpn});
    }
    entries.each(
        [&](Lpn lpn, Ppa entry) { entries.set(lpn, entry == Ppa{1024} ? kUnmapped : Ppa{entry.value + 1}); });
    EXPECT_EQ(visited(entries), (Map{{5, 6}, {2999, 3000}}));
}

}  // namespace
