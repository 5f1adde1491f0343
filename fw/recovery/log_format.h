// SPDX-License-Identifier: Apache-2.0
//
// What the pages of the recovery log hold. One page of one plane each. Spare area: header with the page's own
// sequence number and kind. Data area, little endian: a header of 32 bytes, then
//
//   journal     records of 16 bytes: first LPN, count (4 bytes each), sequence number (8 bytes): every page
//   of these
//               logical pages that carries a smaller number was trimmed;
//   checkpoint  map entries of 4 bytes (Ppa, or kUnmapped), of the logical pages from index * entries a page
//   on.
//
// A checkpoint that began at sequence number S holds what every program with a smaller number has left. It
// counts when all its pages can be read.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "fw/media/layout.h"

namespace solidtlm::fw {

struct TrimRecord {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint64_t sequence = 0;
};
static_assert(sizeof(TrimRecord) == 16);

struct LogHeader {
    std::uint64_t sequence = 0;  ///< checkpoint: where it began; the same in all its pages
    std::uint32_t index = 0;     ///< checkpoint: of the page
    std::uint32_t items = 0;     ///< records or entries in this page
    std::array<std::uint64_t, 2> reserved{};
};
static_assert(sizeof(LogHeader) == 32);

/// What reading the log has found.
struct LogContent {
    std::uint64_t checkpoint = 0;        ///< its sequence number; 0: there is none
    std::vector<std::uint32_t> entries;  ///< of the checkpoint, by LPN
    std::vector<TrimRecord> trims;       ///< not older than the checkpoint
    std::uint64_t last_sequence = 0;     ///< largest number that occurs
};

template <class Item>
std::vector<std::byte> encode_log_page(const LogHeader& header, std::span<const Item> items) {
    std::vector<std::byte> page(sizeof header + items.size_bytes());
    std::memcpy(page.data(), &header, sizeof header);
    if (!items.empty()) {
        std::memcpy(page.data() + sizeof header, items.data(), items.size_bytes());
    }
    return page;
}

inline LogHeader decode_log_header(std::span<const std::byte> page) {
    LogHeader header;
    std::memcpy(&header, page.data(), sizeof header);
    return header;
}

/// REQUIRES: `page` holds items of this kind.
template <class Item>
std::vector<Item> decode_log_items(std::span<const std::byte> page) {
    std::vector<Item> items(decode_log_header(page).items);
    if (!items.empty()) {
        std::memcpy(items.data(), page.data() + sizeof(LogHeader), items.size() * sizeof(Item));
    }
    return items;
}

}  // namespace solidtlm::fw
