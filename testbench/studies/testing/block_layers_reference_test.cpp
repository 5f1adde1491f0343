// SPDX-License-Identifier: Apache-2.0
//
// Examples worked by hand from docs/block-map.md. Blocks have four pages: logical block b has the pages 4 b
// ... 4 b + 3.
#include "testbench/studies/testing/block_layers_reference.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

namespace solidtlm::testbench::reference {
namespace {

constexpr int kPages = 4;

/// "in place, pure (of these, to a page whose own place is unused), wasted; copies, erases; switches,
/// partial, full"
std::string text(const BlockCounts& counts) {
    return std::to_string(counts.write_data) + " " + std::to_string(counts.update_pure) + "(" +
           std::to_string(counts.update_pure_unused_place) + ") " + std::to_string(counts.update_wasted) +
           "; " + std::to_string(counts.copies) + " " + std::to_string(counts.erases) + "; " +
           std::to_string(counts.switches) + " " + std::to_string(counts.partial_merges) + " " +
           std::to_string(counts.full_merges);
}

template <class Model>
class Script {
  public:
    explicit Script(int log_blocks, bool ascending = false)
        : model_(BlockSettings{64, kPages, 1, ascending, log_blocks}) {}
    Script& write(std::initializer_list<int> pages) {
        for (const int page : pages) {
            model_.write(page);
        }
        return *this;
    }
    Script& trim(std::initializer_list<int> pages) {
        for (const int page : pages) {
            model_.trim(page);
        }
        return *this;
    }
    std::string counts() { return text(model_.counts()); }
    std::size_t blocks() { return model_.blocks(); }

  private:
    Model model_;
};

// Rules that all layers share.

TEST(BlockModels, FirstWritesGoInPlace) {
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 2, 3, 9, 8}).counts(), "6 0(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(Script<MtbsModel>(0).write({0, 1, 2, 3}).counts(), "4 0(0) 0; 0 0; 0 0 0");
}

// Page 1 cannot be programmed after page 2: wasted. When it is written again, it is an overwrite whose place
// is still unused.
TEST(BlockModels, TheRuleSendsFirstWritesToTheLog) {
    EXPECT_EQ(Script<BastModel>(1, true).write({2, 1, 1, 2, 3}).counts(), "2 2(1) 1; 0 0; 0 0 0");
    EXPECT_EQ(Script<BastModel>(1, false).write({2, 1, 1, 2, 3}).counts(), "3 2(0) 0; 0 0; 0 0 0");
}

// Two columns: offsets 0 2 and 1 3. Page 0 may follow page 1, but not page 2.
TEST(BlockModels, TheRuleAppliesPerColumn) {
    BastModel model(BlockSettings{64, kPages, 2, true, 1});
    for (const int page : {1, 0, 6, 4}) {
        model.write(page);
    }
    EXPECT_EQ(text(model.counts()), "3 0(0) 1; 0 0; 0 0 0");
}

TEST(BlockModels, ATrimmedPlaceStaysUsed) {
    EXPECT_EQ(Script<BastModel>(1).write({0, 1}).trim({0}).write({0}).counts(), "2 1(0) 0; 0 0; 0 0 0");
}

TEST(BlockModels, TheLastTrimDropsItsOwnBlocks) {
    Script<BastModel> bast(1);
    bast.write({0, 1, 0}).trim({0});
    EXPECT_EQ(bast.blocks(), 2U);
    EXPECT_EQ(bast.trim({1}).counts(), "2 1(0) 0; 0 2; 0 0 0");
    EXPECT_EQ(bast.blocks(), 0U);
    EXPECT_EQ(Script<FmaxModel>(1).write({0, 0}).trim({0}).counts(), "1 1(0) 0; 0 2; 0 0 0");
    EXPECT_EQ(Script<MtbsModel>(0).write({0, 0}).trim({0}).counts(), "1 1(0) 0; 0 1; 0 0 0");
    EXPECT_EQ(Script<FastModel>(2).write({0, 0}).trim({0}).counts(), "1 1(0) 0; 0 2; 0 0 0");
    // A random log block waits for its turn.
    EXPECT_EQ(Script<FastModel>(2).write({1, 1}).trim({1}).counts(), "1 1(0) 0; 0 1; 0 0 0");
}

// bast

TEST(BastModel, OverwrittenInOrderIsASwitch) {
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 2, 3, 0, 1, 2, 3}).counts(), "4 4(0) 0; 0 1; 1 0 0");
}

// Another logical block needs the only log block: two pages of the first block are in order, the others are
// copied.
TEST(BastModel, APrefixIsAPartialMerge) {
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 2, 3, 0, 1, 4, 4}).counts(), "5 3(0) 0; 2 1; 0 1 0");
    // No page has to be copied: a switch.
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 0, 1, 4, 4}).counts(), "3 3(0) 0; 0 1; 1 0 0");
}

