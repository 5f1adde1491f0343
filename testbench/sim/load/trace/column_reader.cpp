// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/column_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "fw/hal/types.h"
#include "testbench/sim/load/trace/fields.h"

namespace solidtlm::testbench {
namespace {

/// Whether `text` equals `small` apart from case. `small` is in lower case.
bool is_word(std::string_view text, std::string_view small) {
    return text.size() == small.size() && std::equal(text.begin(), text.end(), small.begin(),
                                                     [](char a, char b) { return small_letter(a) == b; });
}

bool contains(const Columns::Words& words, std::string_view text) {
    return std::ranges::any_of(words, [text](const std::string& word) { return is_word(text, word); });
}

bool is_pair(std::string_view text) {
    const std::string_view major = take_field(text, ',');
    std::uint64_t value = 0;
    return parse_number(major, value) && parse_number(text, value);
}

bool begins_with_letter(std::string_view text) {
    const char c = text.empty() ? '0' : small_letter(text.front());
    return (c >= 'a' && c <= 'z') || c == '"';
}

}  // namespace

ColumnReader::ColumnReader(std::shared_ptr<const Columns> columns, ReaderInput input)
    : TextReader(std::move(input), columns->separator), columns_(std::move(columns)) {
    const Columns& c = *columns_;
    letters_.fill(kNoKind);
    for (std::size_t kind = 0; kind < c.words.size(); ++kind) {
        for (const std::string& word : c.words[kind]) {
            if (word.size() == 1) {
                const auto letter = static_cast<unsigned char>(word.front());
                letters_[letter] = letters_[static_cast<unsigned char>(std::toupper(letter))] =
                    static_cast<std::uint8_t>(kind);
            }
        }
    }
    if (c.headed) {
        return;
    }
    const Layout& layout = layouts_.emplace_back(layout_by_heading());
    layout_ = &layout;
    if (c.at.empty() && !c.range.given()) {
        most_ = std::max({layout.time, layout.after, layout.latency, layout.op, layout.offset, layout.size,
                          layout.again, layout.device, place(c.is), place(c.action)});
        for (const TraceColumn& number : c.numbers) {
            most_ = std::max(most_, place(number));
        }
        // one more than allowed, so that a surplus column is noticed
        most_ = std::max(most_, static_cast<std::int32_t>(c.exactly)) + 1;
        most_ = std::min(most_, static_cast<std::int32_t>(kMostFields));
    }
}

bool ColumnReader::read(TraceRecord& record) {
    if (std::exchange(pending_data_, false)) {
        command_.preflush = false;
        fill(record);
        return true;
    }
    std::string_view line;
    while (next_line(line)) {
        if (passed_over(line)) {
            ++counts_.passed;
            continue;
        }
        split(line);
        find_values(line);
        if (find_layout(line) && parse(record)) {
            return true;
        }
    }
    return false;
}

std::int32_t ColumnReader::place(const TraceColumn& column) const {
    if (column.key >= 0) {
        return kFirstKey + column.key;
    }
    return column.number == 0 ? kAbsent : column.number - (columns_->at.empty() ? 1 : 0);
}

bool ColumnReader::passed_over(std::string_view line) {
    if (columns_->ignore.empty()) {
        return false;
    }
    const std::string_view text = trimmed(line);
    if (is_digit(text.front())) {
        std::string_view rest = text;
        return in_remarks_ && columns_->device_pair && place(columns_->device) == 0 &&
               !is_pair(take_word(rest));
    }
    in_remarks_ = in_remarks_ || std::ranges::any_of(columns_->ignore, [text](const std::string& word) {
                      return text.starts_with(word);
                  });
    return in_remarks_ || (columns_->ignore.front() == "*" && !columns_->headed);
}

/// A heading: a line before the first command whose time, address and length begin with a letter.
bool ColumnReader::is_heading() const {
    const auto is_name = [this](std::int32_t place) {
        return place == kAbsent || begins_with_letter(field(place));
    };
    return !began_ && columns_->at.empty() && layout_->offset != kAbsent && is_name(layout_->time) &&
           is_name(layout_->after) && is_name(layout_->offset) && is_name(layout_->size);
}

bool ColumnReader::find_layout(std::string_view line) {
    const Columns& c = *columns_;
    if (!c.at.empty()) {
        const auto end = fields_.begin() + count_;
        const auto found =
            std::find_if(fields_.begin(), end, [&c](std::string_view word) { return word.ends_with(c.at); });
        origin_ = static_cast<std::int32_t>(found - fields_.begin());
        counts_.passed += found == end ? 1 : 0;
        return found != end;
    }
    if (!c.headed) {
        counts_.passed += is_heading() ? 1 : 0;
        return !is_heading();
    }
    const std::string_view kind = c.op.number != 0 ? field(place(c.op)) : std::string_view{};
    if (c.others_pass && std::ranges::none_of(c.words, [kind](const auto& w) { return contains(w, kind); })) {
        ++counts_.passed;
        return false;
    }
    const auto known = std::ranges::find(layouts_, kind, &Layout::kind);
    if (known != layouts_.end()) {
        layout_ = &*known;
        join_wide_column();
        return true;
    }
    Layout layout = layout_by_heading();
    layout.kind = kind;
    const bool tells_range = layout.offset != kAbsent && layout.size != kAbsent;
    if (layout.time != kAbsent && layout.op != kAbsent &&
        (tells_range || contains(c.words[static_cast<std::size_t>(CommandKind::flush)], kind))) {
        layouts_.push_back(layout);
        ++known_;
    } else if (c.ignore.empty() || !begins_with_letter(trimmed(line))) {
        fail(trimmed(line), "a heading before it that names " + c.time.heading + ", " + c.offset.heading +
                                " and " + c.size.heading);
    }
    ++counts_.passed;
    return false;
}

ColumnReader::Layout ColumnReader::layout_by_heading() const {
    const auto find = [this](const TraceColumn& column) {
        if (column.heading.empty()) {
            return place(column);
        }
        const auto end = fields_.begin() + count_;
        const auto found = std::find(fields_.begin(), end, column.heading);
        return found != end ? static_cast<std::int32_t>(found - fields_.begin()) : kAbsent;
    };
    const Columns& c = *columns_;
    Layout layout;
    layout.time = find(c.time);
    layout.after = find(c.after);
    layout.latency = find(c.latency);
    layout.op = find(c.op);
    layout.offset = find(c.offset);
    layout.size = find(c.size);
    layout.again = find(c.again);
    layout.device = find(c.device);
    layout.wide = find(c.wide);
    layout.count = count_;
    return layout;
}

bool ColumnReader::parse(TraceRecord& record) {
    check_columns();
    if (!is_wanted_event() || !take_operation() || !take_device()) {
        return false;
    }
    began_ = true;
    take_time();
    take_data();
    return give(record);
}

void ColumnReader::check_columns() {
    const Columns& c = *columns_;
    if (c.device_pair && !is_pair(field(layout_->device))) {
        fail(field(layout_->device), c.device.expected);
    }
    const auto exactly = static_cast<std::int32_t>(c.exactly);
    if (c.exactly != 0 && count_ != exactly) {
        fail(count_ > exactly ? fields_[c.exactly] : end_,
             "a line of " + std::to_string(c.exactly) + " columns");
    }
    if (layout_->count > count_) {
        fail(end_, "the " + std::to_string(layout_->count) + " columns of the heading");
    }
    for (const TraceColumn& column : c.numbers) {
        const std::string_view text = field(place(column));
        std::uint64_t value = 0;
        if (!parse_number(text, value)) {
            time(text, 1, column.expected);
        }
    }
    if (c.is.given() && !contains(c.is_words, field(place(c.is)))) {
        fail(field(place(c.is)), c.is.expected);
    }
}

bool ColumnReader::is_wanted_event() {
    if (!columns_->action.given()) {
        return true;
    }
    const std::string_view found = field(place(columns_->action));
    if (found == (action().empty() ? "D" : std::string_view(action()))) {
        return true;
    }
    ++counts_.other_event;
    return false;
}

bool ColumnReader::take_operation() {
    command_ = {};
    const std::string_view text = field(layout_->op);
    switch (columns_->code) {
        case Columns::Code::rwbs:
            return take_rwbs(text);
        case Columns::Code::scsi: {
            std::uint64_t opcode = 0;
            if (!parse_number(text.starts_with("0x") ? text.substr(2) : text, opcode, 16)) {
                fail(text, columns_->op.expected);
            }
            command_.kind = scsi_kind(opcode);
            return true;
        }
        case Columns::Code::words:
            break;
    }
    if (columns_->mask == 0) {
        return take_word_of(text);
    }
    std::array<char, 24> digits{};
    const std::uint64_t bits = number(text, columns_->op.expected) & columns_->mask;
    return take_word_of(
        {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), bits).ptr});
}

