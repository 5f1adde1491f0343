// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/dram_map.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::fw {

DramMap::DramMap(std::span<const DramRegion* const> regions, const FirmwareConfig& config,
                 const MediaLayout& layout) {
    for (const DramRegion* region : regions) {
        const std::uint64_t bytes =
            (region->bytes(config, layout) + kAlignment - 1) / kAlignment * kAlignment;
        places_.push_back(Place{region, DramAddress{end_}, bytes});
        end_ += bytes;
    }
}

const DramMap::Place& DramMap::place(const DramRegion& region) const {
    const auto found = std::ranges::find(places_, &region, &Place::region);
    SOLIDTLM_CHECK(found != places_.end(), "fw/needs.cpp lists the region");
    return *found;
}

}  // namespace solidtlm::fw
