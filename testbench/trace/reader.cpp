// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "testbench/trace/fields.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kLongestTransfer = std::uint64_t{1} << 23;  ///< sectors: 4 GiB, a 32-bit byte count

}  // namespace

TextReader::TextReader(InputStream input, std::string device)
    : input_(std::move(input)), device_(std::move(device)) {}

std::string TextReader::where(std::uint64_t line) const {
    return input_.path() + ":" + std::to_string(line);
}

bool TextReader::next_line(std::string_view& line) {
    while (input_.next_line(line)) {
        const std::string_view text = trimmed(line);
        if (!text.empty() && text.front() != '#') {
            return true;
        }
    }
    return false;
}

void TextReader::start(TraceRecord& record, Operation operation) const {
    record.request.clear();
    record.request.operation = operation;
    // Recorded discards are DATA SET MANAGEMENT, which is not queued; no format records a queued one.
    record.request.queued = operation != Operation::trim;
    record.line = input_.line_number();
}

bool TextReader::wanted(std::string_view device) {
    if (device_.empty() || device == device_) {
        return true;
    }
    ++counts_.other_device;
    return false;
}

void TextReader::fail(std::string_view found, std::string_view expected) const {
    throw InputError(where(input_.line_number()) + ": found " + quoted(found) + ", expected " +
                     std::string(expected));
}

std::uint64_t TextReader::number(std::string_view field, std::string_view expected) const {
    std::uint64_t value = 0;
    if (!parse_number(field, value)) {
        fail(field, expected);
    }
    return value;
}

std::uint64_t TextReader::time(std::string_view field, std::uint64_t unit_ns,
                               std::string_view expected) const {
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
