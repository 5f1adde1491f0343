// SPDX-License-Identifier: Apache-2.0
//
// The layers by name; `make_block_layer` chooses.
#pragma once

#include "fw/block_map/block_layer.h"

namespace solidtlm::fw {

std::unique_ptr<BlockLayer> make_bast(const FirmwareConfig& config, const BlockGeometry& geometry);
std::unique_ptr<BlockLayer> make_fast(const FirmwareConfig& config, const BlockGeometry& geometry);
std::unique_ptr<BlockLayer> make_fmax(const FirmwareConfig& config, const BlockGeometry& geometry);
std::unique_ptr<BlockLayer> make_kast(const FirmwareConfig& config, const BlockGeometry& geometry);
std::unique_ptr<BlockLayer> make_mtbs(const FirmwareConfig& config, const BlockGeometry& geometry);
std::unique_ptr<BlockLayer> make_superblock(const FirmwareConfig& config, const BlockGeometry& geometry);

}  // namespace solidtlm::fw
