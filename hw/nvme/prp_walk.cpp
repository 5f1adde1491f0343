// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/prp_walk.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr std::uint64_t kDwordOffset = 3;
constexpr std::uint64_t kQwordOffset = 7;

std::uint32_t offset_in_page(std::uint64_t address) {
    return static_cast<std::uint32_t>(address % kPageBytes);
}

}  // namespace

bool PrpWalk::begin(std::uint64_t prp1, std::uint64_t prp2, std::uint32_t bytes) {
    SOLIDTLM_CHECK(bytes > 0 && bytes <= kMostBytes, "data within MDTS");
    count_ = left_ = 0;
    bytes_ = bytes;
    if ((prp1 & kDwordOffset) != 0) {
        return false;
    }
    add(prp1);
    const std::uint32_t first = kPageBytes - offset_in_page(prp1);
    if (bytes <= first) {
        return true;
    }
    if (bytes - first <= kPageBytes) {
        add(prp2);
        return offset_in_page(prp2) == 0;
    }
    left_ = (bytes - first + kPageBytes - 1) / kPageBytes;
    list_ = prp2;
    return (prp2 & kQwordOffset) == 0;
}

std::uint32_t PrpWalk::list_bytes() const {
    SOLIDTLM_CHECK(wants_list(), "a list is left to fetch");
    return std::min(left_ * kEntryBytes, kPageBytes - offset_in_page(list_));
}

bool PrpWalk::take_list(std::span<const std::byte> entries) {
    SOLIDTLM_CHECK(entries.size() == list_bytes(), "the list that was asked for");
    const std::size_t count = entries.size() / kEntryBytes;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t entry = get_little_endian(entries.subspan(i * kEntryBytes, kEntryBytes));
        if (offset_in_page(entry) != 0) {
            return false;
        }
        if (i + 1 == count && left_ > 1) {
            list_ = entry;
        } else {
            add(entry);
            --left_;
        }
    }
    return true;
}

PrpWalk::Piece PrpWalk::piece(std::uint32_t offset, std::uint32_t most) const {
    SOLIDTLM_CHECK(!wants_list() && offset < bytes_, "a byte of data whose page is known");
    const std::uint32_t from_first_page = offset_in_page(pages_[0]) + offset;
    const std::uint32_t index = from_first_page / kPageBytes;
    const std::uint32_t within = from_first_page % kPageBytes;
    const std::uint64_t page = pages_.at(index) - offset_in_page(pages_.at(index));
    return {page + within, std::min({most, bytes_ - offset, kPageBytes - within})};
}

}  // namespace solidtlm::hw::nvme
