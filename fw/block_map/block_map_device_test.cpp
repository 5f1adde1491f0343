// SPDX-License-Identifier: Apache-2.0
//
// Block-mapped layers in the whole firmware on fake hardware: random command streams against a shadow model,
// with the smallest legal number of log blocks.
#include <gtest/gtest.h>

#include "fw/block_map/needs.h"
#include "fw/block_map/untimed_blocks.h"
#include "fw/firmware.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

std::string name_of(const ::testing::TestParamInfo<const TranslationLayer*>& layer) {
    return std::string(layer.param->name);
}

FirmwareConfig block_mapped(const TranslationLayer& layer, FirmwareConfig config = tiny_config()) {
    config.translation = layer;
    config.unit_bytes = config.flash.page_bytes;
    config.block_map.log_blocks = layer.traits.least_logs;
    export_everything(config);
    return config;
}

/// A variant of the tiny device for each seed.
FirmwareConfig block_variant(const TranslationLayer& layer, std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    std::mt19937_64 random(seed * 104'729);
    config.allocation.striping = random() % 2 == 0 ? StripingMode::none : StripingMode::full;
    config.flash.ascending_pages = random() % 4 != 0;
    const auto more_logs = static_cast<std::uint32_t>(random() % 2 * random() % 4);
    config = block_mapped(layer, config);
    config.block_map.log_blocks += layer.traits.least_logs > 0 ? more_logs : 0;
    export_everything(config);
    return config;
}

/// `config` with `spare` blocks more than the layer needs.
FirmwareConfig with_spare_blocks(FirmwareConfig config, std::uint32_t spare) {
    const BlockGeometry geometry = block_geometry(config, config.flash.blocks);
    const std::uint64_t pages = std::uint64_t{spare} * data_pages(config.translation, geometry);
    config.exported_sectors -= pages * (config.unit_bytes / hal::kSectorBytes);
    return config;
}

BlockCounters counted(const FakeDevice& device) {
    return device.firmware->block_map()->counters;
}

std::vector<std::uint64_t> numbers(const BlockCounters& counters) {
    return {counters.write_data,     counters.update_pure, counters.update_pure_unused_place,
            counters.update_wasted,  counters.merges[0],   counters.merges[1],
            counters.merges[2],      counters.merges[3],   counters.merge_reads,
            counters.merge_programs, counters.erases};
}

/// The NAND page that holds `lpn`.
hal::FlashAddress page_of(const FakeDevice& device, std::uint32_t lpn) {
    const MediaLayout& layout = device.firmware->layout();
    const Ppa ppa = device.firmware->translation().locate(Lpn{lpn});
    return layout.address(layout.superpage_of(ppa), layout.page_of(layout.slot_of(ppa)));
}

constexpr std::uint64_t kSeeds = usual_or_sanitized(200, 40);

class BlockMapped : public ::testing::TestWithParam<const TranslationLayer*> {};

TEST_P(BlockMapped, RandomStreamsEndSoundOnAFullDevice) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        FakeDevice device(block_variant(*GetParam(), seed), seed);
        ShadowHost host(device, seed);
        if (seed % 3 != 0) {  // otherwise the stream creates the data blocks
            host.write_everything();
        }
        ShadowHost::Mix mix;
        mix.max_sectors = seed % 2 == 0 ? 96 : 600;
        mix.trims = seed % 4 == 0 ? 5 : 1;
        host.run(mix, 150);
        host.read_everything();
        expect_sound(device, host);
        ASSERT_EQ(host.failed, 0U);
        ASSERT_FALSE(HasFailure());
    }
}

TEST_P(BlockMapped, OverwritesAFullDeviceForEverAtTheSmallestLegalSpare) {
    for (const StripingMode striping : {StripingMode::full, StripingMode::none}) {
        FirmwareConfig config = tiny_config();
        config.allocation.striping = striping;
        FakeDevice device(block_mapped(*GetParam(), config), 3);
        ShadowHost host(device, 3);
        host.write_everything();
        host.run(ShadowHost::Mix{0, 100, 0, 0, 0, 32, 16, true}, 1500);
        host.read_everything();
        expect_sound(device, host);
        EXPECT_EQ(host.failed, 0U);
        EXPECT_GT(counted(device).of(MergeKind::full), 20U);
    }
}

