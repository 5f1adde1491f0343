// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/shadow_map.h"

#include <algorithm>

namespace solidtlm::testbench {

ShadowMap::ShadowMap(std::uint64_t sectors)
    : sectors_(sectors), leaves_(static_cast<std::size_t>((sectors + kLeafSectors - 1) / kLeafSectors)) {}

ShadowMap::Page& ShadowMap::make(std::uint64_t lba) {
    std::unique_ptr<Leaf>& leaf = leaves_[lba / kLeafSectors];
    if (!leaf) {
        leaf = std::make_unique<Leaf>();
    }
    std::unique_ptr<Page>& page = (*leaf)[lba / kPageSectors % kLeafPages];
    if (!page) {
        page = std::make_unique<Page>();
        ++allocated_pages_;
    }
    return *page;
}

std::uint64_t ShadowMap::next_allocated(std::uint64_t lba, std::uint64_t end) const {
    end = std::min(end, sectors_);
    while (lba < end && find(lba) == nullptr) {
        const std::uint64_t step = leaves_[lba / kLeafSectors] ? kPageSectors : kLeafSectors;
        lba = (lba / step + 1) * step;
    }
    return std::min(lba, end);
}

}  // namespace solidtlm::testbench
