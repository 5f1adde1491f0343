// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/shadow_map.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace solidtlm::testbench {

ShadowMap::ShadowMap(std::uint64_t sectors)
    : sectors_(sectors),
      entries_(static_cast<std::size_t>(sectors / hw::kRunSectors + 1),
               "what the verifier knows, by 8 sectors"),
      changed_(static_cast<std::size_t>(sectors / kPageSectors / kWordPages + 1)) {
    entries_.use_large_pages();
}

void ShadowMap::put(std::uint64_t run, const Run& known) {
    std::uint32_t differences = 0;
    for (const std::uint32_t tag : known.tags) {
        differences |= tag ^ known.tags[0];
    }
    if (differences == 0 && hw::follow_each_other(known.identities)) {
        put_alike(run, known.identities[0], known.tags[0]);
        return;
    }
    mark_changed(run);
    Entry& entry = entries_[run];
    if (entry.other == 0 && !unused_.empty()) {
        entry.other = unused_.back();
        unused_.pop_back();
    } else if (entry.other == 0) {
        others_.emplace_back();
        entry.other = static_cast<std::uint32_t>(others_.size());
    }
    others_[entry.other - 1] = known;
}

std::uint64_t ShadowMap::next_changed(std::uint64_t lba, std::uint64_t end) const {
    end = std::min(end, sectors_);
    while (lba < end && !page_changed(lba / kPageSectors)) {
        const std::uint64_t page = lba / kPageSectors;
        const std::uint64_t step = changed_[page / kWordPages] == 0 ? kWordPages : 1;
        lba = (page / step + 1) * step * kPageSectors;
    }
    return std::min(lba, end);
}

std::size_t ShadowMap::changed_pages() const {
    return std::accumulate(changed_.begin(), changed_.end(), std::size_t{0},
                           [](std::size_t pages, std::uint64_t word) {
                               return pages + static_cast<std::size_t>(std::popcount(word));
                           });
}

}  // namespace solidtlm::testbench
