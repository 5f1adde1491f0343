// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/erase_block.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "fw/testing/one_die.h"

namespace solidtlm::fw::testing {
namespace {

using hal::Deed;
using hal::Reason;
using Decisions = std::vector<std::pair<Deed, Reason>>;

struct EraseBench : FlashBench<OneDie> {
    BlockTable blocks{2, 8};
    hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::erase, SuperpageAddress{}, Cause::gc);
    Decisions told;
    std::uint32_t ended = 0;
    bool usable = false;
};

Task<void> erase_one(EraseBench& bench) {
    const auto tell = [&bench](Deed deed, Reason reason) {
        EXPECT_EQ(bench.flash.seen.empty(), deed == Deed::erase);
        EXPECT_EQ(bench.blocks.info(1).erases, deed == Deed::erase ? 7 : 8);
        bench.told.emplace_back(deed, reason);
    };
    const Besides besides{
        .ended = {[](void* count) { ++*static_cast<std::uint32_t*>(count); }, &bench.ended}};
    bench.usable = co_await erase_block(bench.services, bench.blocks.info(1), bench.op, Cause::merge, tell,
                                        nullptr, besides);
}

/// Erases a block that has had seven erases. `program_fails`: before, `erase_fails`: now.
void expect_told(bool program_fails, bool erase_fails, const Decisions& told) {
    EraseBench bench;
    bench.flash.failing = erase_fails ? 0 : 1;
    bench.blocks.info(1).erases = 7;
    bench.blocks.open(1);
    bench.blocks.begin_program(1);
    bench.blocks.end_program(1, !program_fails);
    bench.blocks.begin_erase(1);
    bench.run(erase_one(bench));
    EXPECT_EQ(bench.told, told);
    EXPECT_EQ(bench.usable, told.size() == 1);
    EXPECT_EQ(bench.blocks.info(1).erases, 8);
    EXPECT_EQ(bench.blocks.info(1).state, BlockState::erasing) << "the caller says what it is from now on";
    EXPECT_EQ(bench.ended, 1);
    ASSERT_EQ(bench.flash.seen.size(), 1);
    EXPECT_EQ(bench.flash.seen[0].cause, Cause::merge);
}

TEST(EraseBlock, CountsTheEraseAndTellsWhatBecomesOfTheBlock) {
    const std::pair erase{Deed::erase, Reason::emptied};
    expect_told(false, false, {erase});
    expect_told(true, false, {erase, {Deed::retire, Reason::program_failed}});
    expect_told(false, true, {erase, {Deed::retire, Reason::erase_failed}});
    expect_told(true, true, {erase, {Deed::retire, Reason::program_failed}});
}

TEST(EraseBlockDeathTest, RefusesABlockWhoseEraseHasNotBegun) {
    EXPECT_DEATH(
        {
            EraseBench bench;
            bench.executor.spawn(erase_one(bench));
            bench.core.wake();
            while (bench.clock.run_one()) {
            }
        },
        "the erase of the block has begun");
}

}  // namespace
}  // namespace solidtlm::fw::testing
