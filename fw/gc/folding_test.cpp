// SPDX-License-Identifier: Apache-2.0
//
// Folding of the SLC cache, worked by hand: one die of 16 superblocks of 8 superpages of 2 units, with two
// bits per cell. The cache has 3 superblocks with 4 superpages each: the last ones, or free ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fw/testing/collector_bench.h"

#include "fw/needs.h"

namespace solidtlm::fw::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kCache = 3;       ///< superblocks
constexpr std::uint32_t kCachePages = 4;  ///< superpages of each
constexpr std::uint32_t kCacheUnits = 8;  ///< units of each

FirmwareConfig with_cache(SlcCacheMode mode, SlcCacheFull full, std::uint32_t fold_below) {
    FirmwareConfig config = one_die(aiming_at(4, GcPacing::burst));
    config.flash.slc_pages = kCachePages;
    config.slc_cache.mode = mode;
    config.slc_cache.size_bytes = (kCache * kCachePages - 1) * std::uint64_t{config.flash.page_bytes};
    config.slc_cache.full = full;
    config.slc_cache.fold_below = fold_below;
    return config;
}

/// A superpage is a word line of 2 pages and 4 units; the cache has 3 superblocks with 8 superpages of 2
/// units.
FirmwareConfig with_cache_and_word_lines(SlcCacheMode mode, SlcCacheFull full, std::uint32_t fold_below) {
    FirmwareConfig config = with_cache(mode, full, fold_below);
    config.flash.pages *= 2;
    config.flash.slc_pages *= 2;
    config.flash.pages_per_program = 2;
    config.slc_cache.size_bytes *= 2;
    return config;
}

std::vector<Lpn> names_from(std::uint32_t first, std::uint32_t count) {
    std::vector<Lpn> names(count);
    std::ranges::generate(names, [&first] { return Lpn{first++}; });
    return names;
}

class FoldingBench : public ::testing::Test {
  protected:
    /// With a host at work.
    void begin(const FirmwareConfig& config) {
        bench = std::make_unique<GcBench>(config);
        bench->activity.begin();
        bench->start();
    }
    void write(std::uint32_t superpages) {
        for (std::uint32_t i = 0; i < superpages; ++i) {
            bench->write();
        }
    }
    void be_idle() {
        bench->activity.end();
        bench->run(bench->activity.wait_idle());
    }
    /// Overwrites or trims the data of `name`.
    void drop(std::uint32_t name) {
        bench->table.mark_invalid(bench->owner.places.at(name));
        bench->owner.places.erase(name);
        bench->collector.kick(kPu);
    }
    [[nodiscard]] bool cached(std::uint32_t name) const {
        return bench->table.info(bench->layout.superblock_index(bench->owner.places.at(name))).slc;
    }
    [[nodiscard]] std::uint64_t operations(Cause cause, hal::FlashOpcode opcode) const {
        const auto found = bench->flash.by_cause.find({cause, opcode});
        return found == bench->flash.by_cause.end() ? 0 : found->second;
    }
    [[nodiscard]] std::uint64_t programs(Cause cause) const {
        return operations(cause, hal::FlashOpcode::program);
    }
    [[nodiscard]] std::uint64_t copies() const { return operations(Cause::gc, hal::FlashOpcode::copy_back); }
    [[nodiscard]] std::uint64_t folded() const { return bench->collector.counters().folded_units; }
    [[nodiscard]] std::uint64_t erased() const { return bench->collector.counters().erased; }
    [[nodiscard]] std::uint32_t free_in_cache() const { return bench->allocator.free_for_cache(kPu); }
    void TearDown() override {
        bench->check();
        EXPECT_EQ(bench->flash.violations, std::vector<std::string>());
    }

    std::unique_ptr<GcBench> bench;
};

