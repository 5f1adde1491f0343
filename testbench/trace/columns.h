// SPDX-License-Identifier: Apache-2.0
//
// A text format as data: which column of a line says what. A declaration is a line of items,
//
//     time=1:us op=3{R,Read} offset=4:B size=5:B device=2 sep=,
//
// where an item names a column by its number from 1 or by its heading. traces/README.md lists the items.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/trace/command_kind.h"

namespace solidtlm::testbench {

/// What the items of a declaration may say about a column.
struct TraceColumn {
    std::int32_t number = 0;  ///< from 1; with Columns::at: from that word, which is 0
    std::string heading;      ///< instead of a number
    std::uint64_t unit = 1;   ///< ns or bytes
    std::string expected;     ///< in words, for messages

    [[nodiscard]] bool given() const { return number != 0 || !heading.empty(); }
};

struct Columns {
    /// How a column tells the operation.
    enum class Code : std::uint8_t {
        words,  ///< by these words
        rwbs,   ///< as the block layer of Linux does: letters, F before them a flush, F behind them FUA
        scsi    ///< operation code of a SCSI command, hexadecimal
    };
    using Words = std::vector<std::string>;  ///< in small letters

    TraceColumn time;
    TraceColumn after;    ///< time until the next request, instead of `time`
    TraceColumn latency;  ///< `time` is when the request ended; it came that much earlier
    TraceColumn op;
    Code code = Code::words;
    std::uint64_t mask = 0;      ///< of the operation, which is a number; 0: it is a word
    std::array<Words, 5> words;  ///< for each CommandKind, those of `other` are commands that are skipped
    bool others_write = false;   ///< any word that is not one of `words`
    bool others_pass = false;    ///< lines with such a word tell no command
    TraceColumn offset;
    TraceColumn size;
    TraceColumn again;  ///< says the size once more
    TraceColumn range;  ///< from it on, `sector + sectors` stands somewhere; without it a request has no data
    TraceColumn device;
    bool device_pair = false;  ///< major,minor
    TraceColumn action;        ///< D, Q, C, ...: the point of the request's way
    std::vector<TraceColumn> numbers;
    TraceColumn is;  ///< one of `is_words`
    Words is_words;
    TraceColumn wide;  ///< may hold separators, which the others may not
    std::string at;    ///< columns count from the word that ends so; lines without it are passed over
    Words ignore;  ///< from a line that begins so on, those that begin with a letter are passed over; *: all
    char separator = ' ';       ///< blank: runs of blanks and tabs
    std::uint32_t exactly = 0;  ///< columns of a line; 0: at least those that are named
    bool whole_sectors = false;
    bool ordered = false;  ///< ascending times
    bool headed = false;   ///< a heading must come first, since items name it
};

/// Throws InputError with all that is wrong with it.
[[nodiscard]] Columns parse_columns(std::string_view declaration);

}  // namespace solidtlm::testbench
