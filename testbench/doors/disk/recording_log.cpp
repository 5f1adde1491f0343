// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/recording_log.h"

#include <spdlog/fmt/fmt.h>

namespace solidtlm::testbench::disk {
namespace {

constexpr std::int64_t kPicoseconds = 1000;  // ps per nanosecond
constexpr std::int64_t kMicrosecond = 1000;  // ns per microsecond

std::string microseconds(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / kMicrosecond, ns % kMicrosecond);
}

/// `op lba512 nsect tag extra`. The drive assigns tags, and readers ignore them.
std::string fields(const Request& request) {
    switch (request.operation) {
        case Operation::read:
            return fmt::format("R\t{}\t{}\t0\t", request.lba.value, request.sectors);
        case Operation::write:
            return fmt::format("W\t{}\t{}\t0\t{}", request.lba.value, request.sectors,
                               request.fua ? "FUA" : "");
        case Operation::trim:
            return fmt::format("T\t0\t0\t-1\tn=1:{}+{}", request.ranges.front().lba.value,
                               request.ranges.front().sectors);
        default:
            return "F\t0\t0\t-1\t";
    }
}

}  // namespace

void RecordingLog::begun(std::uint64_t /*number*/, const Request& request) {
    Line& line = lines_.emplace_back();
    line.arrival = request.arrival;
    line.text = fmt::format("{}\t{}", microseconds(request.arrival.count() / kPicoseconds), fields(request));
    line.queued = request.operation == Operation::read || request.operation == Operation::write;
}

void RecordingLog::ended(std::uint64_t number, Ps now) {
    Line& line = lines_[number - first_];
    line.ended = true;
    line.latency = now - line.arrival;
    for (; !lines_.empty() && lines_.front().ended; lines_.pop_front(), ++first_) {
        const Line& first = lines_.front();
        // rounded up, so that no request ends too early
        const std::int64_t ns = (first.latency.count() + kPicoseconds - 1) / kPicoseconds;
        file_.write(first.text + "\t" + (first.queued ? microseconds(ns) : "") + "\n");
    }
}

}  // namespace solidtlm::testbench::disk