bool ColumnReader::take_word_of(std::string_view word) {
    const auto one = word.size() == 1 ? letters_[static_cast<unsigned char>(word.front())] : kNoKind;
    if (one != kNoKind) {
        take_kind(one);
        return true;
    }
    for (std::size_t kind = 0; kind < columns_->words.size(); ++kind) {
        if (contains(columns_->words[kind], word)) {
            take_kind(kind);
            return true;
        }
    }
    if (columns_->others_pass) {
        ++counts_.passed;
        return false;
    }
    if (!columns_->others_write || word.empty()) {
        fail(word, columns_->op.expected);
    }
    command_.kind = CommandKind::write;
    return true;
}

void ColumnReader::take_kind(std::size_t kind) {
    command_.zeroes = kind == Columns::kZeroes;
    command_.kind = command_.zeroes ? CommandKind::write : static_cast<CommandKind>(kind);
}

bool ColumnReader::take_rwbs(std::string_view letters) {
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (letters.empty() || !std::ranges::all_of(letters, is_capital)) {
        fail(letters, columns_->op.expected);
    }
    command_.preflush = letters.size() > 1 && letters.front() == 'F';
    const auto operation = block_operation(letters.substr(command_.preflush ? 1 : 0));
    if (!operation) {
        ++counts_.unknown;
        return false;
    }
    command_.kind = operation->kind;
    command_.zeroes = operation->zeroes;
    command_.fua = operation->fua;
    return true;
}