TEST(BastModel, ScatteredIsAFullMerge) {
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 2, 3, 2, 4, 4}).counts(), "5 2(0) 0; 4 2; 0 0 1");
    // A full log block that is out of order is merged when a fifth page comes, not before.
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 2, 3, 0, 0, 0, 0}).counts(), "4 4(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 2, 3, 0, 0, 0, 0, 0}).counts(), "4 5(0) 0; 4 2; 0 0 1");
}

TEST(BastModel, TheLeastRecentlyWrittenLogIsMerged) {
    // Logs of blocks 0 and 1; block 0 is written again; block 2 takes the log of block 1, in which page 4 at
    // offset 0 is a prefix.
    EXPECT_EQ(Script<BastModel>(2).write({1, 4, 8, 1, 4, 1, 8}).counts(), "3 4(0) 0; 0 1; 1 0 0");
    // Then the log of block 0 is the older one: out of order, one page copied.
    EXPECT_EQ(Script<BastModel>(2).write({1, 4, 8, 1, 4, 1, 8, 12, 12}).counts(), "4 5(0) 0; 1 3; 1 0 1");
}

TEST(BastModel, ATrimmedPageOfThePrefixIsNotMissed) {
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 2, 0, 1}).trim({0}).write({4, 4}).counts(),
              "4 3(0) 0; 1 1; 0 1 0");
}

// A merge makes the place of a page without data usable again: the write is decided again and goes in place.
TEST(BastModel, AfterAMergeTheDecisionStartsOver) {
    EXPECT_EQ(Script<BastModel>(1).write({0, 1, 0, 0, 0, 0}).trim({1}).write({1}).counts(),
              "3 4(0) 0; 1 2; 0 0 1");
}

// fmax

TEST(FmaxModel, OnceOverIsASwitchInAnyOrder) {
    EXPECT_EQ(Script<FmaxModel>(1).write({0, 1, 2, 3, 3, 0, 2, 1}).counts(), "4 4(0) 0; 0 1; 1 0 0");
}

TEST(FmaxModel, TwiceMakesItCompoundAndTheMergeFull) {
    // The mirror has page 0 twice, then 1 and 2; the fifth overwrite finds no room: 4 copies, 2 erases.
    EXPECT_EQ(Script<FmaxModel>(1).write({0, 1, 2, 3, 0, 0, 1, 2}).counts(), "4 4(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(Script<FmaxModel>(1).write({0, 1, 2, 3, 0, 0, 1, 2, 3}).counts(), "4 5(0) 0; 4 2; 0 0 1");
}

TEST(FmaxModel, ASimpleMirrorIsCompleted) {
    EXPECT_EQ(Script<FmaxModel>(1).write({0, 1, 2, 3, 2, 4, 4}).counts(), "5 2(0) 0; 3 1; 0 1 0");
    // With the rule, pages 0 and 1 cannot be programmed after page 2: a full merge.
    EXPECT_EQ(Script<FmaxModel>(1, true).write({0, 1, 2, 3, 2, 4, 4}).counts(), "5 2(0) 0; 4 2; 0 0 1");
    EXPECT_EQ(Script<FmaxModel>(1, true).write({0, 1, 2, 3, 0, 4, 4}).counts(), "5 2(0) 0; 3 1; 0 1 0");
}

TEST(FmaxModel, ACompoundMirrorFillsFromTheLowestFreePage) {
    // Mirror: page 2 at offset 2, 2 again at 0, 3 at 1, 1 at 3. With the rule, only offset 3 is left after 2:
    // a full merge at the fourth overwrite.
    EXPECT_EQ(Script<FmaxModel>(1).write({0, 1, 2, 3, 2, 2, 3, 1}).counts(), "4 4(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(Script<FmaxModel>(1, true).write({0, 1, 2, 3, 2, 2, 3}).counts(), "4 3(0) 0; 4 2; 0 0 1");
}

// fast: log_blocks - 1 random log blocks

TEST(FastModel, FromPageZeroInOrderIsASwitch) {
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 2, 3, 0, 1, 2, 3}).counts(), "4 4(0) 0; 0 1; 1 0 0");
}

TEST(FastModel, AnotherPageZeroMergesTheSequentialBlock) {
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 2, 3, 4, 0, 1, 4}).counts(), "5 3(0) 0; 2 1; 0 1 0");
    // The page's own block is merged too. Then the page starts a new one.
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 2, 3, 0, 1, 0}).counts(), "4 3(0) 0; 2 1; 0 1 0");
}

TEST(FastModel, OutOfTurnTheSequentialBlockIsMergedAndThePageGoesElsewhere) {
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 2, 3, 0, 2}).counts(), "4 2(0) 0; 3 1; 0 1 0");
}

TEST(FastModel, ThePartialMergeIncludesPagesInRandomBlocks) {
    // Page 3 is in the random block, page 2 in the data block.
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 2, 3, 3, 0, 1, 4, 4}).counts(), "5 4(0) 0; 2 1; 0 1 0");
}

