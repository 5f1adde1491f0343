// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/collector.h"

#include <gtest/gtest.h>

#include "fw/testing/collector_bench.h"

namespace solidtlm::fw::testing {
namespace {

using namespace std::chrono_literals;

TEST(GarbageCollector, EmptiesAWholeVictimAtOnceIfNotPaced) {
    GcBench bench(aiming_at(4, GcPacing::burst));
    bench.fill(12, kUnits / 2);
    bench.start();
    EXPECT_EQ(bench.moved_superpages(), 0) << "four are free";
    bench.write();
    EXPECT_EQ(bench.moved_superpages(), kPages / 2 * 2)
        << "the host and collection have opened a superblock each, and two victims take their places";
    EXPECT_EQ(bench.free(), 4U);
    bench.check();
}

// A victim whose valid share is u gains (1 - u) of a superblock per u of a superblock moved: each superpage
// of the host demands u / (1 - u) superpages of collection.
TEST(GarbageCollector, MovesWhatEachSuperpageOfTheHostDemandsIfPaced) {
    for (const std::uint32_t valid : {4U, 8U, 12U}) {
        SCOPED_TRACE(valid);
        GcBench bench(aiming_at(4, GcPacing::paced));
        bench.fill(12, valid);
        bench.start();
        const double demand = static_cast<double>(valid) / (kUnits - valid);
        for (int written = 1; written <= 16; ++written) {
            const double before = bench.moved_superpages();
            bench.write();
            EXPECT_NEAR(bench.moved_superpages(), demand * written, 1.0) << written << " written";
            EXPECT_LE(bench.moved_superpages() - before, demand + 1.0) << written << " written";
        }
        bench.check();
    }
}

TEST(GarbageCollector, GoesOnInIdleTimeUntilItsAimIsReached) {
    for (const GcPacing pacing : {GcPacing::burst, GcPacing::paced}) {
        GcConfig gc = aiming_at(4, pacing);
        gc.idle_threshold = 7;
        GcBench bench(gc);
        bench.activity.begin();
        bench.fill(12, kUnits / 2);
        bench.start();
        EXPECT_EQ(bench.moved_superpages(), 0) << "a command is outstanding";
        EXPECT_FALSE(bench.collector.at_rest()) << "something is to be done as soon as none is";
        bench.activity.end();
        const Ps idle_since = bench.clock.now();
        bench.run(bench.activity.wait_idle());
        EXPECT_GE(bench.clock.now() - idle_since, 10ms);
        EXPECT_GE(bench.free() * kPages + bench.allocator.gc_room(kPu) % kPages, 7 * kPages);
        EXPECT_TRUE(bench.collector.at_rest());
        const double moved = bench.moved_superpages();
        EXPECT_NEAR(moved, 3 * kPages, kPages) << "three superblocks gained of victims that are half valid";
        bench.activity.begin();
        bench.write();
        EXPECT_EQ(bench.moved_superpages(), moved) << "the host is back, and more than four are free";
        bench.check();
    }
}

TEST(GarbageCollector, RestsInIdleTimeIfThereIsNothingToGain) {
    for (const GcPacing pacing : {GcPacing::burst, GcPacing::paced}) {
        GcConfig gc = aiming_at(4, pacing);
        gc.idle_threshold = 7;
        GcBench bench(gc);
        bench.fill(12, kUnits);
        bench.start();
        EXPECT_TRUE(bench.collector.at_rest());
        EXPECT_EQ(bench.moved_superpages(), 0);
    }
}

// A command stops collection before its next superpage. When the host is idle again, collection goes on
// although the host has written nothing.
TEST(GarbageCollector, GoesOnAfterACommandThatCameInIdleTime) {
    GcConfig gc = aiming_at(4, GcPacing::burst);
    gc.idle_threshold = 7;
    GcBench bench(gc);
    bench.fill(12, kUnits / 2);
    bench.clock.at(bench.clock.now() + 4ms, [&bench] { bench.activity.begin(); });
    bench.start();
    const double moved = bench.moved_superpages();
    EXPECT_GT(moved, 0);
    EXPECT_LT(moved, kPages);
    EXPECT_FALSE(bench.collector.at_rest());
    bench.activity.end();
    bench.run(bench.activity.wait_idle());
    EXPECT_GT(bench.moved_superpages(), 2 * kPages);
    EXPECT_TRUE(bench.collector.at_rest());
    bench.check();
}

}  // namespace
}  // namespace solidtlm::fw::testing
