// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fw/hal/horizon.h"
#include "platform/units.h"
#include "testbench/studies/trim/trim.h"

namespace solidtlm::testbench::trim {
namespace {

/// Most bytes trimmed at each point: more of the large ranges gives no new information.
constexpr std::uint64_t kMostBytes = 256ULL << 20U;

/// Space per range in the region.
std::uint64_t pitch(const Shape& shape) {
    return shape.contiguous ? shape.bytes : 2 * shape.bytes;
}

/// Offset of ranges from multiples of their size, in sectors.
std::uint64_t draw_shift(const Shape& shape, Random& random) {
    const std::uint64_t grains = shape.bytes / shape.grain_bytes;
    return shape.aligned ? 0 : (1 + 2 * random.below(grains / 2)) * (shape.grain_bytes / hal::kSectorBytes);
}

/// A contiguous chain that does not begin at a multiple of its ranges' size ends past such a multiple.
std::uint64_t places(const Shape& shape, std::uint64_t region_bytes) {
    if (!shape.aligned && shape.bytes < 2 * shape.grain_bytes) {
        return 0;
    }
    const std::uint64_t all = region_bytes / pitch(shape);
    return shape.contiguous && !shape.aligned && all > 0 ? all - 1 : all;
}

}  // namespace

std::string Shape::name() const {
    return fmt::format("{} {} {} x {}", contiguous ? "contiguous" : "scattered",
                       aligned ? "aligned" : "unaligned", ranges, platform::format_size(bytes));
}

std::optional<ShapePlan> plan_shape(const Shape& shape, std::uint64_t region_bytes, std::uint64_t most) {
    const std::uint64_t room = places(shape, region_bytes);
    const std::uint64_t ranges = std::min({room, most, kMostBytes / shape.bytes});
    const std::uint64_t commands = std::max<std::uint64_t>(ranges / shape.ranges, 1);
    return room >= shape.ranges ? std::optional(ShapePlan{shape, region_bytes, commands}) : std::nullopt;
}

ShapeSource::ShapeSource(const ShapePlan& plan, std::uint64_t seed)
    : plan_(plan), random_(seed), sectors_(plan.shape.bytes / hal::kSectorBytes) {
    if (plan.shape.contiguous) {
        shift_ = draw_shift(plan.shape, random_);
        return;
    }
    slots_.resize(places(plan.shape, plan.region_bytes));
    std::iota(slots_.begin(), slots_.end(), 0U);
    for (std::size_t left = slots_.size(); left > 1; --left) {
        std::swap(slots_[left - 1], slots_[random_.below(left)]);
    }
}

std::uint64_t ShapeSource::place(std::uint64_t index) {
    if (plan_.shape.contiguous) {
        return index * sectors_ + shift_;
    }
    return 2 * sectors_ * slots_[index] + draw_shift(plan_.shape, random_);
}

bool ShapeSource::next(Request& request) {
    request.clear();
    if (done_ == plan_.commands * plan_.shape.ranges) {
        return false;
    }
    request.operation = Operation::trim;
    request.queued = false;
    for (std::uint32_t i = 0; i < plan_.shape.ranges; ++i) {
        request.ranges.push_back(TrimRange{Lba{place(done_++)}, static_cast<std::uint32_t>(sectors_)});
    }
    return true;
}

bool MixedSource::next(Request& request) {
    request.clear();
    const std::uint32_t batch = sending_ == Sending::batched ? kRangesPerCommand : 1;
    if (sending_ != Sending::none && read_ >= (freed_ + batch) * kReadsPerRange) {
        request.operation = Operation::trim;
        request.arrival = hal::nearest_instant(now_ps_);
        request.queued = sending_ == Sending::queued;
        const std::uint64_t places = half_bytes_ / (2 * kRangeBytes);
        for (std::uint32_t i = 0; i < batch; ++i) {
            // Steps of a prime that does not divide the number of places visit each place once before any is
            // repeated.
            constexpr std::uint64_t kPrime = 2'147'483'647;
            const std::uint64_t at = half_bytes_ + 2 * kRangeBytes * (freed_++ * kPrime % places);
            request.ranges.push_back(TrimRange{Lba{at / hal::kSectorBytes}, kRangeBytes / hal::kSectorBytes});
        }
        return true;
    }
    if (read_ == load_.reads) {
        return false;
    }
    ++read_;
    now_ps_ -= std::log1p(-random_.real()) * static_cast<double>(load_.interval.count());
    request.operation = Operation::read;
    request.arrival = hal::nearest_instant(now_ps_);
    request.lba = Lba{random_.below(half_bytes_ / kReadBytes) * (kReadBytes / hal::kSectorBytes)};
    request.sectors = kReadBytes / hal::kSectorBytes;
    return true;
}

}  // namespace solidtlm::testbench::trim
