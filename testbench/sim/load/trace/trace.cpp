// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/trace.h"

#include <algorithm>
#include <utility>

#include "platform/names.h"
#include "testbench/sim/load/trace/detect.h"
#include "testbench/sim/load/trace/magic.h"
#include "testbench/sim/load/trace/reorder.h"

namespace solidtlm::testbench {
namespace {

constexpr std::int64_t kPsPerNs = 1000;

}  // namespace

TraceSource::TraceSource(TraceOptions options) : options_(std::move(options)) {
    account_.path = options_.path;
    open();
    std::uint64_t extent = 0;
    if (options_.fit == Fit::scale && options_.device_sectors > 0) {
        extent = measure_extent();
    }
    fitter_.emplace(options_.fit, options_.device_sectors, extent);
    skip_ahead();
}

void TraceSource::find_format(InputStream& input) {
    if (options_.format.empty()) {
        const Detected detected = detect_format(input);
        format_ = *detected.format;
        account_.why = detected.why;
    } else {
        format_ = format_named(options_.format);
        account_.why = "as --format says";
    }
    account_.format = format_->name;
    const std::string format = "traces in the format " + account_.format;
    const TraceSelection& selection = options_.selection;
    if (!selection.device.empty() && !format_->traits.has_devices) {
        throw InputError(options_.path + ": found a device to select ('" + selection.device + "'), but " +
                         format + " name no devices");
    }
    if (!selection.action.empty() && !format_->traits.has_actions) {
        throw InputError(options_.path + ": found an action to select ('" + selection.action + "'), but " +
                         format + " have each request once");
    }
}

void TraceSource::open() {
    InputStream input = open_trace_file(options_.path);
    if (!format_) {
        find_format(input);
    }
    reader_ = open_reader(*format_, {.stream = std::move(input),
                                     .format = format_->name,
                                     .device = options_.selection.device,
                                     .action = options_.selection.action});
    if (!format_->traits.in_time_order) {
        reader_ = std::make_unique<ReorderWindow>(std::move(reader_));
    }
    records_ = 0;
    selected_ = 0;
}

std::uint64_t TraceSource::measure_extent() {
    std::uint64_t extent = 0;
    while (read_selected()) {
        options_.selection.move(record_.request, [this] { return where(); });
        extent = std::max(extent, extent_of(record_.request));
    }
    const std::uint64_t left = selected_ > options_.skip ? selected_ - options_.skip : 0;
    size_ = options_.limit > 0 ? std::min(left, options_.limit) : left;
    account_.outside = 0;
    open();
    return extent;
}

void TraceSource::refuse_emptiness() const {
    const TraceCounts& counts = reader_->counts();
    std::string text = options_.path + ": holds no requests";
    if (!options_.selection.device.empty()) {
        text += " to device '" + options_.selection.device + "'";
    }
    if (!options_.selection.device.empty() && !reader_->devices().empty()) {
        constexpr std::size_t kMostNames = 16;
        platform::Names names = reader_->devices();
        names.resize(std::min(names.size(), kMostNames));
        text += ", but to " + platform::join_names(names) +
                (reader_->devices().size() > kMostNames ? ", ..." : "");
    } else if (counts.other_event > 0) {
        text += " at the action " +
                (options_.selection.action.empty() ? std::string("D") : options_.selection.action) +
                ", but " + std::to_string(counts.other_event) + " other events; see --action";
    } else if (counts.skipped + counts.unknown > 0) {
        text += ", but " + std::to_string(counts.skipped + counts.unknown) +
                " commands that are no read, write, trim or flush";
    }
    throw InputError(text);
}

bool TraceSource::read() {
    if (!reader_->read(record_)) {
        if (records_ == 0) {
            refuse_emptiness();
        }
        return false;
    }
    if (records_++ == 0) {
        origin_ns_ = record_.time_ns;
    } else if (record_.time_ns < last_ns_) {
        throw InputError(where() + ": time goes back: found " + std::to_string(record_.time_ns) +
                         " ns, expected at least " + std::to_string(last_ns_) +
                         " ns, the time of the request before");
    }
    last_ns_ = record_.time_ns;
    return true;
}

/// Reads the next record between --trace-from and --trace-until.
bool TraceSource::read_selected() {
    const TraceSelection& selection = options_.selection;
    const auto from_ns = static_cast<std::uint64_t>(selection.from.count() / kPsPerNs);
    while (read()) {
        const std::uint64_t since = record_.time_ns - origin_ns_;
        if (selection.until && since >= static_cast<std::uint64_t>(selection.until->count() / kPsPerNs)) {
            break;
        }
        if (since >= from_ns) {
            ++selected_;
            return true;
        }
        ++account_.outside;
    }
    if (selected_ == 0) {
        throw InputError(options_.path +
                         ": holds no requests between --trace-from and --trace-until; its last one read is " +
                         std::to_string(last_ns_ - origin_ns_) + " ns after the first");
    }
    return false;
}

void TraceSource::skip_ahead() {
    for (std::uint64_t i = 0; i < options_.skip; ++i) {
        if (!read_selected()) {
            throw InputError(options_.path + ": found " + std::to_string(selected_) +
                             " requests, expected more than " + std::to_string(options_.skip) +
                             " to leave out");
        }
    }
    account_.outside += options_.skip;
}

const TraceAccount& TraceSource::account() {
    account_.counts = reader_->counts();
    account_.devices.clear();
    for (std::size_t i = 0; i < by_device_.size(); ++i) {
        if (by_device_[i] > 0 && i < reader_->devices().size()) {
            account_.devices.push_back({reader_->devices()[i], by_device_[i]});
        }
    }
    return account_;
}

bool TraceSource::next(Request& request) {
    if (!rest_.empty()) {
        std::swap(request, rest_.back());
        rest_.pop_back();
        return true;
    }
    if ((options_.limit > 0 && given_ >= options_.limit) || !read_selected()) {
        return false;
    }
    if (given_++ == 0) {
        first_ns_ = record_.time_ns;
    }
    const std::uint64_t since_first = record_.time_ns - first_ns_;
    if (since_first > kLongestSpanNs) {
        throw InputError(where() + ": found a time " + std::to_string(since_first) +
                         " ns after the first request, expected at most " + std::to_string(kLongestSpanNs) +
                         " ns (104 days)");
    }
    record_.request.arrival = Ps{static_cast<std::int64_t>(since_first) * kPsPerNs};
    account_.span = record_.request.arrival;
    account_.add(record_.request, record_.zeroes);
    if (record_.device >= by_device_.size()) {
        by_device_.resize(record_.device + 1);
    }
    ++by_device_[record_.device];
    options_.selection.move(record_.request, [this] { return where(); });
    fitter_->apply(record_.request, rest_, [this] { return where(); });
    std::swap(request, record_.request);
    return true;
}

std::unique_ptr<TraceSource> open_trace(const TraceOptions& options) {
    return std::make_unique<TraceSource>(options);
}

}  // namespace solidtlm::testbench