bool ColumnReader::take_device() {
    return !columns_->device.given() || wanted(field(layout_->device));
}

std::uint64_t ColumnReader::time_in(std::int32_t place, const TraceColumn& column) {
    if (column.date) {
        return date_in(place, column);
    }
    std::string_view text = field(place);
    if (!columns_->at.empty() && text.ends_with(':')) {
        text.remove_suffix(1);
    }
    return column.unit == 1 ? number(text, column.expected) : time(text, column.unit, column.expected);
}

/// Between blanks, the time of day is the field after the date.
std::uint64_t ColumnReader::date_in(std::int32_t place, const TraceColumn& column) {
    std::string_view text = field(place);
    const std::string_view next = place < kFirstKey ? field(place + 1) : end_;
    if (columns_->separator == ' ' && next.size() > 2 && next[2] == ':') {
        text = {text.data(), static_cast<std::size_t>(next.data() + next.size() - text.data())};
    }
    std::uint64_t time_ns = 0;
    if (!parse_date(text, time_ns)) {
        fail(text, column.expected);
    }
    return time_ns;
}

void ColumnReader::take_time() {
    if (layout_->after != kAbsent) {
        command_.time_ns = next_ns_;
        if (__builtin_add_overflow(next_ns_, time_in(layout_->after, columns_->after), &next_ns_)) {
            fail(field(layout_->after), "times whose sum is below 2^64 ns");
        }
        return;
    }
    command_.time_ns = time_in(layout_->time, columns_->time);
    if (layout_->latency != kAbsent) {
        command_.time_ns -= std::min(command_.time_ns, time_in(layout_->latency, columns_->latency));
    }
}

