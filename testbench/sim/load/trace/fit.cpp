// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/fit.h"

#include <algorithm>

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kUnitSectors = 8;  ///< 4 KiB

__extension__ using Wide = unsigned __int128;

std::uint64_t times_ratio(std::uint64_t value, std::uint64_t numerator, std::uint64_t denominator) {
    return static_cast<std::uint64_t>(Wide{value} * numerator / denominator);
}

/// Gives `part` the content identities of `whole` from `sectors` sectors into it.
void take_content(Request& part, const Request& whole, std::uint64_t sectors) {
    const std::size_t first = std::min(whole.content_layout.place(sectors).identity, whole.content.size());
    part.content.assign(whole.content.begin() + static_cast<std::ptrdiff_t>(first), whole.content.end());
    part.content_layout = whole.content_layout.behind(sectors);
}

void cut_content(Request& request) {
    request.content.resize(
        std::min(request.content.size(), request.content_layout.identities(request.sectors)));
}

}  // namespace

std::optional<Fit> parse_fit(std::string_view text) {
    if (text == "error") {
        return Fit::error;
    }
    if (text == "wrap") {
        return Fit::wrap;
    }
    if (text == "scale") {
        return Fit::scale;
    }
    return std::nullopt;
}

std::uint64_t extent_of(const Request& request) {
    if (request.operation == Operation::read || request.operation == Operation::write) {
        return request.lba.value + request.sectors;
    }
    std::uint64_t end = 0;
    for (const TrimRange& range : request.ranges) {
        end = std::max(end, range.lba.value + range.sectors);
    }
    return end;
}

AddressFitter::AddressFitter(Fit fit, std::uint64_t device_sectors, std::uint64_t extent_sectors)
    : fit_(fit),
      device_(device_sectors),
      extent_(std::max<std::uint64_t>(extent_sectors, 1)),
      modulus_(device_sectors >= kUnitSectors ? device_sectors / kUnitSectors * kUnitSectors
                                              : device_sectors) {}

void AddressFitter::fail(const Request& request, const std::string& where) const {
    std::uint64_t lba = request.lba.value;
    std::uint64_t sectors = request.sectors;
    for (const TrimRange& range : request.ranges) {
        if (range.lba.value + range.sectors > device_) {
            lba = range.lba.value;
            sectors = range.sectors;
            break;
        }
    }
    throw InputError(where + ": found address " + std::to_string(lba) + " + " + std::to_string(sectors) +
                     " sectors, expected addresses below the device's size of " + std::to_string(device_) +
                     " sectors; use --fit wrap or --fit scale");
}

void AddressFitter::wrap(Request& request, std::vector<Request>& rest) const {
    if (request.operation == Operation::flush) {
        return;
    }
    if (request.operation == Operation::trim) {
        wrap_ranges(request);
        return;
    }
    const std::uint64_t start = request.lba.value % modulus_;
    request.lba = Lba{start};
    const std::uint64_t first = std::min(request.sectors, modulus_ - start);
    const std::size_t behind = rest.size();
    for (std::uint64_t done = first; done < request.sectors;) {
        Request part = request;
        part.lba = Lba{0};
        part.sectors = std::min(request.sectors - done, modulus_);
        take_content(part, request, done);
        cut_content(part);
        done += part.sectors;
        rest.push_back(std::move(part));
    }
    std::reverse(rest.begin() + static_cast<std::ptrdiff_t>(behind), rest.end());
    request.sectors = first;
    cut_content(request);
}

void AddressFitter::wrap_ranges(Request& request) const {
    const std::size_t count = request.ranges.size();
    for (std::size_t i = 0; i < count; ++i) {
        TrimRange& range = request.ranges[i];
        if (range.sectors >= modulus_) {
            range = {Lba{0}, static_cast<std::uint32_t>(modulus_)};
            continue;
        }
        const std::uint64_t start = range.lba.value % modulus_;
        const std::uint64_t first = std::min<std::uint64_t>(range.sectors, modulus_ - start);
        const auto behind = static_cast<std::uint32_t>(range.sectors - first);
        range = {Lba{start}, static_cast<std::uint32_t>(first)};
        if (behind > 0) {
            request.ranges.push_back({Lba{0}, behind});
        }
    }
}

std::uint64_t AddressFitter::scaled(std::uint64_t lba) const {
    const std::uint64_t device_units = std::max<std::uint64_t>(device_ / kUnitSectors, 1);
    const std::uint64_t extent_units = (extent_ + kUnitSectors - 1) / kUnitSectors;
    return times_ratio(lba / kUnitSectors, device_units, extent_units) * kUnitSectors + lba % kUnitSectors;
}

void AddressFitter::scale(Request& request) const {
    for (TrimRange& range : request.ranges) {
        const std::uint64_t start = std::min(scaled(range.lba.value), device_ - 1);
        range = {Lba{start},
                 static_cast<std::uint32_t>(std::min<std::uint64_t>(range.sectors, device_ - start))};
    }
    if (request.operation != Operation::read && request.operation != Operation::write) {
        return;
    }
    std::uint64_t start = scaled(request.lba.value);
    if (start + request.sectors > device_) {
        const std::uint64_t over = start + request.sectors - device_;
        const std::uint64_t units = (over + kUnitSectors - 1) / kUnitSectors;
        start = start >= units * kUnitSectors ? start - units * kUnitSectors : 0;
        request.sectors = std::min(request.sectors, device_ - start);
        cut_content(request);
    }
    request.lba = Lba{start};
}

}  // namespace solidtlm::testbench
