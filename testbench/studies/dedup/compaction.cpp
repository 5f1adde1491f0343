// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/compaction.h"

#include <algorithm>

namespace solidtlm::testbench::dedup {

void Compaction::touch(const Request& request) {
    if (request.operation != Operation::read && request.operation != Operation::write) {
        return;
    }
    const std::uint64_t end = request.lba.value + request.sectors;
    for (std::uint64_t page = request.lba.value / kPageSectors; page * kPageSectors < end; ++page) {
        pages_.push_back(page);
    }
}

void Compaction::seal() {
    std::ranges::sort(pages_);
    pages_.erase(std::unique(pages_.begin(), pages_.end()), pages_.end());
    pages_.shrink_to_fit();
}

std::uint64_t Compaction::below(std::uint64_t page) const {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(pages_, page) - pages_.begin());
}

TrimRange Compaction::apply(const TrimRange& range) const {
    const std::uint64_t first = range.lba.value / kPageSectors;
    const std::uint64_t end = range.lba.value + range.sectors;
    const std::uint64_t last = (end - 1) / kPageSectors;
    const std::uint64_t from = below(first);
    const std::uint64_t to = below(last + 1);
    if (from == to) {
        return TrimRange{Lba{0}, 0};
    }
    // Pages that are trimmed in part keep the sectors that they had.
    const std::uint64_t skipped = pages_[from] == first ? range.lba.value % kPageSectors : 0;
    const std::uint64_t kept = pages_[to - 1] == last ? (last + 1) * kPageSectors - end : 0;
    // No longer than it was: fewer pages of it are touched than there are.
    return TrimRange{Lba{from * kPageSectors + skipped},
                     static_cast<std::uint32_t>((to - from) * kPageSectors - skipped - kept)};
}

bool Compaction::apply(Request& request) const {
    if (request.operation == Operation::trim) {
        for (TrimRange& range : request.ranges) {
            range = apply(range);
        }
        std::erase_if(request.ranges, [](const TrimRange& range) { return range.sectors == 0; });
        return !request.ranges.empty();
    }
    if (request.operation != Operation::flush) {
        request.lba =
            Lba{below(request.lba.value / kPageSectors) * kPageSectors + request.lba.value % kPageSectors};
    }
    return true;
}

}  // namespace solidtlm::testbench::dedup
