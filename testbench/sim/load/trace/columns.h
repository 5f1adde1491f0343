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

#include "testbench/sim/load/trace/command_kind.h"
#include "testbench/sim/load/trace/evidence.h"

namespace solidtlm::testbench {

/// What a declaration can say about a column.
struct TraceColumn {
    std::int32_t number = 0;  ///< from 1; with Columns::at, counted from that word, which is 0
    std::string heading;      ///< instead of a number
    std::int32_t key = -1;    ///< instead of a number: the value of Columns::keys[key], wherever it is
    std::uint64_t unit = 1;   ///< unit in ns or bytes
    std::uint64_t plus = 0;   ///< added to the value, for counts from 0
    bool date = false;        ///< a date and a time of day, not a number
    std::string expected;     ///< description for messages

    [[nodiscard]] bool given() const { return number != 0 || !heading.empty() || key >= 0; }
};

struct Columns {
    /// How a column encodes the operation.
    enum class Code : std::uint8_t {
        words,  ///< as one of `words`
        rwbs,   ///< as Linux's block layer does: letters; a leading F is a flush, a trailing F is FUA
        scsi    ///< as the hexadecimal operation code of a SCSI command
    };
    using Words = std::vector<std::string>;  ///< in lower case

    TraceColumn time;
    TraceColumn after;    ///< time until the next request, used instead of `time`
    TraceColumn latency;  ///< if present, `time` is the end of the request; it arrived earlier by this much
    TraceColumn op;
    Code code = Code::words;
    std::uint64_t mask = 0;  ///< mask for a numeric operation; 0: the operation is a word
    static constexpr std::size_t kZeroes = 5;
    /// words per CommandKind, then those of write zeroes; commands with a word of `other` are skipped
    std::array<Words, kZeroes + 1> words;
    bool others_write = false;  ///< words that are in no list are writes
    bool others_pass = false;   ///< lines whose word is in no list hold no command
    TraceColumn offset;
    TraceColumn size;
    TraceColumn again;  ///< repeats the size
    /// from this column on, some field is `sector + sectors`; a request without it has no data
    TraceColumn range;
    TraceColumn device;
    bool device_pair = false;  ///< major,minor
    TraceColumn action;        ///< D, Q, C, ...: the event in the request's life
    std::vector<TraceColumn> numbers;
    TraceColumn is;  ///< lines count only if this column holds one of `is_words`
    Words is_words;
    TraceColumn wide;               ///< the only column that may contain separators
    std::vector<std::string> keys;  ///< as `lba=`: what stands before a value, somewhere in the line
    std::string at;  ///< columns count from the word with this end; lines without such a word are skipped
    /// from a line with such a beginning on, lines that begin with a letter are skipped; *: from the start
    Words ignore;
    char separator = ' ';       ///< blank: runs of blanks and tabs
    std::uint32_t exactly = 0;  ///< number of columns per line; 0: at least the declared ones
    bool whole_sectors = false;
    bool ordered = false;  ///< times ascend
    bool headed = false;   ///< a heading must come first, since items name it
    Evidence evidence;     ///< without it, the format is not chosen by content
};

/// Throws InputError with all mistakes in the declaration.
[[nodiscard]] Columns parse_columns(std::string_view declaration);

}  // namespace solidtlm::testbench
