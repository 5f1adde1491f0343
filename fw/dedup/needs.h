// SPDX-License-Identifier: Apache-2.0
//
// What deduplication takes of DRAM; nothing without it.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

extern const DramRegion kSharedPages;     ///< virtual blocks of shared pages, dedup.shared_bytes
extern const DramRegion kDedupTable;      ///< fingerprints or CRC32 values: dedup.table_bytes
extern const DramRegion kUncheckedMarks;  ///< pages not yet checked, one bit each
extern const DramRegion kComparedUnits;   ///< two mapping units that are compared

}  // namespace solidtlm::fw
