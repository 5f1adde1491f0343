// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/columns.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "fw/hal/types.h"
#include "platform/names.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/load/trace/fields.h"

namespace solidtlm::testbench {
namespace {

constexpr std::int32_t kMostColumns = 64;

struct Unit {
    std::string_view name;
    std::uint64_t value;
    std::string_view words;
};
constexpr std::string_view kDate = "date";
constexpr std::array kTimes{
    Unit{"ns", 1, "nanoseconds"},          Unit{"us", kNsPerUs, "microseconds"},
    Unit{"ms", kNsPerMs, "milliseconds"},  Unit{"s", kNsPerSecond, "seconds"},
    Unit{"100ns", 100, "units of 100 ns"}, Unit{kDate, 1, "a date and time, as 2026-01-02 03:04:05.6"}};
constexpr std::array kSizes{Unit{"B", 1, "bytes"}, Unit{"sectors", hal::kSectorBytes, "sectors"},
                            Unit{"KiB", 1024, "KiB"},
                            Unit{"pages", kSectorsPerPage* hal::kSectorBytes, "4 KiB pages"}};

/// One item split into its parts: `key=column&mask:unit{words}`.
struct Item {
    std::string_view key;
    std::string_view column;
    std::string_view mask;
    std::string_view unit;
    std::string_view words;  ///< including the braces
};

Item item_of(std::string_view text) {
    Item item;
    item.key = take_field(text, '=');
    const std::size_t brace = std::min(text.find('{'), text.size());
    item.words = text.substr(brace);
    text = text.substr(0, brace);
    if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
        item.unit = text.substr(colon + 1);
        text = text.substr(0, colon);
    }
    item.column = take_field(text, '&');
    item.mask = text;
    return item;
}

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), small_letter);
    return small;
}

class Parser {
  public:
    Columns parse(std::string_view declaration) {
        while (true) {
            const std::string_view text = take_word(declaration);
            if (text.empty()) {
                break;
            }
            take(text);
        }
        finish();
        if (!errors_.empty()) {
            throw InputError(errors_);
        }
        return std::move(columns_);
    }

  private:
    void refuse(const std::string& item, std::string_view found, const std::string& expected) {
        errors_ += (errors_.empty() ? "" : "\n") + ("--format columns: " + item) + ": found " +
                   quoted(found) + ", expected " + expected;
    }

    void take(std::string_view text) {
        const Item item = item_of(text);
        const auto known = items_.find(item.key);
        if (known == items_.end()) {
            platform::Names names;
            for (const auto& [name, take] : items_) {
                names.emplace_back(name);
            }
            refuse("an item", text,
                   "one of " + platform::join_names(names) + platform::did_you_mean(item.key, names));
            return;
        }
        known->second(item, text.substr(std::min(item.key.size() + 1, text.size())));
    }

    /// Reads an item that has only a column.
    void column(const Item& item, TraceColumn& column, const std::string& expected) {
        std::string_view digits = item.column;
        const bool back = digits.starts_with('-');
        digits.remove_prefix(back ? 1 : 0);
        std::uint64_t number = 0;
        if (parse_number(digits, number) && number > 0 && number <= kMostColumns) {
            column.number = static_cast<std::int32_t>(number) * (back ? -1 : 1);
        } else if (item.column.size() > 1 && item.column.ends_with('=')) {
            column.key = static_cast<std::int32_t>(columns_.keys.size());
            columns_.keys.emplace_back(item.column);
        } else if (!digits.empty() && !is_digit(digits.front())) {
            column.heading = item.column;
            columns_.headed = true;
        } else {
            refuse(std::string(item.key), item.column,
                   "a column's number from 1 to 64, its heading, or key= for a value in the line");
        }
        column.expected = expected;
    }

    template <std::size_t N>
    void quantity(const Item& item, TraceColumn& taken, const std::array<Unit, N>& units,
                  const std::string& what) {
        std::string_view plus = item.unit;
        const std::string_view name = take_field(plus, '+');
        const auto unit = std::ranges::find(units, name, &Unit::name);
        if (unit == units.end() || (name.size() != item.unit.size() && !parse_number(plus, taken.plus))) {
            refuse(std::string(item.key), item.unit,
                   "a unit after a colon: " + platform::join_names(platform::names_of(units)));
            return;
        }
        taken.unit = unit->value;
        taken.date = unit->name == kDate;
        const bool whole = unit->name == "ns" && what.starts_with("a time");
        column(item, taken,
               taken.date ? std::string(unit->words)
                          : (whole ? "a whole number of" : what) + " " + std::string(unit->words));
    }

    static std::vector<std::string> list(std::string_view words) {
        std::vector<std::string> all;
        while (!words.empty()) {
            const std::string_view word = take_field(words, ',');
            all.push_back(word == "''" ? "" : in_small_letters(word));
        }
        return all;
    }

    /// The text between the braces; nothing if there are none.
    std::optional<std::string_view> braced(const Item& item) {
        if (item.words.size() < 3 || item.words.back() != '}') {
            refuse(std::string(item.key), item.words, "words in braces, as {R,Read;W,Write}");
            return std::nullopt;
        }
        return item.words.substr(1, item.words.size() - 2);
    }

