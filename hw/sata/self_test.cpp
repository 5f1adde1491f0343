// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/self_test.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/sata/error_log.h"

namespace solidtlm::hw {
namespace {

constexpr std::uint64_t kShortPieces = 256;
constexpr std::uint64_t kShortSectors = 8;
constexpr std::uint64_t kExtendedSectors = 2048;
constexpr std::uint64_t kMostTenths = 9;
constexpr std::uint8_t kFailingBytes28 = 4;
constexpr std::uint8_t kFailingBytes48 = 6;

}  // namespace

void SelfTest::begin(std::uint8_t number, std::uint64_t capacity_sectors) {
    SOLIDTLM_CHECK(!running_ && known(number & ~kCaptive & 0xFFU), "one self-test runs at a time");
    number_ = number;
    running_ = true;
    capacity_ = capacity_sectors;
    next_ = 0;
    pieces_ = (number & ~kCaptive & 0xFFU) == kShort
                  ? std::min(kShortPieces, (capacity_ + kShortSectors - 1) / kShortSectors)
                  : (capacity_ + kExtendedSectors - 1) / kExtendedSectors;
}

std::optional<SelfTest::Piece> SelfTest::next() {
    SOLIDTLM_CHECK(running_, "a self-test runs");
    if (next_ == pieces_) {
        return std::nullopt;
    }
    const bool all = (number_ & ~kCaptive & 0xFFU) == kExtended;
    const std::uint64_t sectors = all ? kExtendedSectors : kShortSectors;
    // spread from the first sector to the last
    const std::uint64_t spread =
        capacity_ > sectors && pieces_ > 1 ? (capacity_ - sectors) / (pieces_ - 1) : 0;
    const std::uint64_t lba = all ? next_ * sectors : next_ * spread;
    ++next_;
    return Piece{hal::Lba{lba}, static_cast<std::uint32_t>(std::min(sectors, capacity_ - lba))};
}

void SelfTest::end(Result result, hal::Ps at, std::optional<hal::Lba> unreadable) {
    SOLIDTLM_CHECK(running_, "a self-test runs");
    remaining_ = result == Result::passed
                     ? std::uint8_t{0}
                     : static_cast<std::uint8_t>(std::min(kMostTenths, (pieces_ - next_) * 10 / pieces_));
    running_ = false;
    result_ = result;
    entries_.push_back({number_, execution_status(), life_hours(at), unreadable});
    if (entries_.size() > kEntries) {
        entries_.pop_front();
    }
}

std::uint8_t SelfTest::execution_status() const {
    const Result result = running_ ? Result::running : result_;
    const std::uint64_t tenths =
        running_ ? std::min(kMostTenths, (pieces_ - next_) * 10 / pieces_) : remaining_;
    return static_cast<std::uint8_t>(static_cast<unsigned>(result) << 4U | static_cast<unsigned>(tenths));
}

/// ACS-3 A.17: revision 1, 21 descriptors of 24 bytes in a ring, the index of the newest in byte 508; 0:
/// none.
LogPage SelfTest::log() const {
    constexpr std::size_t kBytes = 24;
    LogPage page{};
    put_bytes(page, 0, 2, 1);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const std::size_t at = 2 + i * kBytes;
        put_bytes(page, at, 1, entry.number);
        put_bytes(page, at + 1, 1, entry.status);
        put_bytes(page, at + 2, 2, entry.hours);
        put_bytes(page, at + 5, kFailingBytes28,
                  entry.unreadable ? entry.unreadable->value : ~std::uint64_t{0});
    }
    put_bytes(page, 508, 1, entries_.size());
    put_checksum(page);
    return page;
}

/// ACS-3 A.10: version 1, index of the newest descriptor in bytes 2 and 3, 19 descriptors of 26 bytes.
LogPage SelfTest::extended_log() const {
    constexpr std::size_t kBytes = 26;
    constexpr std::size_t kMost = 19;
    LogPage page{};
    page[0] = std::byte{1};
    const std::size_t first = entries_.size() - std::min(entries_.size(), kMost);
    put_bytes(page, 2, 2, entries_.size() - first);
    for (std::size_t i = first; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const std::size_t at = 4 + (i - first) * kBytes;
        put_bytes(page, at, 1, entry.number);
        put_bytes(page, at + 1, 1, entry.status);
        put_bytes(page, at + 2, 2, entry.hours);
        put_bytes(page, at + 5, kFailingBytes48,
                  entry.unreadable ? entry.unreadable->value : ~std::uint64_t{0});
    }
    put_checksum(page);
    return page;
}

}  // namespace solidtlm::hw
