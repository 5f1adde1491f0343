// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <string>

#include "testbench/studies/striping/striping.h"

namespace solidtlm::testbench::striping {
namespace {

constexpr std::uint64_t kFillBytes = 131072;
/// The part of the exported capacity that a stream of writes may use without starting garbage collection,
/// even if random addresses with static allocation load parallel units unevenly.
constexpr std::uint64_t kWritablePercent = 70;
constexpr double kLeastFillShare = 0.05;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

[[noreturn]] void too_small(const platform::Configuration& configuration, std::uint64_t needed) {
    throw InputError("the device is too small: it exports " + std::to_string(configuration.exported_bytes()) +
                     " bytes, the study needs " + std::to_string(needed) +
                     "; allowed: more nand.geometry.blocks, a smaller firmware.write_buffer.size or fewer "
                     "--requests");
}

/// The smallest amount that gives every parallel unit the same number of bytes, in whole requests of fill and
/// stream.
std::uint64_t round_bytes(const platform::Configuration& configuration, const Stream& stream) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const bool striped = configuration.firmware.allocation.striping == fw::StripingMode::full;
    const std::uint64_t planes = std::uint64_t{geometry.total_dies()} * geometry.planes;
    const std::uint64_t same = planes * (striped ? geometry.page_bytes : geometry.block_bytes());
    return std::lcm(same, std::max<std::uint64_t>(kFillBytes, stream.bytes));
}

StreamPlan plan_reads(const platform::Configuration& configuration, const Stream& stream,
                      std::uint64_t measured) {
    StreamPlan plan;
    const std::uint64_t round = round_bytes(configuration, stream);
    const std::uint64_t most = configuration.exported_bytes() / round * round;
    plan.fill_bytes = round_up(2 * configuration.firmware.write_buffer.size_bytes, round);
    if (plan.fill_bytes > most) {
        too_small(configuration, plan.fill_bytes);
    }
    plan.region_bytes = plan.fill_bytes;
    plan.warm_up = std::uint64_t{stream.depth} * 8;
    plan.measured = measured;
    plan.waits = configuration.has_nvme();
    return plan;
}

StreamPlan plan_writes(const platform::Configuration& configuration, const Stream& stream,
                       std::uint64_t measured, double fill_share) {
    StreamPlan plan;
    const std::uint64_t buffer = configuration.firmware.write_buffer.size_bytes;
    const std::uint64_t writable =
        configuration.exported_bytes() / 100 * kWritablePercent / stream.bytes * stream.bytes;
    // Twice the amount that fills the buffer, so that without striping the superblocks under way have also
    // settled. If flash nearly keeps up with the link, filling takes long, and both rates are the same.
    const double fills = 2.0 / std::max(fill_share, kLeastFillShare);
    const std::uint64_t needed =
        round_up(static_cast<std::uint64_t>(fills * static_cast<double>(buffer)), stream.bytes);
    const std::uint64_t warm_up = std::min(needed, writable / 2 / stream.bytes * stream.bytes);
    if (warm_up < 2 * buffer) {
        too_small(configuration, 4 * buffer);
    }
    plan.region_bytes = configuration.exported_bytes() / stream.bytes * stream.bytes;
    plan.warm_up = warm_up / stream.bytes;
    plan.measured = std::min(measured, writable / stream.bytes - plan.warm_up);
    return plan;
}

}  // namespace

std::uint64_t StreamPlan::commands_before() const {
    return (fill_bytes > 0 ? fill_bytes / kFillBytes + 1 : 0) + warm_up;
}

StreamPlan plan_stream(const platform::Configuration& configuration, const Stream& stream,
                       std::uint64_t measured, double fill_share) {
    return stream.operation == Operation::read ? plan_reads(configuration, stream, measured)
                                               : plan_writes(configuration, stream, measured, fill_share);
}

bool StreamSource::filling() const {
    return plan_.waits && completed_ < plan_.fill_bytes / kFillBytes + (flushed_ ? 1 : 0);
}

bool StreamSource::next(Request& request) {
    request.clear();
    if (filled_ < plan_.fill_bytes) {
        request.operation = Operation::write;
        request.lba = Lba{filled_ / hal::kSectorBytes};
        request.sectors = kFillBytes / hal::kSectorBytes;
        filled_ += kFillBytes;
        return true;
    }
    if (filling()) {
        return false;  // until more requests have ended
    }
    if (plan_.fill_bytes > 0 && !flushed_) {
        flushed_ = true;
        request.operation = Operation::flush;
        return true;
    }
    if (ended()) {
        return false;
    }
    const std::uint64_t slots = plan_.region_bytes / stream_.bytes;
    const std::uint64_t slot = stream_.sequential ? made_ % slots : random_.below(slots);
    request.operation = stream_.operation;
    request.lba = Lba{slot * (stream_.bytes / hal::kSectorBytes)};
    request.sectors = stream_.bytes / hal::kSectorBytes;
    ++made_;
    return true;
}

}  // namespace solidtlm::testbench::striping
