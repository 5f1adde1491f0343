// SPDX-License-Identifier: Apache-2.0
//
// Properties of every block-mapped layer, and how many blocks each needs.
#include "fw/block_map/block_test_support.h"

#include "fw/block_map/needs.h"

namespace solidtlm::fw {
namespace {

class AnyLayer : public ::testing::TestWithParam<const TranslationLayer*> {};

TEST_P(AnyLayer, SequentialFillProgramsEachPageOnceAndFillsEveryBlock) {
    for (const std::uint32_t columns : {1U, 4U}) {
        for (const bool rule : {true, false}) {
            Example example(GetParam()->name, 2);
            example.geometry = {40, 16, columns, 128, rule};
            Bench bench(example);
            EXPECT_EQ(bench.write_range(0, 128), (Steps{.host = 128}));
            EXPECT_EQ(bench.counters().write_data, 128U);
            const std::uint64_t places = bench.layer().data_blocks() * bench.layer().data_pages();
            EXPECT_EQ(places, 128U);
            EXPECT_EQ(bench.layer().data_pages_programmed(), places);
            EXPECT_EQ(bench.layer().log_blocks(), 0U);
        }
    }
}

TEST_P(AnyLayer, OverwritingInOrderCostsOneErasePerBlock) {
    Example example(GetParam()->name, 2);
    example.geometry = {40, 16, 4, 128, true};
    Bench bench(example);
    bench.write_range(0, 128);
    const Steps steps = bench.write_range(0, 128);
    if (GetParam()->name == "mtbs") {
        EXPECT_EQ(steps, (Steps{.host = 128})) << "all in the spare halves";
    } else {
        EXPECT_EQ(steps.erases, 8U);
        EXPECT_EQ(steps.copies, 0U);
    }
}

TEST_P(AnyLayer, ConsecutiveBlocksComeInTheOrderOfTheirNumbers) {
    Example example(GetParam()->name, 2);
    example.geometry = {40, 16, 4, 128, true};
    UntimedBlocks blocks(example.config, example.geometry);
    const std::uint32_t places = blocks.layer().data_pages();
    for (std::uint32_t lpn = 0; lpn < 128; ++lpn) {
        blocks.write(Lpn{lpn});
        EXPECT_EQ(blocks.locate(Lpn{lpn}), (BlockPage{BlockId{lpn / places}, lpn % places}));
    }
}

TEST_P(AnyLayer, WorksWithTheFewestBlocks) {
    Example example(GetParam()->name, 0);
    example.geometry = {0, 8, 2, 60, true};  // the last logical block is incomplete
    example.geometry.blocks = static_cast<std::uint32_t>(least_blocks(example.config, example.geometry));
    Bench bench(example);
    std::uint32_t lpn = 0;
    for (std::uint32_t i = 0; i < 2'000; ++i) {
        lpn = (lpn * 37 + 11 + i) % 60;
        bench.write({lpn});
    }
    EXPECT_EQ(bench.counters().host_programs(), 2'000U);
}

INSTANTIATE_TEST_SUITE_P(Layers, AnyLayer, ::testing::ValuesIn(translation_layers()));

TEST(BlockNeeds, FullStripingMakesAGroupOfEveryParallelUnit) {
    FirmwareConfig config;
    config.flash = FlashLayout{2, 4, 1, 2, 100, 64, 4096};
    config.exported_sectors = 512'000;  // 64,000 pages
    BlockGeometry geometry = block_geometry(config, 98);
    EXPECT_EQ(geometry.blocks, 98U);
    EXPECT_EQ(geometry.columns, 16U);
    EXPECT_EQ(geometry.pages, 1'024U);
    EXPECT_EQ(geometry.logical_pages, 64'000U);
    EXPECT_TRUE(geometry.ascending_pages);
    EXPECT_EQ(logical_blocks(translation_layer("fast"), geometry), 63U);

    config.allocation.striping = StripingMode::none;
    config.flash.ascending_pages = false;
    geometry = block_geometry(config, 98);  // eight dies, both planes at once
    EXPECT_EQ(geometry.blocks, 784U);
    EXPECT_EQ(geometry.columns, 2U);
    EXPECT_EQ(geometry.pages, 128U);
    EXPECT_FALSE(geometry.ascending_pages);

    config.allocation.order = "CWDP";
    geometry = block_geometry(config, 98);
    EXPECT_EQ(geometry.blocks, 1'568U);
    EXPECT_EQ(geometry.columns, 1U);
}

TEST(BlockNeeds, AutomaticLogBlocksAreAShareOfTheRemainingBlocks) {
    FirmwareConfig config;
    config.translation = translation_layer("fast");
    EXPECT_EQ(log_blocks(config, {1'000, 4, 1, 3'600, true}), 30U) << "3 % of 1,000";
    EXPECT_EQ(log_blocks(config, {1'000, 4, 1, 3'952, true}), 10U) << "1,000 - 988 - 2";
    EXPECT_EQ(log_blocks(config, {1'000, 4, 1, 3'992, true}), 2U) << "the fewest that FAST works with";
    EXPECT_EQ(least_blocks(config, {1'000, 4, 1, 3'992, true}), 1'002U);
    config.block_map.log_blocks = 64;
    EXPECT_EQ(log_blocks(config, {1'000, 4, 1, 3'600, true}), 64U);
    EXPECT_EQ(least_blocks(config, {1'000, 4, 1, 3'600, true}), 966U);
    config.translation = translation_layer("mtbs");
    EXPECT_EQ(log_blocks(config, {1'000, 4, 1, 1'900, true}), 0U);
    EXPECT_EQ(least_blocks(config, {1'000, 4, 1, 1'900, true}), 952U);
    EXPECT_GT(least_blocks(config, {1'000, 1, 1, 900, true}), 1'000U) << "one page has no halves";
}

}  // namespace
}  // namespace solidtlm::fw