TEST_P(BlockMapped, GrownBadBlocksLoseNoData) {
    double program_failures = 0.0;  // few failures of either kind
    for (const StripingMode striping : {StripingMode::full, StripingMode::none}) {
        FirmwareConfig config = tiny_config();
        config.flash.blocks = 96;
        config.allocation.striping = striping;
        config =
            with_spare_blocks(block_mapped(*GetParam(), config), striping == StripingMode::full ? 40 : 160);
        const hal::Metrics counted = grow_bad_blocks(config, 0.0005, 0.0005, 1000);
        program_failures += counted.at("ftl.program_failures");
        EXPECT_GT(counted.at("ftl.retired_superblocks"), 0.0);
    }
    EXPECT_GT(program_failures, 0.0);
}

TEST_P(BlockMapped, AWornOutDeviceFailsWritesButEndsEveryCommand) {
    wear_out(block_mapped(*GetParam()), 0, 3000);
}

TEST_P(BlockMapped, FactoryBadBlocksAreNeverTouched) {
    FirmwareConfig config = tiny_config();
    config = with_spare_blocks(block_mapped(*GetParam(), config), 6);
    FakeDevice device(config, 5, mark_factory_bad_blocks);
    ASSERT_TRUE(Firmware::fits_on(config, device.flash));
    ShadowHost host(device, 5);
    host.write_everything();
    host.run(ShadowHost::Mix{}, 500);
    host.read_everything();
    expect_sound(device, host);
}

/// With page mapping such a page stays where it is. Here a merge moves it, and must not turn it into zeros.
TEST_P(BlockMapped, AnUnreadablePageStaysUnreadableWhenItsBlockIsMerged) {
    for (const bool copy_back : {false, true}) {
        FirmwareConfig config = tiny_config();
        config.gc.copy_back = copy_back;
        config = with_spare_blocks(block_mapped(*GetParam(), config), 2);
        FakeDevice device(config, 4);
        ShadowHost host(device, 4);
        host.write_everything_to_flash();
        constexpr std::uint32_t kLost = 21;
        const std::uint32_t sectors = config.unit_bytes / hal::kSectorBytes;
        const hal::FlashAddress bad = page_of(device, kLost);
        device.flash.unreadable[bad] = true;
        std::mt19937_64 random(1);
        const auto others = static_cast<std::uint32_t>(config.exported_sectors / sectors);
        for (int i = 0; i < 2000; ++i) {
            const auto lpn = static_cast<std::uint32_t>(random() % others);
            if (lpn != kLost) {
                host.write(std::uint64_t{lpn} * sectors, sectors, false);
                device.run();
            }
        }
        ASSERT_NE(page_of(device, kLost), bad) << "it was not merged";
        EXPECT_EQ(device.firmware->metrics().at("merge.unreadable_pages"), 1.0);
        EXPECT_EQ(host.failed, 0U);
        host.read(std::uint64_t{kLost} * sectors, sectors, false);
        device.run();
        EXPECT_EQ(host.failed, 1U) << "uncorrectable";
        host.write(std::uint64_t{kLost} * sectors + 1, 2, true);  // the rest of the page cannot be read
        device.run();
        EXPECT_EQ(host.failed, 2U);
        host.write(std::uint64_t{kLost} * sectors, sectors, true);
        host.read(std::uint64_t{kLost} * sectors, sectors, false);
        device.run();
        EXPECT_EQ(host.failed, 2U) << "new data cures it";
        EXPECT_EQ(host.mismatches, 0U);
        EXPECT_EQ(device.firmware->check(), "");
    }
}

