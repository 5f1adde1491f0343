// SPDX-License-Identifier: Apache-2.0
#include "hw/ahci/prd_walk.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::ahci {

void PrdWalk::begin(std::uint64_t command_table, std::uint32_t entries, std::uint32_t offset) {
    *this = PrdWalk{};
    table_ = command_table + kPrdtOffset;
    entries_ = entries;
    skip_ = offset;
}

std::uint64_t PrdWalk::entry_address() const {
    SOLIDTLM_CHECK(wants_entry(), "an entry is left to fetch");
    return table_ + std::uint64_t{next_} * kPrdBytes;
}

void PrdWalk::take_entry(std::span<const std::byte, kPrdBytes> entry) {
    SOLIDTLM_CHECK(wants_entry(), "an entry is left to fetch");
    ++next_;
    const auto flags = static_cast<Word>(get_little_endian(entry.subspan<12, 4>()));
    const std::uint32_t bytes = (flags & kDbcMask) + 1;
    const std::uint32_t skipped = std::min(skip_, bytes);
    address_ = (get_little_endian(entry.first<8>()) & ~std::uint64_t{1}) + skipped;
    left_ = bytes - skipped;
    skip_ -= skipped;
    interrupt_ = (flags & kPrdInterrupt) != 0;
}

PrdWalk::Piece PrdWalk::next(std::uint32_t at_most) {
    SOLIDTLM_CHECK(left_ > 0 && at_most > 0, "a piece is left, and at_most is positive");
    const Piece piece{address_, std::min(left_, at_most)};
    address_ += piece.bytes;
    left_ -= piece.bytes;
    return piece;
}

}  // namespace solidtlm::hw::ahci
