// SPDX-License-Identifier: Apache-2.0
//
// Programs one superpage: data from DRAM, metadata into the spare areas.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/spare.h"

namespace solidtlm::fw {

/// A mapping unit to program; padding if `lpn` is kNoLpn.
struct UnitWrite {
    Lpn lpn{kNoLpn};
    DramAddress dram{hal::FlashPiece::kPadding};
};

/// Must outlive the operation.
class ProgramOp {
  public:
    /// Builds the operation for `units` at `at`: units_per_page for each of `pages` (ascending, 0 ...
    /// SuperpageShape::pages - 1; empty: all that the superpage has in the mode of its superblock).
    /// REQUIRES: all pages, if the superpage has several rows.
    void prepare(const Services& services, const SuperpageAddress& at, std::span<const UnitWrite> units,
                 const SpareHeader& header, Cause cause, std::span<const std::uint8_t> pages = {});
    hal::FlashOp& op() { return op_; }

  private:
    hal::FlashOp op_;
    std::vector<hal::FlashPiece> pieces_;
    std::array<std::byte, hal::kMaxPagesPerOp * hal::kMaxSpareBytes> spare_{};
};

}  // namespace solidtlm::fw