void ColumnReader::take_data() {
    if (command_.kind == CommandKind::flush || command_.kind == CommandKind::other) {
        return;
    }
    columns_->range.given() ? take_range() : take_size();
}

void ColumnReader::take_range() {
    for (std::int32_t i = origin_ + place(columns_->range) + 1; i + 1 < count_; ++i) {
        if (fields_[static_cast<std::size_t>(i)] == "+") {
            command_.length = number(fields_[static_cast<std::size_t>(i) + 1], "a length in sectors");
            command_.address = number(fields_[static_cast<std::size_t>(i) - 1], "an address in sectors");
            return;
        }
    }
}

std::uint64_t ColumnReader::amount(std::string_view text, const TraceColumn& column) {
    std::uint64_t value = 0;
    if (!text.starts_with("0x") || !parse_number(text.substr(2), value, 16)) {
        value = number(text, column.expected);
    }
    const std::uint64_t unit = column.unit == 1 ? 1 : column.unit / hal::kSectorBytes;
    if (__builtin_add_overflow(value, column.plus, &value) || __builtin_mul_overflow(value, unit, &value)) {
        fail(text, column.expected);
    }
    return value;
}

void ColumnReader::take_size() {
    const Columns& c = *columns_;
    const std::string_view offset = field(layout_->offset);
    const std::string_view size = field(layout_->size);
    command_.address = amount(offset, c.offset);
    command_.length = amount(size, c.size);
    if (c.whole_sectors && (command_.address % hal::kSectorBytes != 0 || c.offset.unit != 1)) {
        fail(offset, "bytes in multiples of 512");
    }
    if (c.whole_sectors && (command_.length % hal::kSectorBytes != 0 || c.size.unit != 1)) {
        fail(size, "bytes in multiples of 512");
    }
    command_.in_bytes = c.offset.unit == 1;
    if (!command_.in_bytes && c.size.unit == 1) {
        command_.length =
            command_.length / hal::kSectorBytes + (command_.length % hal::kSectorBytes != 0 ? 1 : 0);
    } else if (command_.in_bytes && c.size.unit != 1 &&
               __builtin_mul_overflow(command_.length, hal::kSectorBytes, &command_.length)) {
        fail(size, c.size.expected);
    }
    if (layout_->again != kAbsent) {
        const std::uint64_t bytes = command_.in_bytes ? command_.length : command_.length * hal::kSectorBytes;
        if (amount(field(layout_->again), c.again) * (c.again.unit == 1 ? 1 : hal::kSectorBytes) != bytes) {
            fail(field(layout_->again),
                 "the length given earlier in the line, " + std::to_string(bytes) + " bytes");
        }
    }
}

bool ColumnReader::give(TraceRecord& record) {
    const bool moves = command_.kind != CommandKind::flush && command_.kind != CommandKind::other;
    const bool data = moves && (command_.length > 0 || columns_->code == Columns::Code::words);
    const bool flush = command_.preflush || command_.kind == CommandKind::flush;
    if (!flush && !data) {
        ++counts_.skipped;
        return false;
    }
    if (flush) {
        start(record, Operation::flush);
        record.time_ns = command_.time_ns;
        pending_data_ = data;
    } else {
        fill(record);
    }
    return true;
}

void ColumnReader::fill(TraceRecord& record) {
    start(record, static_cast<Operation>(command_.kind));
    record.time_ns = command_.time_ns;
    record.request.fua = command_.fua;
    command_.in_bytes ? set_bytes(record.request, command_.address, command_.length)
                      : set_sectors(record.request, command_.address, command_.length);
    if (command_.zeroes) {
        set_zeroes(record);
    }
}

}  // namespace solidtlm::testbench
