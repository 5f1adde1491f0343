// SPDX-License-Identifier: Apache-2.0
#include "fw/ftl/block_map/block_layer.h"

#include "fw/ftl/block_map/layers.h"

namespace solidtlm::fw {

std::unique_ptr<BlockLayer> make_block_layer(const FirmwareConfig& config, const BlockGeometry& geometry) {
    switch (config.translation) {
        case TranslationLayer::fast:
            return make_fast(config, geometry);
        default:
            return nullptr;
    }
}

}  // namespace solidtlm::fw