TEST(FastModel, ARandomBlockOfTwoLogicalBlocksCostsTwoFullMerges) {
    // Blocks 0 and 1 have four pages each; the random block holds 1 5 2 6; the next overwrite clears it: 8
    // copies, 3 erases.
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 2, 3, 4, 5, 6, 7, 1, 5, 2, 6}).counts(),
              "8 4(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 2, 3, 4, 5, 6, 7, 1, 5, 2, 6, 3}).counts(),
              "8 5(0) 0; 8 3; 0 0 2");
}

TEST(FastModel, AFullMergeTakesTheSequentialBlockAlong) {
    // Block 0 owns the sequential block with page 0, and the random block holds 3 3 3 3 of block 0: one full
    // merge with 4 copies; data, sequential and random blocks are erased.
    Script<FastModel> fast(2);
    fast.write({0, 1, 2, 3, 3, 3, 3, 3, 0});
    EXPECT_EQ(fast.counts(), "4 5(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(fast.write({5, 5}).counts(), "5 6(0) 0; 4 3; 0 0 1");
}

// With the rule, pages 1 and 5 are wasted; the random block holds 1 3 3 5. Page 3, which was trimmed, must go
// there again, so block 0 is merged: page 1 is copied, and page 3 could already be written in place. Block 1
// is still merged: 5 and 7 are copied. Only then does page 3 go in place.
TEST(FastModel, AClearingIsFinished) {
    EXPECT_EQ(Script<FastModel>(2, true).write({3, 1, 3, 3, 7, 5}).trim({3}).write({3}).counts(),
              "3 2(0) 2; 3 3; 0 0 2");
}

TEST(FastModel, ARandomBlockWithoutDataIsDroppedInItsTurn) {
    // The random block has 1 1 1 1; then pages 0 and 1 are overwritten through the sequential block, which is
    // merged when page 4 comes.
    EXPECT_EQ(Script<FastModel>(2).write({0, 1, 1, 1, 1, 1, 0, 1, 4, 4, 9, 9}).counts(),
              "4 8(0) 0; 0 2; 1 0 0");
}

// mtbs: two pages of data, two spare; logical block b has the pages 2 b, 2 b + 1

TEST(MtbsModel, TheSpareHalfTakesTwoOverwrites) {
    EXPECT_EQ(Script<MtbsModel>(0).write({0, 1, 0, 0}).counts(), "2 2(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(Script<MtbsModel>(0).write({0, 1, 0, 0, 1}).counts(), "2 3(0) 0; 2 1; 0 0 1");
    EXPECT_EQ(Script<MtbsModel>(0).write({0, 0, 0, 0}).counts(), "1 3(0) 0; 1 1; 0 0 1");
}

TEST(MtbsModel, WithTheRuleNoPlaceIsLeftAfterTheSpareHalf) {
    EXPECT_EQ(Script<MtbsModel>(0).write({0, 0, 1}).counts(), "2 1(0) 0; 0 0; 0 0 0");
    EXPECT_EQ(Script<MtbsModel>(0, true).write({0, 0, 1}).counts(), "1 1(0) 1; 0 0; 0 0 0");
    // The spare half is full: page 0 is copied, and page 1 finds its place free.
    EXPECT_EQ(Script<MtbsModel>(0, true).write({0, 0, 0, 1}).counts(), "2 2(0) 0; 1 1; 0 0 1");
}

// Rules for any writes: each write is one host program, every merge keeps all data, and a block is either in
// use or erased.
template <class Model>
void random_stream(int log_blocks) {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        const BlockSettings settings{64, 8, 1 + static_cast<int>(seed % 2), seed % 3 != 0, log_blocks};
        Model model(settings);
        std::vector<bool> written(64, false);
        std::int64_t writes = 0;
        for (int step = 0; step < 600; ++step) {
            const int page = static_cast<int>(random() % 64);
            const bool trim = random() % 8 == 0;
            trim ? model.trim(page) : model.write(page);
            written[static_cast<std::size_t>(page)] = !trim;
            writes += trim ? 0 : 1;
        }
        for (int page = 0; page < 64; ++page) {
            ASSERT_EQ(model.has_data(page), written[static_cast<std::size_t>(page)]) << "seed " << seed;
        }
        ASSERT_EQ(model.counts().host_programs(), writes);
        for (int page = 0; page < 64; ++page) {
            model.trim(page);
        }
        ASSERT_LE(model.blocks(), static_cast<std::size_t>(log_blocks)) << "a shared random block waits";
    }
}

TEST(BlockModels, RandomStreamsLoseNothing) {
    random_stream<FmaxModel>(2);
    random_stream<BastModel>(2);
    random_stream<FastModel>(3);
    random_stream<MtbsModel>(0);
}

}  // namespace
}  // namespace solidtlm::testbench::reference
