// SPDX-License-Identifier: Apache-2.0
//
// Random programs against a checker that sees the requests and the owners of the blocks.
#include <tuple>

#include "testbench/sim/load/fs/fs_test_support.h"

namespace solidtlm::testbench::fs {
namespace {

class Invariants : public testing::TestWithParam<std::tuple<Discard, std::uint64_t>> {
  protected:
    static void run(const FsConfig& config, std::uint64_t seed, std::uint64_t calls) {
        FsSource source(config, [&](Filesystem& filesystem, HostScheduler& scheduler) {
            return std::make_unique<RandomCalls>(seed, calls, filesystem, scheduler);
        });
        const bool trims = config.discard != Discard::none && config.discard != Discard::fstrim;
        FsChecker checker(source, trims);
        const auto seen = serve(source, seed, &checker);
        EXPECT_GT(checker.commits(), 10U);
        EXPECT_EQ(source.queue().counts(Purpose::trim).requests > 0, config.discard != Discard::none);
        EXPECT_EQ(source.filesystem().allocator().freed_blocks(), 0U)
            << "all blocks are released after the last sync";
        EXPECT_EQ(source.filesystem().directories().entries(kRoot), 0U);
        EXPECT_GT(source.filesystem().journal().counts().tail_updates, 0U) << "the log wrapped around";
    }
};

TEST_P(Invariants, HoldForRandomCalls) {
    const auto [discard, seed] = GetParam();
    run(small_config(discard), seed, 400);
}

TEST_P(Invariants, HoldWithTrimsInTheBackgroundAndFua) {
    const auto [discard, seed] = GetParam();
    FsConfig config = small_config(discard);
    config.discard_in_background = true;
    config.fua = true;
    run(config, seed + 100, 300);
}

INSTANTIATE_TEST_SUITE_P(Modes, Invariants,
                         testing::Combine(testing::Values(Discard::none, Discard::per_extent,
                                                          Discard::batched, Discard::queued, Discard::fstrim),
                                          testing::Values(1, 2, 3)));

// A device so full that calls repeatedly find no space.
TEST(InvariantsOfAFullDevice, Hold) {
    for (const std::uint64_t seed : {5U, 6U}) {
        FsConfig config = small_config(Discard::batched);
        config.blocks = 500;
        FsSource source(config, [&](Filesystem& filesystem, HostScheduler& scheduler) {
            return std::make_unique<RandomCalls>(seed, 500, filesystem, scheduler);
        });
        FsChecker checker(source, true);
        serve(source, seed, &checker);
        EXPECT_GT(source.filesystem().counts().no_space, 0U);
        EXPECT_EQ(source.filesystem().allocator().freed_blocks(), 0U);
    }
}

}  // namespace
}  // namespace solidtlm::testbench::fs
