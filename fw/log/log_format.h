// SPDX-License-Identifier: Apache-2.0
//
// The format of the pages of the recovery log. Each is one page of one plane. Spare area: a header with the
// page's own sequence number and kind. Data area, little endian: a header of 32 bytes, then
//
//   journal     records of 16 bytes: two numbers of 4 bytes and 8 bytes = sequence number (bits 39:0) and
//               kind (bits 63:56), see RecordKind;
//   checkpoint  map entries of 4 bytes (Ppa, kUnmapped, or a number of the indirection), of the logical
//               pages from index * entries per page on; in the pages after these, the table of the
//               indirection (indirection.h) in the same way, if there is one.
//
// A checkpoint that began at sequence number S includes the effects of every program and record with a
// smaller number. It is valid if all its pages can be read.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "fw/flash/spare.h"
#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"
#include "fw/log/needs.h"

namespace solidtlm::fw {

/// Kinds from 1 on are those of the indirection.
enum class RecordKind : std::uint8_t {
    trim = 0,  ///< first LPN, count: trims all data in pages of these LPNs with smaller sequence numbers
};

struct LogRecord {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    std::uint64_t word = 0;

    [[nodiscard]] RecordKind kind() const { return static_cast<RecordKind>(word >> 56); }
    [[nodiscard]] std::uint64_t sequence() const { return word & (kSequenceLimit - 1); }
    void serialize(hal::StateArchive& archive) { archive(first, second, word); }
};
static_assert(sizeof(LogRecord) == kLogRecordBytes);

constexpr LogRecord make_record(RecordKind kind, std::uint32_t first, std::uint32_t second,
                                std::uint64_t sequence) {
    return LogRecord{first, second, sequence | std::uint64_t{static_cast<std::uint8_t>(kind)} << 56};
}
constexpr LogRecord trim_record(Lpn first, std::uint32_t count, std::uint64_t sequence) {
    return make_record(RecordKind::trim, first.value, count, sequence);
}

struct LogHeader {
    std::uint64_t sequence = 0;  ///< checkpoint: sequence number at which it began; equal in all its pages
    std::uint32_t index = 0;     ///< checkpoint: number of the page
    std::uint32_t items = 0;     ///< records or entries in this page
    std::array<std::uint64_t, 2> reserved{};
};
static_assert(sizeof(LogHeader) == kLogHeaderBytes);

/// The result of reading the log.
struct LogContent {
    std::uint64_t checkpoint = 0;        ///< sequence number of the checkpoint; 0 if there is none
    std::vector<std::uint32_t> entries;  ///< of the checkpoint, by LPN
    std::vector<std::uint32_t> table;    ///< of the checkpoint: the table of the indirection
    std::vector<LogRecord> records;      ///< not older than the checkpoint, ascending
    std::uint64_t last_sequence = 0;     ///< largest sequence number found
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

/// True if the page holds exactly as many items of this kind as its header says.
template <class Item>
bool holds_items(std::span<const std::byte> page) {
    return page.size() >= sizeof(LogHeader) && (page.size() - sizeof(LogHeader)) % sizeof(Item) == 0 &&
           (page.size() - sizeof(LogHeader)) / sizeof(Item) == decode_log_header(page).items;
}

/// REQUIRES: holds_items().
template <class Item>
std::vector<Item> decode_log_items(std::span<const std::byte> page) {
    SOLIDTLM_CHECK(holds_items<Item>(page), "the log page holds as many items as its header says");
    std::vector<Item> items(decode_log_header(page).items);
    if (!items.empty()) {
        std::memcpy(items.data(), page.data() + sizeof(LogHeader), items.size() * sizeof(Item));
    }
    return items;
}

}  // namespace solidtlm::fw
