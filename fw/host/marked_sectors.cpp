// SPDX-License-Identifier: Apache-2.0
#include "fw/host/marked_sectors.h"

#include <algorithm>
#include <bit>

#include "fw/hal/check.h"

namespace solidtlm::fw {

bool MarkedSectors::mark(std::uint64_t lba, std::uint64_t sectors) {
    SOLIDTLM_CHECK(sectors > 0, "there is at least one sector to mark");
    const std::uint64_t first = lba / per_unit_;
    const std::uint64_t last = (lba + sectors - 1) / per_unit_;
    const auto known =
        static_cast<std::size_t>(std::distance(units_.lower_bound(first), units_.upper_bound(last)));
    if (units_.size() - known + (last - first + 1) > kMostUnits) {
        return false;
    }
    for (std::uint64_t unit = first; unit <= last; ++unit) {
        units_[unit] |= part(unit, lba, sectors);
    }
    return true;
}

void MarkedSectors::clear(std::uint64_t lba, std::uint64_t sectors) {
    for (auto at = units_.lower_bound(lba / per_unit_);
         at != units_.end() && at->first * per_unit_ < lba + sectors;) {
        at->second &= ~part(at->first, lba, sectors);
        at = at->second == 0 ? units_.erase(at) : std::next(at);
    }
}

std::uint64_t MarkedSectors::readable(std::uint64_t lba, std::uint64_t sectors) const {
    for (auto at = units_.lower_bound(lba / per_unit_);
         at != units_.end() && at->first * per_unit_ < lba + sectors; ++at) {
        if (const SectorMask marked = at->second & part(at->first, lba, sectors); marked != 0) {
            return at->first * per_unit_ + static_cast<std::uint64_t>(std::countr_zero(marked)) - lba;
        }
    }
    return sectors;
}

SectorMask MarkedSectors::part(std::uint64_t unit, std::uint64_t lba, std::uint64_t sectors) const {
    const std::uint64_t begin = std::max(lba, unit * per_unit_);
    const std::uint64_t end = std::min(lba + sectors, (unit + 1) * per_unit_);
    if (begin >= end) {
        return 0;
    }
    return ~SectorMask{0} >> (64 - (end - begin)) << (begin - unit * per_unit_);
}

}  // namespace solidtlm::fw
