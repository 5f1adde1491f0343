// SPDX-License-Identifier: Apache-2.0
//
// What deduplication takes of DRAM, and has under way; nothing without it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fw/drive/needs.h"

namespace solidtlm::fw {

extern const DramRegion kSharedPages;     ///< virtual blocks of shared pages, dedup.shared_bytes
extern const DramRegion kDedupTable;      ///< fingerprints or CRC32 values: dedup.table_bytes
extern const DramRegion kUncheckedMarks;  ///< pages not yet checked, one bit each
extern const DramRegion kComparedUnits;   ///< two mapping units that are compared

/// A page at a time that is compared, or hashed by a task while the host is idle.
inline std::uint64_t most_compared(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return config.dedup.any() ? 1 : 0;
}
inline constexpr RoomWork kComparing{"deduplication", most_compared, most_compared};

/// Most pages that leave the write buffer together; a superpage holds `superpage`. Deduplication sorts more
/// than those of a small one. Flash reads that complete them run at the same time.
inline std::uint32_t most_sorted_pages(const FirmwareConfig& config, std::uint32_t superpage) {
    constexpr std::uint32_t kFewest = 16;
    return config.dedup.any() ? std::max({superpage, kFewest, config.dedup.sampling}) : superpage;
}

}  // namespace solidtlm::fw
