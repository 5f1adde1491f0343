// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/burst_plan.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::hw {

Burst BurstPlanner::burst_of(const Extent& extent) const {
    Burst burst{extent.plane_slot, extent.end - extent.begin, 0};
    if (ecc_.codeword_bytes != 0) {
        burst.codewords = (burst.bytes + ecc_.codeword_bytes - 1) / ecc_.codeword_bytes;
        burst.bytes += burst.codewords * ecc_.parity_bytes;
    }
    return burst;
}

void BurstPlanner::plan(const hal::FlashOp& op, std::vector<Burst>& bursts) {
    // 1. The pieces, widened to codewords, by plane and column.
    extents_.clear();
    for (const hal::FlashPiece& piece : op.pieces) {
        Extent extent{piece.plane_slot, piece.column_bytes, piece.column_bytes + piece.length_bytes};
        SOLIDTLM_CHECK(piece.plane_slot < op.planes && extent.begin < extent.end && extent.end <= page_bytes_,
                       "pieces lie within the page");
        if (ecc_.codeword_bytes != 0) {
            const std::uint32_t codeword = ecc_.codeword_bytes;
            extent.begin = extent.begin / codeword * codeword;
            extent.end = std::min((extent.end + codeword - 1) / codeword * codeword, page_bytes_);
        }
        extents_.push_back(extent);
    }
    const auto before = [](const Extent& a, const Extent& b) {
        return a.plane_slot != b.plane_slot ? a.plane_slot < b.plane_slot : a.begin < b.begin;
    };
    if (!std::is_sorted(extents_.begin(), extents_.end(), before)) {
        std::sort(extents_.begin(), extents_.end(), before);
    }
    // 2. Neighbours become one burst; metadata follows the page's last byte.
    bursts.clear();
    auto next = extents_.begin();
    for (std::uint8_t slot = 0; slot < op.planes; ++slot) {
        bool to_page_end = false;
        while (next != extents_.end() && next->plane_slot == slot) {
            Extent joined = *next;
            while (++next != extents_.end() && next->plane_slot == slot && next->begin <= joined.end) {
                joined.end = std::max(joined.end, next->end);
            }
            bursts.push_back(burst_of(joined));
            to_page_end = joined.end == page_bytes_;
        }
        if (!op.spare.empty() && to_page_end) {
            bursts.back().bytes += metadata_bytes_;
        } else if (!op.spare.empty()) {
            bursts.push_back(Burst{slot, metadata_bytes_, ecc_.codeword_bytes != 0 ? 1U : 0U});
        }
    }
}

}  // namespace solidtlm::hw
