// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/dsm.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw {
namespace {
constexpr std::uint32_t kEntryBytes = 8;
constexpr std::uint64_t kLbaMask = (std::uint64_t{1} << 48U) - 1;
}  // namespace

bool parse_dsm(std::span<const std::byte> blocks, std::uint64_t capacity_sectors,
               std::vector<hal::TrimRange>& ranges, hal::Lba& bad) {
    for (std::size_t at = 0; at + kEntryBytes <= blocks.size(); at += kEntryBytes) {
        const std::uint64_t entry = get_little_endian(blocks.subspan(at, kEntryBytes));
        const hal::Lba lba{entry & kLbaMask};
        const auto sectors = static_cast<std::uint32_t>(entry >> 48U);
        if (sectors == 0) {
            continue;
        }
        if (lba.value + sectors > capacity_sectors) {
            bad = lba;
            return false;
        }
        ranges.push_back(hal::TrimRange{lba, sectors});
    }
    return true;
}

void encode_dsm(std::span<const hal::TrimRange> ranges, std::vector<std::byte>& blocks) {
    const std::size_t count =
        std::max<std::size_t>(1, (ranges.size() + kDsmEntriesPerBlock - 1) / kDsmEntriesPerBlock);
    blocks.assign(count * kDsmBlockBytes, std::byte{0});
    std::size_t at = 0;
    for (const hal::TrimRange& range : ranges) {
        SOLIDTLM_CHECK(range.sectors <= kMaxDsmEntrySectors, "a range fits one entry");
        const std::uint64_t entry = (range.lba.value & kLbaMask) | std::uint64_t{range.sectors} << 48U;
        put_little_endian(std::span(blocks).subspan(at, kEntryBytes), entry);
        at += kEntryBytes;
    }
}

}  // namespace solidtlm::hw
