// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/untimed_blocks.h"

namespace solidtlm::fw {

void UntimedBlocks::write(Lpn lpn) {
    while (layer_->next_merge(lpn, merge_)) {
        carry_out();
    }
    const BlockLayer::Placement placement = layer_->place(lpn);
    counters_.count(placement.kind, placement.unused_place);
    release();
}

void UntimedBlocks::trim(Lpn lpn) {
    layer_->trim(lpn);
    release();
}

void UntimedBlocks::release() {
    while (layer_->next_release(merge_)) {
        carry_out();
    }
}

void UntimedBlocks::carry_out() {
    counters_.count(merge_.kind);
    counters_.merge_reads += merge_.copies.size();
    counters_.merge_programs += merge_.copies.size();
    counters_.erases += merge_.sources.size();
    layer_->merged(merge_);
    for (const BlockId source : merge_.sources) {
        layer_->erased(source);
    }
}

}  // namespace solidtlm::fw
