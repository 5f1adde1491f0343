// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/mixed_source.h"

#include <cmath>

namespace solidtlm::testbench::trim {

bool MixedSource::next(Request& request) {
    request.clear();
    const std::uint32_t batch = sending_ == Sending::batched ? kRangesPerCommand : 1;
    if (sending_ != Sending::none && read_ >= (freed_ + batch) * kReadsPerRange) {
        request.operation = Operation::trim;
        request.arrival = Ps{std::llround(now_ps_)};
        request.queued = sending_ == Sending::queued;
        const std::uint64_t places = half_bytes_ / (2 * kRangeBytes);
        for (std::uint32_t i = 0; i < batch; ++i) {
            // Steps of a prime that does not divide the number of places visit each before any again.
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
    request.arrival = Ps{std::llround(now_ps_)};
    request.lba = Lba{random_.below(half_bytes_ / kReadBytes) * (kReadBytes / hal::kSectorBytes)};
    request.sectors = kReadBytes / hal::kSectorBytes;
    return true;
}

}  // namespace solidtlm::testbench::trim