    void operation(const Item& item) {
        if (item.unit == "rwbs" || item.unit == "scsi") {
            columns_.code = item.unit == "rwbs" ? Columns::Code::rwbs : Columns::Code::scsi;
            column(item, columns_.op,
                   item.unit == "rwbs" ? "an operation in capital letters: R, W, D, F or N, with modifiers"
                                       : "a SCSI operation code, hexadecimal");
            return;
        }
        if (!item.mask.empty() && !parse_number(item.mask, columns_.mask)) {
            refuse("op", item.mask, "a mask of bits, as 5&1");
        }
        auto words = braced(item);
        if (!words) {
            return;
        }
        std::size_t kind = 0;
        std::string expected;
        constexpr std::array kNames{"read", "write", "trim", "flush", "skipped", "write zeroes"};
        for (; kind < columns_.words.size() && !words->empty(); ++kind) {
            std::string_view raw = take_field(*words, ';');
            columns_.words[kind] = list(raw);
            std::erase_if(columns_.words[kind], [this](const std::string& word) {
                columns_.others_pass = columns_.others_pass || word == "*";
                return word == "*";
            });
            while (!raw.empty()) {
                const std::string word(take_field(raw, ','));
                expected += (expected.empty() ? "" : ", ") + (word == "''" ? "nothing" : word) + " (" +
                            kNames[kind] + ")";
            }
        }
        columns_.others_write = kind == 1;
        column(item, columns_.op, "an operation: " + expected);
    }

    void device(const Item& item) {
        columns_.device_pair = item.unit == "pair";
        column(item, columns_.device, columns_.device_pair ? "a device: major,minor" : "a device");
    }

    void separator(std::string_view text) {
        columns_.separator = text == "tab"     ? '\t'
                             : text == "blank" ? ' '
                             : text.empty()    ? '\0'
                                               : text.front();
        if (text != "tab" && text != "blank" && text.size() != 1) {
            refuse("sep", text, "a character, tab or blank");
        }
    }

    void finish() {
        const auto require = [this](bool holds, const char* found, const char* expected) {
            if (!holds && errors_.empty()) {
                refuse("the declaration", found, expected);
            }
        };
        require(columns_.time.given() != columns_.after.given(), "", "either time= or after=");
        require(columns_.op.given(), "", "an item op=");
        require(columns_.range.given() || (columns_.offset.given() && columns_.size.given()), "",
                "items offset= and size=");
        require(columns_.at.empty() || columns_.separator == ' ', "at=", "blanks as separators");
        require(!columns_.after.date && !columns_.latency.date, "date", "a date for time= alone");
        require(columns_.time.plus + columns_.after.plus + columns_.latency.plus == 0, "+",
                "an amount to add for offset=, size= and again= alone");
    }

    using Take = std::function<void(const Item&, std::string_view)>;

    Columns columns_;
    std::string errors_;
    const std::map<std::string_view, Take> items_{
        {"time", [this](const Item& i, auto) { quantity(i, columns_.time, kTimes, "a time in"); }},
        {"after", [this](const Item& i, auto) { quantity(i, columns_.after, kTimes, "a time in"); }},
        {"latency", [this](const Item& i, auto) { quantity(i, columns_.latency, kTimes, "a latency in"); }},
        {"op", [this](const Item& i, auto) { operation(i); }},
        {"offset", [this](const Item& i, auto) { quantity(i, columns_.offset, kSizes, "an address in"); }},
        {"size", [this](const Item& i, auto) { quantity(i, columns_.size, kSizes, "a length in"); }},
        {"again", [this](const Item& i, auto) { quantity(i, columns_.again, kSizes, "a length in"); }},
        {"range", [this](const Item& i, auto) { column(i, columns_.range, "sector + sectors"); }},
        {"device", [this](const Item& i, auto) { device(i); }},
        {"action", [this](const Item& i, auto) { column(i, columns_.action, "an action"); }},
        {"number", [this](const Item& i, auto) { column(i, columns_.numbers.emplace_back(), "a number"); }},
        {"is",
         [this](const Item& i, auto) {
             if (const auto words = braced(i)) {
                 columns_.is_words = list(*words);
                 column(i, columns_.is, "one of " + std::string(*words));
             }
         }},
        {"wide", [this](const Item& i, auto) { column(i, columns_.wide, "any text"); }},
        {"at", [this](const Item&, auto text) { columns_.at = text; }},
        {"ignore",
         [this](const Item& i, auto) {
             if (const auto words = braced(i)) {
                 for (std::string_view rest = *words; !rest.empty();) {
                     columns_.ignore.emplace_back(take_field(rest, ','));
                 }
             }
         }},
        {"evidence",
         [this](const Item& i, auto) {
             if (const auto words = braced(i)) {
                 const auto evidence = parse_evidence(*words);
                 if (!evidence) {
                     refuse("evidence", *words, kEvidenceItems);
                 }
                 columns_.evidence = evidence.value_or(Evidence());
             }
         }},
        {"sep", [this](const Item&, auto text) { separator(text); }},
        {"columns",
         [this](const Item& i, auto text) {
             std::uint64_t count = 0;
             if (!parse_number(text, count) || count == 0 || count > kMostColumns) {
                 refuse(std::string(i.key), text, "a number from 1 to 64");
             }
             columns_.exactly = static_cast<std::uint32_t>(count);
         }},
        {"whole", [this](const Item&, auto) { columns_.whole_sectors = true; }},
        {"ordered", [this](const Item&, auto) { columns_.ordered = true; }}};
};

}  // namespace

Columns parse_columns(std::string_view declaration) {
    return Parser().parse(declaration);
}

}  // namespace solidtlm::testbench
