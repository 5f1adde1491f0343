// SPDX-License-Identifier: Apache-2.0
//
// The contents of every NAND page's spare area, from which the map can be rebuilt by scanning
// (media_scan.h). Little endian: 8 bytes = sequence number (bits 39:0), erase count of the superblock (bits
// 55:40, saturated) and kind (bits 63:56), then 4 bytes for each mapping unit of the page: its LPN, a
// number of the indirection (fw/log/indirection.h), or kNoLpn for padding.
//
// The sequence number grows with every programmed superpage; of two pages with the same LPN, the one with the
// larger number is newer. A copy-back inside the die gets its own metadata: a boot needs to know what wrote a
// page and when, not where its data came from. 40 bits last for 16 PiB of 16 KiB superpages.
//
// A read error that ECC misses leaves wrong data. A boot therefore treats a page as unreadable if this
// firmware cannot have written its header.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "fw/drive/layout.h"
#include "fw/flash/streams.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

static_assert(std::endian::native == std::endian::little, "the spare area is little endian");

struct SpareHeader {
    std::uint64_t sequence = 0;  ///< less than 2^40
    PageKind kind = PageKind::host;
    std::uint32_t erases = 0;  ///< of the superblock; kMostErases means that or more
};
constexpr std::uint64_t kSequenceLimit = std::uint64_t{1} << 40;
constexpr std::uint32_t kMostErases = 0xFFFF;
/// No page carries a number from here on: a drive never writes as many pages in its life.
constexpr std::uint64_t kSequenceReserve = std::uint64_t{1} << 32;
constexpr bool is_written(std::uint64_t sequence) {
    return sequence < kSequenceLimit - kSequenceReserve;
}

constexpr std::size_t spare_bytes(std::uint32_t units_per_page) {
    return 8 + 4 * std::size_t{units_per_page};
}

/// Write to `at`, and return the position after the written bytes.
inline std::byte* encode_header(const SpareHeader& header, std::byte* at) {
    const std::uint64_t word = header.sequence | (std::uint64_t{std::min(header.erases, kMostErases)} << 40) |
                               (std::uint64_t{static_cast<std::uint8_t>(header.kind)} << 56);
    std::memcpy(at, &word, sizeof word);
    return at + sizeof word;
}
inline std::byte* encode_lpn(Lpn lpn, std::byte* at) {
    std::memcpy(at, &lpn.value, sizeof lpn.value);
    return at + sizeof lpn.value;
}

/// Of a page that has one name, or none (kNoLpn). REQUIRES: spare.size() is spare_bytes() of some units.
inline void encode_spare(const SpareHeader& header, Lpn name, std::span<std::byte> spare) {
    SOLIDTLM_CHECK(spare.size() >= spare_bytes(1) && spare.size() % sizeof name == 0,
                   "the spare area has a header and names");
    std::byte* at = encode_lpn(name, encode_header(header, spare.data()));
    while (at != spare.data() + spare.size()) {
        at = encode_lpn(kNoLpn, at);
    }
}

inline SpareHeader decode_header(std::span<const std::byte> spare) {
    std::uint64_t word = 0;
    std::memcpy(&word, spare.data(), sizeof word);
    return SpareHeader{word & (kSequenceLimit - 1), static_cast<PageKind>(word >> 56),
                       static_cast<std::uint32_t>(word >> 40) & kMostErases};
}

/// Of the data area: can firmware have written it?
constexpr bool is_of_data(const SpareHeader& header) {
    return is_written(header.sequence) && is_of_data(header.kind);
}

inline Lpn decode_lpn(std::span<const std::byte> spare, std::uint32_t unit) {
    std::uint32_t value = 0;
    std::memcpy(&value, spare.data() + 8 + 4 * std::size_t{unit}, sizeof value);
    return Lpn{value};
}

}  // namespace solidtlm::fw
