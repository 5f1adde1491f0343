// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/counters.h"

#include <gtest/gtest.h>

namespace solidtlm::fw {
namespace {

TEST(DedupCounters, AddUpAndTakeDifferences) {
    DedupCounters first;
    first.crcs = 20;
    first.interrupted = 1;
    first.read = hal::Ps{1500};
    first.compare = hal::Ps{70};
    DedupCounters second;
    second.crcs = 3;
    second.duplicates = 8;
    second.compare = hal::Ps{30};
    DedupCounters sum = first;
    sum += second;
    EXPECT_EQ(sum.crcs, 23U);
    EXPECT_EQ(sum.duplicates, 8U);
    EXPECT_EQ(sum.interrupted, 1U);
    EXPECT_EQ(sum.total(), hal::Ps{1600});
    const DedupCounters part = sum.since(first);
    EXPECT_EQ(part.crcs, 3U);
    EXPECT_EQ(part.interrupted, 0U);
    EXPECT_EQ(part.read, hal::Ps{0});
    EXPECT_EQ(part.compare, hal::Ps{30});
}

TEST(DedupState, SavedPagesAreReferencesBeyondTheFirst) {
    DedupState state;
    state.shared_pages = 3;
    state.references = 8;
    EXPECT_EQ(state.saved_pages(), 5U);
    state.references = 2;  // a new one has none yet
    EXPECT_EQ(state.saved_pages(), 0U);
}

}  // namespace
}  // namespace solidtlm::fw