TEST_P(BlockMapped, ASequentialFillWritesEveryPageOnceAndInPlace) {
    for (const StripingMode striping : {StripingMode::full, StripingMode::none}) {
        FirmwareConfig config = tiny_config();
        config.allocation.striping = striping;
        FakeDevice device(block_mapped(*GetParam(), config), 1);
        ShadowHost host(device, 1);
        host.write_everything_to_flash();
        const std::uint64_t pages = device.config.exported_sectors * 512 / device.config.unit_bytes;
        EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program], pages);
        EXPECT_EQ(device.flash.operations[hal::FlashOpcode::erase], 0U);
        EXPECT_EQ(device.flash.operations[hal::FlashOpcode::read], 0U);
        const BlockMapState state = *device.firmware->block_map();
        EXPECT_EQ(state.counters.write_data, pages);
        EXPECT_EQ(state.data_pages_programmed, state.data_pages);
        EXPECT_EQ(state.data_pages, pages);
    }
}

/// A page counts as written when its program has ended, not when it has its place.
TEST_P(BlockMapped, WrittenUnitsAreOnFlash) {
    FakeDevice device(block_mapped(*GetParam()), 6);
    ShadowHost host(device, 6);
    bool under_way = false;
    host.keep_busy({0, 100, 0, 1, 0, 8, 96, true}, 200);
    const std::pair program{hal::Cause::host, hal::FlashOpcode::program};
    do {
        const double written = device.firmware->metrics().at("ftl.written_units");
        ASSERT_LE(written, static_cast<double>(device.flash.by_cause[program]));
        under_way |= written < static_cast<double>(counted(device).host_programs());
    } while (device.clock.run_one());
    EXPECT_TRUE(under_way);
    EXPECT_GT(device.flash.by_cause[program], 0U);
    EXPECT_EQ(device.firmware->metrics().at("ftl.written_units"),
              static_cast<double>(device.flash.by_cause[program]));
}

/// One write at a time reaches the layer directly: the device counts what the layer alone counts.
TEST_P(BlockMapped, OneWriteAtATimeCountsWhatTheLayerAloneCounts) {
    for (std::uint64_t seed = 1; seed <= usual_or_sanitized(20U, 6U); ++seed) {
        FirmwareConfig config = block_variant(*GetParam(), seed);
        config.write_buffer.policy = WriteCachePolicy::write_through;
        FakeDevice device(config, seed);
        ShadowHost host(device, seed);
        UntimedBlocks alone(config, block_geometry(config, config.flash.blocks));
        std::mt19937_64 random(seed);
        const std::uint32_t sectors = config.unit_bytes / hal::kSectorBytes;
        const auto pages = static_cast<std::uint32_t>(config.exported_sectors / sectors);
        for (int i = 0; i < 600; ++i) {
            const auto first = static_cast<std::uint32_t>(random() % pages);
            const auto count =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(1 + random() % 12, pages - first));
            const bool trims = random() % 20 == 0;
            for (std::uint32_t lpn = first; lpn < first + count; ++lpn) {
                trims ? alone.trim(Lpn{lpn}) : alone.write(Lpn{lpn});
            }
            if (trims) {
                host.trim({hal::TrimRange{hal::Lba{std::uint64_t{first} * sectors}, count * sectors}});
            } else {
                host.write(std::uint64_t{first} * sectors, count * sectors, false);
            }
            device.run();
        }
        EXPECT_EQ(numbers(counted(device)), numbers(alone.counters())) << "seed " << seed;
        EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program] +
                      device.flash.operations[hal::FlashOpcode::copy_back],
                  alone.counters().programs());
        expect_sound(device, host);
    }
}

TEST_P(BlockMapped, APowerCutDestroysItInAnyState) {
    for (int events = 0; events < 3000; events += usual_or_sanitized(97, 291)) {
        cut_power_after(block_mapped(*GetParam()), events);
    }
}

INSTANTIATE_TEST_SUITE_P(Layers, BlockMapped, ::testing::ValuesIn(translation_layers()), name_of);

}  // namespace
}  // namespace solidtlm::fw::testing
