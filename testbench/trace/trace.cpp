// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/trace.h"

#include <algorithm>
#include <utility>

#include "testbench/trace/detect.h"
#include "testbench/trace/reorder.h"

namespace solidtlm::testbench {
namespace {

constexpr std::int64_t kPsPerNs = 1000;

}  // namespace

TraceSource::TraceSource(TraceOptions options) : options_(std::move(options)) {
    open();
    std::uint64_t extent = 0;
    if (options_.fit == Fit::scale && options_.device_sectors > 0) {
        extent = measure_extent();
    }
    fitter_.emplace(options_.fit, options_.device_sectors, extent);
    skip_ahead();
}

void TraceSource::open() {
    InputStream input(options_.path);
    if (format_ == nullptr) {
        format_ = options_.format.empty() ? &detect_format(input) : &format_named(options_.format);
    }
    if (!options_.device.empty() && !format_->traits.has_devices) {
        throw InputError(options_.path + ": found a device to select ('" + options_.device +
                         "'), but traces in the format " + std::string(format_->name) + " name no devices");
    }
    reader_ = format_->make(std::move(input), options_.device);
    if (!format_->traits.in_time_order) {
        reader_ = std::make_unique<ReorderWindow>(std::move(reader_));
    }
    records_ = 0;
}

std::uint64_t TraceSource::measure_extent() {
    std::uint64_t extent = 0;
    while (read()) {
        extent = std::max(extent, extent_of(record_.request));
    }
    const std::uint64_t left = records_ > options_.skip ? records_ - options_.skip : 0;
    size_ = options_.limit > 0 ? std::min(left, options_.limit) : left;
    open();
    return extent;
}

bool TraceSource::read() {
    if (!reader_->read(record_)) {
        if (records_ == 0) {
            throw InputError(options_.path + ": holds no requests" +
                             (options_.device.empty() ? "" : " to device '" + options_.device + "'"));
        }
        return false;
    }
    if (records_++ > 0 && record_.time_ns < last_ns_) {
        throw InputError(reader_->where(record_.line) + ": time goes back: found " +
                         std::to_string(record_.time_ns) + " ns, expected at least " +
                         std::to_string(last_ns_) + " ns, the time of the request before");
    }
    last_ns_ = record_.time_ns;
    return true;
}

void TraceSource::skip_ahead() {
    for (std::uint64_t i = 0; i < options_.skip; ++i) {
        if (!read()) {
            throw InputError(options_.path + ": found " + std::to_string(records_) +
                             " requests, expected more than " + std::to_string(options_.skip) +
                             " to leave out");
        }
    }
}

bool TraceSource::next(Request& request) {
    if (!rest_.empty()) {
        std::swap(request, rest_.back());
        rest_.pop_back();
        return true;
    }
    if ((options_.limit > 0 && given_ >= options_.limit) || !read()) {
        return false;
    }
    if (given_++ == 0) {
        first_ns_ = record_.time_ns;
    }
    const std::uint64_t since_first = record_.time_ns - first_ns_;
    if (since_first > kLongestSpanNs) {
        throw InputError(reader_->where(record_.line) + ": found a time " + std::to_string(since_first) +
                         " ns after the first request, expected at most " + std::to_string(kLongestSpanNs) +
                         " ns (106 days)");
    }
    record_.request.arrival = Ps{static_cast<std::int64_t>(since_first) * kPsPerNs};
    fitter_->apply(record_.request, rest_, [this] { return reader_->where(record_.line); });
    std::swap(request, record_.request);
    return true;
}

std::unique_ptr<TraceSource> open_trace(const TraceOptions& options) {
    return std::make_unique<TraceSource>(options);
}

}  // namespace solidtlm::testbench
