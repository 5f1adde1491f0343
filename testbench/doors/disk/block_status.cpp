// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/block_status.h"

#include "fw/hal/check.h"
#include "platform/ssd.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench::disk {
namespace {

/// Appends an extent; false if there is no room for it.
bool append(std::vector<Extent>& extents, std::uint64_t sectors, bool hole, bool zero) {
    if (!extents.empty() && extents.back().hole == hole && extents.back().zero == zero) {
        extents.back().bytes += sectors * hal::kSectorBytes;
        return true;
    }
    if (extents.size() == kMostExtents) {
        return false;
    }
    extents.push_back({sectors * hal::kSectorBytes, hole, zero});
    return true;
}

}  // namespace

std::vector<Extent> block_status(const BuiltDrive& drive, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t end = first + count;
    SOLIDTLM_CHECK(count > 0 && end <= drive.ssd.configuration().firmware.exported_sectors,
                   "sectors of the drive");
    const fw::Translation& translation = drive.ssd.firmware().translation();
    const std::uint32_t per_unit = drive.ssd.firmware().layout().sectors_per_unit();
    std::vector<Extent> extents;
    std::uint64_t looked_at = 0;
    for (std::uint64_t lba = first; lba < end && looked_at < kMostSectors;) {
        const std::uint64_t known = drive.verifier.next_known(lba, end);
        if (known > lba) {  // sectors before it were never written
            if (!append(extents, known - lba, true, true)) {
                break;
            }
            lba = known;
            continue;
        }
        const std::uint64_t unit = lba / per_unit;
        const bool mapped = translation.mapped(fw::Lpn{static_cast<std::uint32_t>(unit)});
        const std::uint64_t unit_end = std::min(end, (unit + 1) * per_unit);
        for (; lba < unit_end; ++lba, ++looked_at) {
            const SectorState state = drive.verifier.state(hal::Lba{lba});
            const bool zero = state.kind == SectorState::Kind::known && state.identity == 0;
            if (!append(extents, 1, zero && !mapped, zero)) {
                return extents;
            }
        }
    }
    return extents;
}

}  // namespace solidtlm::testbench::disk
