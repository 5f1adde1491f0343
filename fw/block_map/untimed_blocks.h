// SPDX-License-Identifier: Apache-2.0
//
// A block-mapped layer without time and flash: only the layer and its counters, for millions of pages per
// second. Erases and programs end at once and never fail. With one write at a time the counters equal those
// of the timed layer.
#pragma once

#include "fw/block_map/block_counters.h"
#include "fw/block_map/block_layer.h"

namespace solidtlm::fw {

class UntimedBlocks {
  public:
    /// Uses translation, block_map and wear of `config`. REQUIRES: see make_block_layer().
    UntimedBlocks(const FirmwareConfig& config, const BlockGeometry& geometry)
        : layer_(make_block_layer(config, geometry)) {}

    void write(Lpn lpn);
    void trim(Lpn lpn);
    [[nodiscard]] BlockPage locate(Lpn lpn) const { return layer_->locate(lpn); }

    [[nodiscard]] const BlockCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = BlockCounters{}; }
    [[nodiscard]] const BlockLayer& layer() const { return *layer_; }

  private:
    void carry_out();
    void release();

    std::unique_ptr<BlockLayer> layer_;
    BlockCounters counters_;
    Merge merge_;
};

}  // namespace solidtlm::fw
