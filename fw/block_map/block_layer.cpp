// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/block_layer.h"

#include "fw/block_map/layers.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

std::unique_ptr<BlockLayer> make_block_layer(const FirmwareConfig& config, const BlockGeometry& geometry) {
    SOLIDTLM_CHECK(
        config.translation != TranslationLayer::page_map && least_blocks(config, geometry) <= geometry.blocks,
        "a block-mapped layer, and as many good blocks as it needs");
    switch (config.translation) {
        case TranslationLayer::fmax:
            return make_fmax(config, geometry);
        case TranslationLayer::bast:
            return make_bast(config, geometry);
        case TranslationLayer::fast:
            return make_fast(config, geometry);
        case TranslationLayer::mtbs:
            return make_mtbs(config, geometry);
        case TranslationLayer::kast:
            return make_kast(config, geometry);
        case TranslationLayer::superblock:
            return make_superblock(config, geometry);
        case TranslationLayer::page_map:
            break;
    }
    return nullptr;
}

}  // namespace solidtlm::fw
