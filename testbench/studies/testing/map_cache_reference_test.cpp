// SPDX-License-Identifier: Apache-2.0
//
// Examples worked by hand from docs/map-cache.md. Translation page t has the LPNs 1024 t ... 1024 t + 1023.
#include "testbench/studies/testing/map_cache_reference.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench::reference {
namespace {

constexpr bool kRead = false;
constexpr bool kWrite = true;

Outcome hit() {
    Outcome outcome;
    outcome.hit = true;
    return outcome;
}

Outcome miss(std::uint32_t bytes) {
    Outcome outcome;
    outcome.miss_reads = 1;
    outcome.miss_read_bytes = bytes;
    return outcome;
}

Outcome miss_over_clean(std::uint32_t bytes) {
    Outcome outcome = miss(bytes);
    outcome.evictions = 1;
    return outcome;
}

/// A dirty eviction that reads `merged` bytes to complete the translation page; 0: no read is needed.
Outcome miss_over_dirty(std::uint32_t bytes, std::uint32_t merged) {
    Outcome outcome = miss_over_clean(bytes);
    outcome.dirty_evictions = 1;
    outcome.flush_reads = merged > 0 ? 1 : 0;
    outcome.flush_read_bytes = merged;
    outcome.flush_programs = 1;
    outcome.flush_program_bytes = 4096;
    return outcome;
}

/// Runs accesses on a cache and expects outcomes.
template <class Cache>
class CacheScript {
  public:
    explicit CacheScript(Cache cache) : cache_(std::move(cache)) {}
    CacheScript& read(std::uint32_t lpn, const Outcome& expected) { return access(lpn, kRead, expected); }
    CacheScript& write(std::uint32_t lpn, const Outcome& expected) { return access(lpn, kWrite, expected); }

