// SPDX-License-Identifier: Apache-2.0
//
// Block-mapped layers as a whole firmware on fake hardware: random command streams against a shadow model,
// with as few log blocks as is legal.
#include <gtest/gtest.h>

#include "fw/ftl/block_map/block_needs.h"
#include "fw/firmware.h"
#include "fw/limits.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

struct Layer {
    TranslationLayer translation;
    const char* name;
};

const Layer kLayers[] = {{TranslationLayer::fmax, "fmax"},
                         {TranslationLayer::bast, "bast"},
                         {TranslationLayer::fast, "fast"},
                         {TranslationLayer::mtbs, "mtbs"},
                         {TranslationLayer::kast, "kast"},
                         {TranslationLayer::superblock, "superblock"}};

std::string name_of(const ::testing::TestParamInfo<Layer>& layer) {
    return layer.param.name;
}

FirmwareConfig block_mapped(TranslationLayer layer, FirmwareConfig config = tiny_config()) {
    config.translation = layer;
    config.unit_bytes = config.flash.page_bytes;
    config.block_map.log_blocks = least_log_blocks(layer);
    export_everything(config);
    return config;
}

/// A variant of the tiny device for each seed.
FirmwareConfig block_variant(TranslationLayer layer, std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    std::mt19937_64 random(seed * 104'729);
    config.allocation.striping = random() % 2 == 0 ? StripingMode::none : StripingMode::full;
    config.flash.ascending_pages = random() % 4 != 0;
    config.block_map.associativity = 1 + static_cast<std::uint32_t>(random() % 4);
    config.block_map.sequential_logs = 1 + static_cast<std::uint32_t>(random() % 2);
    config.block_map.superblock_blocks = 1 + static_cast<std::uint32_t>(random() % 4);
    config.block_map.superblock_logs = 1 + static_cast<std::uint32_t>(random() % 3);
    const auto more_logs = static_cast<std::uint32_t>(random() % 2 * random() % 4);
    config = block_mapped(layer, config);
    config.block_map.log_blocks += least_log_blocks(layer) > 0 ? more_logs : 0;
    export_everything(config);
    return config;
}

class BlockMapped : public ::testing::TestWithParam<Layer> {};

TEST_P(BlockMapped, RandomStreamsEndSoundOnAFullDevice) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        FakeDevice device(block_variant(GetParam().translation, seed), seed);
        ShadowHost host(device, seed);
        if (seed % 3 != 0) {  // else data blocks appear as the stream goes
            host.write_everything();
        }
        ShadowHost::Mix mix;
        mix.max_sectors = seed % 2 == 0 ? 96 : 600;
        host.run(mix, 150);
        host.read_everything();
        expect_sound(device, host);
        ASSERT_EQ(host.failed, 0U);
        ASSERT_FALSE(HasFailure());
    }
}

INSTANTIATE_TEST_SUITE_P(Layers, BlockMapped, ::testing::ValuesIn(kLayers), name_of);

}  // namespace
}  // namespace solidtlm::fw::testing
