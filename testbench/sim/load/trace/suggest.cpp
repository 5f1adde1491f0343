// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/suggest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "fw/hal/types.h"
#include "testbench/sim/load/trace/fields.h"

namespace solidtlm::testbench {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kSeparators = ",;\t|";
constexpr std::size_t kMostOperations = 12;  ///< a column with more different words is none of operations

/// Fields of a line without quotes around them.
Words fields_of(std::string_view line, char separator) {
    Words fields;
    while (!line.empty()) {
        std::string_view field = trimmed(take_field(line, separator));
        if (field.size() > 1 && field.front() == '"' && field.back() == '"') {
            field = field.substr(1, field.size() - 2);
        }
        fields.emplace_back(field);
    }
    return fields;
}

/// The words of a heading in lower case: "Offset (bytes)" are offset and bytes.
Words words_of(const std::string& heading) {
    Words words(1);
    for (const char c : heading) {
        const char small = small_letter(c);
        if ((small >= 'a' && small <= 'z') || is_digit(small)) {
            words.back() += small;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    return words;
}

bool has_word(const std::string& heading, const std::vector<std::string_view>& sought) {
    return std::ranges::any_of(words_of(heading), [&sought](const std::string& word) {
        return std::ranges::find(sought, word) != sought.end();
    });
}

/// A table with a heading.
struct Table {
    char separator;
    Words heading;
    std::vector<Words> rows;

    [[nodiscard]] std::vector<std::string_view> column(std::size_t number) const {
        std::vector<std::string_view> values;
        for (const Words& row : rows) {
            values.emplace_back(row[number]);
        }
        return values;
    }
    /// The first column whose heading has one of the words; the most telling words come first.
    [[nodiscard]] std::optional<std::size_t> find(const std::vector<std::string_view>& words,
                                                  const std::vector<std::size_t>& taken) const {
        for (const std::string_view word : words) {
            for (std::size_t i = 0; i < heading.size(); ++i) {
                if (std::ranges::find(taken, i) == taken.end() && has_word(heading[i], {word})) {
                    return i;
                }
            }
        }
        return std::nullopt;
    }
};

std::optional<Table> table_of(std::string_view sample) {
    std::string_view line;
    while (!sample.empty() && (trimmed(line).empty() || line.front() == '#')) {
        line = take_field(sample, '\n');
    }
    const std::size_t at = line.find_first_of(kSeparators);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const auto clean = [](std::string_view text) {
        return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
    };
    Table table{line[at], fields_of(clean(line), line[at]), {}};
    while (!sample.empty()) {
        Words row = fields_of(clean(take_field(sample, '\n')), table.separator);
        if (row.size() >= table.heading.size()) {
            table.rows.push_back(std::move(row));
        }
    }
    return table.rows.empty() ? std::nullopt : std::optional(table);
}

/// The unit of a column of addresses or lengths, by its heading or by its values.
std::string size_unit(const Table& table, std::size_t number) {
    const std::string& heading = table.heading[number];
    if (has_word(heading, {"kib", "kb"})) {
        return "KiB";
    }
    if (has_word(heading, {"bytes", "byte", "b", "byteoffset", "nbytes"})) {
        return "B";
    }
    if (has_word(heading,
                 {"lba", "lba512", "sector", "sectors", "nsect", "nsector", "nsectors", "lbn", "blkno"})) {
        return "sectors";
    }
    const bool whole_sectors = std::ranges::all_of(table.column(number), [](std::string_view text) {
        std::uint64_t value = 0;
        return parse_number(text, value) && value % hal::kSectorBytes == 0;
    });
    return whole_sectors ? "B" : "sectors";
}

/// The unit of times, by the heading or by the first value: of one that counts from 1970, its size tells.
std::string time_unit(const Table& table, std::size_t number) {
    const std::string_view first = table.rows.front()[number];
    std::uint64_t value = 0;
    if (parse_date(first, value)) {
        return "date";
    }
    const std::string& heading = table.heading[number];
    for (const auto& [words, unit] :
         {std::pair{std::vector<std::string_view>{"ns", "nsec", "nanoseconds"}, "ns"},
          std::pair{std::vector<std::string_view>{"us", "usec", "microseconds"}, "us"},
          std::pair{std::vector<std::string_view>{"ms", "msec", "milliseconds"}, "ms"},
          std::pair{std::vector<std::string_view>{"s", "sec", "secs", "seconds"}, "s"}}) {
        if (has_word(heading, words)) {
            return unit;
        }
    }
    if (first.find('.') != std::string_view::npos || !parse_number(first, value)) {
        return "s";
    }
    constexpr std::array kUnits{"s", "ms", "us", "ns"};
    constexpr std::uint64_t kYear2000 = 946'684'800;
    std::uint64_t since_1970 = kYear2000;
    std::size_t unit = 0;
    for (; unit + 1 < kUnits.size() && value >= since_1970 * 1000; ++unit) {
        since_1970 *= 1000;
    }
    return value >= kYear2000 ? kUnits[unit] : "us";
}

/// The words of a column of operations as {READ;WRITE;TRIM;FLUSH;SKIPPED}. Nothing if neither reads nor
/// writes are among them.
std::optional<std::string> operations(const Table& table, std::size_t number) {
    std::set<std::string> words;
    for (const std::string_view word : table.column(number)) {
        words.insert(std::string(word));
    }
    words.erase("");
    if (words.size() > kMostOperations) {
        return std::nullopt;
    }
    std::array<std::string, 5> kinds;
    for (const std::string& word : words) {
        constexpr std::array<std::string_view, 4> kFirstLetters{"r0", "w1", "tdu", "fs"};
        const char first = small_letter(word.front());
        const auto kind = std::ranges::find_if(kFirstLetters, [first](std::string_view letters) {
            return letters.find(first) != std::string_view::npos;
        });
        if ((is_digit(first) && word.size() > 1) || word.find_first_of(",;{}*'& \t") != std::string::npos) {
            return std::nullopt;
        }
        std::string& list = kinds[static_cast<std::size_t>(kind - kFirstLetters.begin())];
        list += (list.empty() ? "" : ",") + word;
    }
    if (kinds[0].empty() && kinds[1].empty()) {
        return std::nullopt;
    }
    // Several words of writes are listed, so that no other word is taken for one.
    std::string text = kinds[0] + ";" + kinds[1];
    std::string rest;
    for (std::size_t i = 2; i < kinds.size(); ++i) {
        rest += ";" + kinds[i];
        text += kinds[i].empty() ? "" : rest;
        rest = kinds[i].empty() ? rest : "";
    }
    return "{" + text + "}";
}

}  // namespace

std::optional<std::string> suggest_columns(std::string_view sample) {
    const auto table = table_of(sample);
    if (!table) {
        return std::nullopt;
    }
    std::vector<std::size_t> taken;
    const auto find = [&](const std::vector<std::string_view>& words) {
        const auto found = table->find(words, taken);
        if (found) {
            taken.push_back(*found);
        }
        return found;
    };
    const auto time = find({"timestamp", "time", "datetime", "date", "ts", "arrival", "start", "when", "t"});
    const auto op = find({"op", "operation", "rw", "iotype", "optype", "type", "opcode", "io", "kind",
                          "command", "cmd", "direction", "action", "request"});
    const auto offset = find({"offset", "byteoffset", "lba", "sector", "address", "addr", "lbn", "blkno",
                              "lba512", "position", "pos", "block"});
    const auto size = find({"size", "length", "len", "bytes", "nbytes", "sectors", "nsect", "nsector",
                            "nsectors", "iosize", "blocks", "count"});
    if (!time || !op || !offset || !size) {
        return std::nullopt;
    }
    const auto kinds = operations(*table, *op);
    if (!kinds) {
        return std::nullopt;
    }
    const auto number = [](std::size_t column) { return std::to_string(column + 1); };
    const std::string separator = table->separator == '\t' ? "tab" : std::string(1, table->separator);
    const auto device = find({"device", "dev", "disk", "volume", "lun"});
    return "time=" + number(*time) + ":" + time_unit(*table, *time) + " op=" + number(*op) + *kinds +
           " offset=" + number(*offset) + ":" + size_unit(*table, *offset) + " size=" + number(*size) + ":" +
           size_unit(*table, *size) + (device ? " device=" + number(*device) : "") + " sep=" + separator;
}

}  // namespace solidtlm::testbench