class Folding : public FoldingBench, public ::testing::WithParamInterface<SlcCacheMode> {
  protected:
    void begin(SlcCacheFull full = SlcCacheFull::bypass, std::uint32_t fold_below = 0) {
        FoldingBench::begin(with_cache(GetParam(), full, fold_below));
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, Folding, ::testing::Values(SlcCacheMode::fixed, SlcCacheMode::dynamic),
                         [](const auto& mode) {
                             return std::string(mode.param == SlcCacheMode::fixed ? "fixed" : "dynamic");
                         });

// 12 superpages fill the cache, the 13th goes past it. After folding once, the units have been programmed
// twice.
TEST_P(Folding, MovesEverythingOnceWhenTheHostIsIdle) {
    begin();
    write(12);
    EXPECT_EQ(free_in_cache(), 0U);
    for (std::uint32_t name = 0; name < 24; ++name) {
        EXPECT_TRUE(cached(name)) << name;
    }
    write(1);
    EXPECT_FALSE(cached(24));
    EXPECT_EQ(folded(), 0U) << "the host is at work";
    EXPECT_FALSE(bench->collector.at_rest());
    be_idle();
    EXPECT_TRUE(bench->collector.at_rest());
    EXPECT_EQ(folded(), 24U);
    EXPECT_EQ(bench->collector.counters().folded_superblocks, 3U);
    EXPECT_EQ(bench->collector.counters().victims, 0U) << "there is space";
    EXPECT_EQ(bench->collector.counters().padded_units, 0U);
    EXPECT_EQ(erased(), 3U);
    EXPECT_EQ(bench->collector.counters().erased_slc, 3U);
    EXPECT_EQ(free_in_cache(), kCache);
    EXPECT_EQ(programs(Cause::host), 13U);
    EXPECT_EQ(programs(Cause::gc), 12U) << "write amplification 1 + 12 / 13";
    for (std::uint32_t name = 0; name < 26; ++name) {
        EXPECT_FALSE(cached(name)) << name;
    }
}

// The superblock that is being filled is not folded.
TEST_P(Folding, LeavesASuperblockThatIsNotFull) {
    begin();
    write(10);
    be_idle();
    EXPECT_EQ(folded(), 2 * kCacheUnits);
    EXPECT_TRUE(cached(16));
    EXPECT_EQ(free_in_cache(), 2U);
}

// The third superblock has no valid unit left and the first has 3: the third is erased without a move, and
// these 3 and the 8 of the second are moved in the order in which they were written, with one unit of
// padding.
TEST_P(Folding, MovesOnlyWhatIsValid) {
    begin();
    write(12);
    for (std::uint32_t name = 16; name < 24; ++name) {
        drop(name);
    }
    for (const std::uint32_t name : {1U, 2U, 4U, 5U, 6U}) {
        drop(name);
    }
    be_idle();
    EXPECT_EQ(folded(), 3U + 8U);
    EXPECT_EQ(programs(Cause::gc), 6U);
    EXPECT_EQ(bench->collector.counters().padded_units, 1U);
    EXPECT_EQ(erased(), 3U);
    EXPECT_LT(bench->owner.places.at(7).value, bench->owner.places.at(8).value);
}

// All units of the 12 superpages are valid: each superpage is copied, after a read of its metadata.
TEST_P(Folding, CopiesWholeSuperpagesInsideTheDie) {
    for (const bool of_cache : {true, false}) {
        FirmwareConfig config = with_cache(GetParam(), SlcCacheFull::bypass, 0);
        config.slc_cache.copy_back = of_cache;
        config.gc.copy_back = !of_cache;  // which is for collection
        FoldingBench::begin(config);
        write(12);
        be_idle();
        EXPECT_EQ(folded(), 24U);
        EXPECT_EQ(copies(), of_cache ? 12U : 0U);
        EXPECT_EQ(programs(Cause::gc), of_cache ? 0U : 12U);
        EXPECT_EQ(bench->collector.counters().copied_back_superpages, copies());
        EXPECT_EQ(free_in_cache(), kCache);
        for (std::uint32_t name = 0; name < 24; ++name) {
            EXPECT_FALSE(cached(name)) << name;
        }
    }
}

// Units 4 and 12 are gone. Folding gathers 0 1, 2 3, 5 6, 7 8, 9 10, 11 13, 14 15, ... 22 23: the first two
// and, because the second gap puts the pairs right again, the last five are superpages of the cache.
TEST_P(Folding, CopiesNoSuperpageWithAGap) {
    FirmwareConfig config = with_cache(GetParam(), SlcCacheFull::bypass, 0);
    config.slc_cache.copy_back = true;
    FoldingBench::begin(config);
    write(12);
    drop(4);
    drop(12);
    be_idle();
    EXPECT_EQ(folded(), 22U);
    EXPECT_EQ(copies(), 2U + 5U);
    EXPECT_EQ(programs(Cause::gc), 4U);
    EXPECT_EQ(bench->collector.counters().padded_units, 0U);
}

TEST_P(Folding, TakesTheOldestFirstWhenFewAreFree) {
    begin(SlcCacheFull::bypass, 1);
    write(8);
    EXPECT_EQ(folded(), 0U) << "one is free";
    write(1);
    EXPECT_EQ(folded(), kCacheUnits) << "none was";
    EXPECT_EQ(free_in_cache(), 1U);
    for (std::uint32_t name = 0; name < 18; ++name) {
        EXPECT_EQ(cached(name), name >= kCacheUnits) << name;
    }
    write(51);  // 60 in all: 15 superblocks of the cache; the last two are not folded
    EXPECT_EQ(folded(), 13U * kCacheUnits);
    EXPECT_EQ(programs(Cause::host), 60U);
}

// The host waits for each superblock that is folded, and nothing goes past the cache.
TEST_P(Folding, KeepsTheHostWaitingIfConfigured) {
    begin(SlcCacheFull::fold);
    write(12);
    EXPECT_EQ(folded(), kCacheUnits) << "when the last superblock was opened";
    Task<void> (*all)(GcBench&) = [](GcBench& of) -> Task<void> {
        for (std::uint32_t i = 0; i < 36; ++i) {
            std::vector<Lpn> names(2, Lpn{1000 + 2 * i});
            ++names[1].value;
            co_await of.program(names);
        }
    };
    bench->run(all(*bench));
    EXPECT_EQ(programs(Cause::host), 48U);
    EXPECT_EQ(folded(), 10U * kCacheUnits);
    EXPECT_EQ(programs(Cause::gc), 40U);
}

// A command stops folding before its next superpage; the rest follows when the host is idle again.
TEST_P(Folding, StopsForACommand) {
    begin();
    write(12);
    bench->clock.at(bench->clock.now() + 14ms, [this] { bench->activity.begin(); });
    be_idle();
    const std::uint64_t before = folded();
    EXPECT_GT(before, 0U);
    EXPECT_LT(before, 24U);
    EXPECT_FALSE(bench->collector.at_rest());
    be_idle();
    EXPECT_EQ(folded(), 24U);
}

// Units that the host is rewriting stay. They become invalid when the program ends; if it fails, they are
// folded.
TEST_P(Folding, LeavesUnitsThatTheHostIsRewriting) {
    for (const bool fails : {false, true}) {
        begin(SlcCacheFull::bypass, 1);
        write(8);
        bench->owner.being_written = {2, 3};
        write(1);
        EXPECT_EQ(folded(), 2U * kCacheUnits - 2U)
            << "the first superblock is not empty, so the second follows";
        EXPECT_EQ(free_in_cache(), 1U);
        bench->owner.being_written.clear();
        if (!fails) {
            drop(2);
            drop(3);
        }
        be_idle();
        EXPECT_EQ(folded(), 2U * kCacheUnits - (fails ? 0U : 2U));
        EXPECT_EQ(free_in_cache(), 2U);
    }
}

/// Overwrites the whole exported capacity, in order and at random; at the end the host is idle.
class FullDrive : public FoldingBench {
  protected:
    void overwrite(std::uint32_t names) {
        EXPECT_EQ(max_exported_units(bench->config), names);
        const std::uint32_t superpage = bench->layout.units_per_superpage();
        for (std::uint32_t pass = 0; pass < 6; ++pass) {
            for (std::uint32_t i = 0; i < names; i += superpage) {
                const std::uint32_t first = pass % 2 == 0 ? i : (i * 38) % names;
                bench->run(bench->program(names_from(first, superpage)));
            }
            bench->check();
        }
        be_idle();
        EXPECT_EQ(bench->owner.places.size(), names);
        EXPECT_GE(bench->free(), bench->config.kept_superblocks());
    }
};

// 13 superblocks remain besides a static cache. 1 + 1 of them are reserved, and 3 more are never full of
// data: folding leaves collection its reserve, and collection makes room for folding.
TEST_F(FullDrive, HasRoomToFoldAStaticCache) {
    begin(with_cache(SlcCacheMode::fixed, SlcCacheFull::fold, 0));
    overwrite(8 * kUnits);
}

// A dynamic cache takes nothing from the capacity: of 16 superblocks 1 is reserved and 2 are never full of
// data, or 3 if the host may not write past the cache.
TEST_F(FullDrive, HasTheCapacityOfADriveWithoutACache) {
    begin(with_cache(SlcCacheMode::dynamic, SlcCacheFull::bypass, 0));
    overwrite(13 * kUnits);
}
TEST_F(FullDrive, GoesThroughADynamicCacheForEver) {
    begin(with_cache(SlcCacheMode::dynamic, SlcCacheFull::fold, 0));
    overwrite(12 * kUnits);
}

// Of 16 free superblocks 1 is reserved, and a quarter of the others is 3. After 13 superpages and their
// folding one superblock is full and two are begun, by the host and by collection: a quarter of 12 is 3
// again. The next 12 superpages are folded into a superblock and a half; a quarter of 11 is 2, where 8
// superpages fit.
TEST_F(FoldingBench, ADynamicCacheShrinksAsTheDriveFills) {
    FirmwareConfig config = with_cache(SlcCacheMode::dynamic, SlcCacheFull::bypass, 0);
    config.slc_cache.size_bytes = 16 * kCachePages * std::uint64_t{config.flash.page_bytes};
    config.slc_cache.share = 0.25;
    begin(config);
    std::uint32_t name = 0;
    for (const std::uint32_t superpages : {12U, 12U, 8U}) {
        const std::uint32_t first = name;
        EXPECT_EQ(free_in_cache(), superpages / kCachePages);
        for (; name < first + superpages * 2; name += 2) {
            write(1);
            EXPECT_TRUE(cached(name)) << name;
        }
        EXPECT_EQ(free_in_cache(), 0U);
        write(1);
        EXPECT_FALSE(cached(name)) << name;
        name += 2;
        be_idle();
        bench->activity.begin();
    }
}

// Data that is trimmed in the cache need not be moved.
TEST_F(FoldingBench, TrimEmptiesADynamicCache) {
    begin(with_cache(SlcCacheMode::dynamic, SlcCacheFull::bypass, 0));
    write(12);
    EXPECT_EQ(bench->table.lent(kPu).size(), kCache);
    for (std::uint32_t name = 0; name < 24; ++name) {
        drop(name);
    }
    be_idle();
    EXPECT_EQ(folded(), 0U);
    EXPECT_EQ(erased(), kCache);
    EXPECT_EQ(bench->table.lent(kPu).size(), 0U);
    EXPECT_EQ(bench->free(), kBlocks);
}

// Collection wants 4 free superblocks, so 12 may be in SLC mode before it begins. The 13th makes it choose;
// it takes those that gain most, and they are in SLC mode.
TEST_F(FoldingBench, CollectionGainsMostFromTheCache) {
    FirmwareConfig config = with_cache(SlcCacheMode::dynamic, SlcCacheFull::bypass, 0);
    config.slc_cache.size_bytes = 16 * kCachePages * std::uint64_t{config.flash.page_bytes};
    begin(config);
    write(12 * kCachePages);
    EXPECT_EQ(bench->collector.counters().victims, 0U);
    EXPECT_EQ(bench->free(), 4U);
    write(1);
    EXPECT_GT(bench->collector.counters().victims, 0U);
    EXPECT_EQ(bench->collector.counters().folded_superblocks, 0U) << "for their space alone";
    EXPECT_EQ(folded(), bench->collector.counters().moved_units);
    EXPECT_GE(bench->free(), 4U);
}

/// A superpage is a word line of 2 pages, and half as much in the cache.
class FoldingToWordLines : public Folding {
  protected:
    void begin(SlcCacheFull full = SlcCacheFull::bypass, std::uint32_t fold_below = 0) {
        FoldingBench::begin(with_cache_and_word_lines(GetParam(), full, fold_below));
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, FoldingToWordLines,
                         ::testing::Values(SlcCacheMode::fixed, SlcCacheMode::dynamic), [](const auto& mode) {
                             return std::string(mode.param == SlcCacheMode::fixed ? "fixed" : "dynamic");
                         });

// 24 pages fill the cache, and the next superpage is a word line past it. After folding, what was in the
// cache has been programmed twice: 24 pages, then 12 word lines of 2.
TEST_P(FoldingToWordLines, MovesTwoPagesToAWordLine) {
    begin();
    write(24);
    EXPECT_EQ(free_in_cache(), 0U);
    EXPECT_TRUE(cached(47));
    bench->run(bench->program(names_from(48, 4)));
    EXPECT_FALSE(cached(48));
    EXPECT_EQ(programs(Cause::host), 24U + 2U) << "pages";
    be_idle();
    EXPECT_EQ(folded(), 48U);
    EXPECT_EQ(bench->collector.counters().folded_superblocks, 3U);
    EXPECT_EQ(bench->collector.counters().padded_units, 0U);
    EXPECT_EQ(programs(Cause::gc), 24U) << "write amplification 1 + 48 / 52";
    EXPECT_EQ(erased(), 3U);
    EXPECT_EQ(free_in_cache(), kCache);
    for (std::uint32_t name = 0; name < 52; ++name) {
        EXPECT_FALSE(cached(name)) << name;
    }
}

// 11 units are left in two superblocks of the cache: 3 word lines, the last one with a unit of padding.
TEST_P(FoldingToWordLines, MovesOnlyWhatIsValid) {
    begin();
    write(24);
    for (std::uint32_t name = 0; name < 48; ++name) {
        if (name != 3 && name != 7 && name != 8 && (name < 16 || name >= 24)) {
            drop(name);
        }
    }
    be_idle();
    EXPECT_EQ(folded(), 11U);
    EXPECT_EQ(programs(Cause::gc), 3U * 2U);
    EXPECT_EQ(bench->collector.counters().padded_units, 1U);
    EXPECT_EQ(free_in_cache(), kCache);
}

// A superblock of the cache is folded as soon as the last one has been opened. The host's 96 pages go through
// it, and nothing goes past it.
TEST_P(FoldingToWordLines, KeepsTheHostWaitingIfConfigured) {
    begin(SlcCacheFull::fold);
    for (std::uint32_t i = 0; i < 96; ++i) {
        write(1);
    }
    EXPECT_EQ(programs(Cause::host), 96U);
    EXPECT_EQ(folded(), 10U * 2 * kCacheUnits) << "all of 12 superblocks but the last two";
    EXPECT_EQ(programs(Cause::gc), 80U);
}

// With three pages in a word line, the 8 pages of a superblock fill two word lines and two thirds of the
// next. A page of the superblock after it fills the third; that superblock stays, and is first when folding
// goes on.
TEST_P(FoldingToWordLines, FillsAWordLineFromTheNextSuperblock) {
    FirmwareConfig config = with_cache_and_word_lines(GetParam(), SlcCacheFull::bypass, 1);
    config.flash.pages = 3 * config.flash.slc_pages;
    config.flash.pages_per_program = 3;
    FoldingBench::begin(config);
    write(16);
    EXPECT_EQ(folded(), 0U) << "one is free";
    write(1);
    EXPECT_EQ(folded(), 18U) << "9 pages";
    EXPECT_EQ(programs(Cause::gc), 9U);
    EXPECT_EQ(erased(), 1U);
    EXPECT_FALSE(cached(17));
    EXPECT_TRUE(cached(18));
    write(8);
    EXPECT_EQ(folded(), 18U + 18U) << "7 pages, and 2 of the third superblock";
    EXPECT_EQ(erased(), 2U);
    EXPECT_EQ(bench->collector.counters().padded_units, 0U);
}

class FullDriveOfWordLines : public FullDrive {
  protected:
    static constexpr std::uint32_t kUnitsHere = 2 * kUnits;  ///< of a superblock
};

// As with single pages: a static cache lies beside 8 superblocks of data, a dynamic one takes nothing, or one
// if the host may not write past it.
TEST_F(FullDriveOfWordLines, HasRoomToFoldAStaticCache) {
    begin(with_cache_and_word_lines(SlcCacheMode::fixed, SlcCacheFull::fold, 0));
    overwrite(8 * kUnitsHere);
}
TEST_F(FullDriveOfWordLines, HasTheCapacityOfADriveWithoutACache) {
    begin(with_cache_and_word_lines(SlcCacheMode::dynamic, SlcCacheFull::bypass, 0));
    overwrite(13 * kUnitsHere);
}
TEST_F(FullDriveOfWordLines, GoesThroughADynamicCacheForEver) {
    begin(with_cache_and_word_lines(SlcCacheMode::dynamic, SlcCacheFull::fold, 0));
    overwrite(12 * kUnitsHere);
}

}  // namespace
}  // namespace solidtlm::fw::testing
