// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "testbench/sim/load/trace/fields.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kLongestTransfer = std::uint64_t{1} << 23;  ///< sectors: 4 GiB, a 32-bit byte count

}  // namespace

TextReader::TextReader(ReaderInput input, char separator) : input_(std::move(input)), separator_(separator) {}

std::string TextReader::where(std::uint64_t line) const {
    return input_.stream.path() + ":" + std::to_string(line) + ": " + std::string(input_.format);
}

bool TextReader::next_line(std::string_view& line) {
    while (input_.stream.next_line(line)) {
        const std::string_view text = trimmed(line);
        if (!text.empty() && text.front() != '#') {
            line_ = line;
            field_ = line.substr(0, 0);
            return true;
        }
    }
    return false;
}

void TextReader::start(TraceRecord& record, Operation operation) {
    record.request.clear();
    record.request.operation = operation;
    // Recorded discards are DATA SET MANAGEMENT, which is not queued; no format records queued ones.
    record.request.queued = operation != Operation::trim;
    record.line = input_.stream.line_number();
    record.device = device_;
    record.zeroes = false;
}

bool TextReader::wanted(std::string_view device) {
    if (devices_.empty() || devices_[device_] != device) {
        device_ = number_of(device);
    }
    if (input_.device.empty() || device == input_.device) {
        return true;
    }
    ++counts_.other_device;
    return false;
}

std::uint32_t TextReader::number_of(std::string_view device) {
    constexpr std::size_t kFew = 4;
    for (std::size_t i = 0; i < std::min(kFew, devices_.size()); ++i) {
        if (devices_[i] == device) {
            return static_cast<std::uint32_t>(i);
        }
    }
    const auto known = device_numbers_.find(device);
    if (known != device_numbers_.end()) {
        return known->second;
    }
    const auto number = static_cast<std::uint32_t>(devices_.size());
    devices_.emplace_back(device);
    device_numbers_.emplace(device, number);
    return number;
}

/// From 1; a field that is missing at the end of the line has the column after the last one.
std::size_t TextReader::column_of(std::string_view field) const {
    const auto inside = [this](std::string_view part) {
        return part.data() >= line_.data() && part.data() + part.size() <= line_.data() + line_.size();
    };
    if (!inside(field)) {
        field = field_;
    }
    if (!inside(field)) {
        return 1;
    }
    std::string_view before = line_.substr(0, static_cast<std::size_t>(field.data() - line_.data()));
    if (separator_ != ' ') {
        const bool missing =
            field.empty() && before.size() == line_.size() && !before.empty() && before.back() != separator_;
        bool in_quotes = false;  // where separators do not count
        std::size_t column = missing ? 2 : 1;
        for (const char c : before) {
            in_quotes = in_quotes != (c == '"');
            column += !in_quotes && c == separator_ ? 1 : 0;
        }
        return column;
    }
    std::size_t column =
        field.empty() || before.empty() || is_blank(before.back()) ? 1 : 0;  // 0: within a word
    while (!take_word(before).empty()) {
        ++column;
    }
    return column;
}

void TextReader::fail(std::string_view found, std::string_view expected) const {
    throw FieldError(where(input_.stream.line_number()) + ": column " + std::to_string(column_of(found)) +
                     ": found " + quoted(found) + ", expected " + std::string(expected));
}

std::uint64_t TextReader::number(std::string_view field, std::string_view expected) {
    field_ = field;
    std::uint64_t value = 0;
    if (!parse_number(field, value)) {
        fail(field, expected);
    }
    return value;
}

std::uint64_t TextReader::time(std::string_view field, std::uint64_t unit_ns, std::string_view expected) {
    field_ = field;
    std::uint64_t value = 0;
    if (!parse_time(field, unit_ns, value)) {
        fail(field, expected);
    }
    return value;
}

void TextReader::set_sectors(Request& request, std::uint64_t lba, std::uint64_t sectors) const {
    if (sectors == 0) {
        fail("0", "a length of at least one sector");
    }
    if (lba >= kAddressLimit || sectors > kAddressLimit - lba) {
        fail(std::to_string(lba) + "+" + std::to_string(sectors), "a range of sectors below 2^48");
    }
    if (request.operation != Operation::trim) {
        if (sectors > kLongestTransfer) {
            fail(std::to_string(sectors), "a read or write of at most 4 GiB (8388608 sectors)");
        }
        request.lba = Lba{lba};
        request.sectors = sectors;
        return;
    }
    constexpr std::uint64_t kLongest = std::numeric_limits<std::uint32_t>::max() & ~std::uint64_t{7};
    while (sectors > 0) {
        const std::uint64_t part = std::min(sectors, kLongest);
        request.ranges.push_back({Lba{lba}, static_cast<std::uint32_t>(part)});
        lba += part;
        sectors -= part;
    }
}

void TextReader::set_zeroes(TraceRecord& record) {
    Request& request = record.request;
    record.zeroes = true;
    request.content_layout = ContentLayout::aligned_to(request.lba.value);
    request.content.assign(request.content_layout.identities(request.sectors), 0);
}

void TextReader::set_bytes(Request& request, std::uint64_t offset, std::uint64_t bytes) const {
    constexpr std::uint64_t kByteLimit = kAddressLimit * hal::kSectorBytes;
    if (bytes == 0) {
        fail("0", "a length of at least one byte");
    }
    if (offset >= kByteLimit || bytes > kByteLimit - offset) {
        fail(std::to_string(offset) + "+" + std::to_string(bytes), "a range of bytes below 2^57");
    }
    const std::uint64_t first = offset / hal::kSectorBytes;
    const std::uint64_t end = (offset + bytes + hal::kSectorBytes - 1) / hal::kSectorBytes;
    set_sectors(request, first, end - first);
}

}  // namespace solidtlm::testbench
