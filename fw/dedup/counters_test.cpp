// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/counters.h"

#include <gtest/gtest.h>

namespace solidtlm::fw {
namespace {

TEST(DedupState, SavedPagesAreReferencesBeyondTheFirst) {
    DedupState state;
    state.shared_pages = 3;
    state.references = 8;
    EXPECT_EQ(state.saved_pages(), 5U);
    state.references = 2;  // a new virtual block has none yet
    EXPECT_EQ(state.saved_pages(), 0U);
}

TEST(DedupState, CountersAddUpAndStatesStayOverPowerCutsAndWindows) {
    DedupState before;
    before.counters.crcs = 20;
    before.counters.compare = hal::Ps{70};
    before.waiting = 9;
    DedupState after;
    after.counters.crcs = 3;
    after.counters.duplicates = 8;
    after.counters.compare = hal::Ps{30};
    after.waiting = 2;
    hal::Metrics past;
    before.tell(past);
    hal::Metrics all;
    after.tell(all);
    all.add_past(past);
    EXPECT_EQ(all.at("dedup.crcs"), 23);
    EXPECT_EQ(all.at("dedup.duplicates"), 8);
    EXPECT_EQ(all.time_at("dedup.time_us.compare"), hal::Ps{100});
    EXPECT_EQ(all.time_at("dedup.time_us.total"), hal::Ps{100});
    EXPECT_EQ(all.at("dedup.waiting"), 2);
    const hal::Metrics window = all.since(past);
    EXPECT_EQ(window.at("dedup.crcs"), 3);
    EXPECT_EQ(window.time_at("dedup.time_us.compare"), hal::Ps{30});
    EXPECT_EQ(window.at("dedup.waiting"), 2);
}

}  // namespace
}  // namespace solidtlm::fw