  private:
    CacheScript& access(std::uint32_t lpn, bool write, const Outcome& expected) {
        ++step_;
        const Outcome found = cache_.access(hal::Lpn{lpn}, write);
        EXPECT_EQ(found.hit, expected.hit) << "step " << step_ << ", LPN " << lpn;
        EXPECT_EQ(found, expected) << "step " << step_ << ", LPN " << lpn;
        return *this;
    }
    Cache cache_;
    int step_ = 0;
};

using Runs = CacheScript<RunCache>;
using Entries = CacheScript<DftlCache>;

TEST(MapCacheReference, SlotsCountTheBookkeeping) {
    EXPECT_EQ(RunCache::full(16 * 1024).slots(), 3U) << "16,384 / (4,096 + 12)";
    EXPECT_EQ(RunCache::half(16 * 1024).slots(), 7U) << "16,384 / (2,048 + 12)";
    EXPECT_EQ(RunCache::tafp(8, 16 * 1024).slots(), 744U) << "16,384 / (8 + 14)";
    EXPECT_EQ(RunCache::tafp(256, 16 * 1024).slots(), 60U) << "16,384 / (256 + 14)";
    EXPECT_EQ(DftlCache(16 * 1024).entries(), 1024U) << "16,384 / 16";
}

TEST(MapCacheReference, LessThanOneRunOrEntryIsRefused) {
    EXPECT_THROW(RunCache::full(4107), std::invalid_argument);
    EXPECT_EQ(RunCache::full(4108).slots(), 1U);
    EXPECT_THROW(RunCache::half(2059), std::invalid_argument);
    EXPECT_EQ(RunCache::half(2060).slots(), 1U);
    EXPECT_THROW(RunCache::tafp(64, 77), std::invalid_argument);
    EXPECT_EQ(RunCache::tafp(64, 78).slots(), 1U);
    EXPECT_THROW(DftlCache(15), std::invalid_argument);
    EXPECT_EQ(DftlCache(16).entries(), 1U);
}

TEST(FullReference, BringsTheWholeTranslationPage) {
    Runs(RunCache::full(2 * 4108))
        .read(5, miss(4096))
        .read(0, hit())
        .read(1023, hit())
        .read(1024, miss(4096))
        .read(2047, hit());
}

TEST(FullReference, EvictsTheLeastRecentlyUsedAndProgramsWithoutReadingWhenDirty) {
    Runs(RunCache::full(2 * 4108))
        .read(5, miss(4096))
        .read(1024, miss(4096))
        .write(1000, hit())                    // page 0 is dirty and the last used
        .read(2048, miss_over_clean(4096))     // evicts page 1
        .read(3072, miss_over_dirty(4096, 0))  // evicts page 0
        .read(1000, miss_over_clean(4096))     // evicts page 2; the written entry is now clean
        .write(3072, hit())
        .read(9000, miss_over_clean(4096));  // evicts page 0, which is clean
}

TEST(FullReference, SmallestIsOneTranslationPage) {
    Runs(RunCache::full(4108))
        .write(5, miss(4096))
        .read(6, hit())
        .write(1024, miss_over_dirty(4096, 0))
        .read(5, miss_over_dirty(4096, 0))
        .read(1024, miss_over_clean(4096));
}

TEST(HalfReference, HalvesAreRunsOfTheirOwn) {
    Runs(RunCache::half(2 * 2060))
        .read(0, miss(2048))
        .read(511, hit())
        .read(512, miss(2048))
        .read(1023, hit())
        .read(1024, miss_over_clean(2048))  // evicts the half with 0
        .read(512, hit())
        .read(511, miss_over_clean(2048));  // evicts the half with 1024
}

TEST(HalfReference, ADirtyHalfIsMergedWithTheOtherOneFromFlash) {
    Runs(RunCache::half(2 * 2060))
        .write(600, miss(2048))
        .write(0, miss(2048))  // both halves of translation page 0 are dirty
        .read(1024, miss_over_dirty(2048, 2048))
        .read(1536, miss_over_dirty(2048, 2048))  // each half is written separately
        .read(2048, miss_over_clean(2048));
}

TEST(HalfReference, SmallestIsOneHalf) {
    Runs(RunCache::half(2060))
        .read(511, miss(2048))
        .read(512, miss_over_clean(2048))
        .write(511, miss_over_clean(2048))
        .read(512, miss_over_dirty(2048, 2048));
}

TEST(TafpReference, BringsTheWindowForward) {
    // 32 bytes are 8 entries: 100 ... 107.
    Runs(RunCache::tafp(32, 46 * 4))
        .read(100, miss(32))
        .read(107, hit())
        .read(108, miss(32))
        .read(99, miss(4));  // only 99, because 100 is present
}

TEST(TafpReference, NeverCrossesIntoTheNextTranslationPage) {
    Runs(RunCache::tafp(32, 46 * 4))
        .read(1020, miss(16))  // 1020 ... 1023
        .read(1023, hit())
        .read(1024, miss(32))
        .read(2047, miss(4))
        .read(2048, miss(32));
}

TEST(TafpReference, EndsBeforeARunThatIsThereAlready) {
    Runs(RunCache::tafp(32, 46 * 3))
        .write(8, miss(32))  // 8 ... 15, dirty
        .read(4, miss(16))   // 4 ... 7
        .read(7, hit())
        .read(12, hit())  // still from the first run, which is now the last used
        .read(100, miss(32))
        .read(200, miss_over_clean(32))  // evicts 4 ... 7
        .read(300, miss_over_dirty(32, 4096 - 32));
}

TEST(TafpReference, RoomIsMadeBeforeTheWindowIsCut) {
    // The run that would have cut the window is the one that is evicted.
    Runs(RunCache::tafp(32, 46 * 2))
        .read(8, miss(32))
        .read(100, miss(32))
        .read(4, miss_over_clean(32))
        .read(11, hit())
        .read(12, miss_over_clean(32));
}

TEST(TafpReference, PrefetchingDoesNotStirTheOrder) {
    // Three runs: A at 8, B at 100, then C at 4, whose window reaches A. C is the last used; the prefetch
    // does not refresh A, so A is evicted first, then B. C, which was requested, stays.
    Runs(RunCache::tafp(32, 46 * 3))
        .read(8, miss(32))
        .read(100, miss(32))
        .read(4, miss(16))
        .read(200, miss_over_clean(32))
        .read(101, hit())  // B is present, so A was evicted
        .read(4, hit())
        .read(300, miss_over_clean(32))  // evicts the run of 200
        .read(8, miss_over_clean(32))    // A was indeed evicted; evicts B
        .read(4, hit());
}

TEST(TafpReference, ADirtyRunIsMergedWithTheRestOfTheTranslationPage) {
    Runs(RunCache::tafp(8, 22))
        .write(1022, miss(8))
        .write(1023, hit())
        .read(0, miss_over_dirty(8, 4096 - 8))
        .read(2, miss_over_clean(8));
    Runs(RunCache::tafp(256, 270))
        .write(1023, miss(4))                      // a short run
        .read(0, miss_over_dirty(256, 4096 - 4));  // contributes only 1 entry
}

TEST(TafpReference, SmallestIsOneRun) {
    Runs(RunCache::tafp(64, 78))
        .read(0, miss(64))
        .read(15, hit())
        .read(16, miss_over_clean(64))
        .read(0, miss_over_clean(64));
}

TEST(DftlReference, SegmentedLru) {
    // Four entries, at most two of them protected. Comments show: protected | probation, last used first.
    Entries(DftlCache(64))
        .read(1, miss(4))             // | 1
        .read(2, miss(4))             // | 2 1
        .read(1, hit())               // 1 | 2
        .read(3, miss(4))             // 1 | 3 2
        .read(4, miss(4))             // 1 | 4 3 2
        .read(5, miss_over_clean(4))  // 1 | 5 4 3
        .read(3, hit())               // 3 1 | 5 4
        .read(4, hit())               // 4 3 | 1 5
        .read(6, miss_over_clean(4))  // 4 3 | 6 1
        .read(1, hit())               // 1 4 | 3 6
        .read(5, miss_over_clean(4))  // 1 4 | 5 3
        .read(6, miss_over_clean(4))  // 1 4 | 6 5
        .read(4, hit())
        .read(1, hit());
}

TEST(DftlReference, WritesAllDirtyEntriesOfTheTranslationPageTogether) {
    Entries(DftlCache(64))
        .write(10, miss(4))
        .write(11, miss(4))
        .write(2000, miss(4))
        .read(12, miss(4))
        .read(13, miss_over_dirty(4, 4096 - 2 * 4))  // evicts 10; 11 is written with it and stays, clean
        .read(14, miss_over_clean(4))                // evicts 11
        .read(15, miss_over_dirty(4, 4096 - 4))      // evicts 2000
        .read(16, miss_over_clean(4));               // evicts 12
}

TEST(DftlReference, TheBatchReachesIntoTheProtectedSegment) {
    Entries(DftlCache(64))
        .write(10, miss(4))
        .write(10, hit())  // protected and dirty
        .write(1023, miss(4))
        .read(1024, miss(4))
        .read(1025, miss(4))
        .read(1026, miss_over_dirty(4, 4096 - 2 * 4))  // evicts 1023; 10 is written with it
        .read(1024, hit())
        .read(1025, hit())                // 1025 1024 | 10 1026
        .read(1027, miss_over_clean(4))   // evicts 1026
        .read(1028, miss_over_clean(4));  // evicts 10, which is clean
}

TEST(DftlReference, SmallestIsOneEntry) {
    Entries(DftlCache(16))
        .write(1, miss(4))
        .write(1, hit())
        .read(2, miss_over_dirty(4, 4096 - 4))
        .read(1, miss_over_clean(4));
}

TEST(ClosedForm, PenaltiesOfTheStudysNand) {
    // tR 200 us, tPROG 1.6 ms, 25 ns per byte.
    EXPECT_EQ(penalty_ns(hit()), 0U);
    EXPECT_EQ(penalty_ns(miss(4096)), 302'400U) << "200 + 102.4 us";
    EXPECT_EQ(penalty_ns(miss_over_clean(4096)), 302'400U);
    EXPECT_EQ(penalty_ns(miss_over_dirty(4096, 0)), 302'400U + 1'702'400U);
    EXPECT_EQ(penalty_ns(miss_over_dirty(2048, 2048)), 2 * 251'200U + 1'702'400U);
    EXPECT_EQ(penalty_ns(miss_over_dirty(64, 4032)), 201'600U + 300'800U + 1'702'400U);
    EXPECT_EQ(penalty_ns(miss(4)), 200'100U);
}

}  // namespace
}  // namespace solidtlm::testbench::reference
