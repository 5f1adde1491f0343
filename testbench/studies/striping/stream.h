// SPDX-License-Identifier: Apache-2.0
//
// One kind of traffic that a striping study sends, and what of it is measured: reads of data that lies in
// flash, and writes to a fresh device, both in a steady state.
#pragma once

#include <cstdint>

#include "platform/configuration.h"
#include "testbench/host/request.h"
#include "testbench/workload/random.h"

namespace solidtlm::testbench::striping {

struct Stream {
    Operation operation = Operation::read;  ///< read or write
    bool sequential = true;                 ///< else uniform random, aligned to `bytes`
    std::uint32_t bytes = 131072;           ///< of a request, a multiple of 512
    std::uint32_t depth = 32;               ///< requests outstanding
};

/// How much of a stream is sent. Bytes are multiples of Stream::bytes.
struct StreamPlan {
    std::uint64_t region_bytes = 0;  ///< addresses from 0
    std::uint64_t fill_bytes = 0;    ///< written first, 128 KiB at a time, and flushed; 0: a fresh device
    std::uint64_t warm_up = 0;       ///< requests of the stream that are not measured
    std::uint64_t measured = 0;      ///< requests that are

    /// Commands that come before the first measured one, the fill and its flush included.
    [[nodiscard]] std::uint64_t commands_before() const;
};

/// Reads: fills twice the write buffer or more, so much that every parallel unit gets as many whole
/// superblocks (striping none) or superpages (full) as any other. Writes: warms up until the write buffer is
/// full, which the link does `fill_share` (0 to 1) faster than the flash empties it, and stops before garbage
/// collection begins. `measured` at most. Throws InputError when the device is too small for it.
[[nodiscard]] StreamPlan plan_stream(const platform::Configuration& configuration, const Stream& stream,
                                     std::uint64_t measured, double fill_share);

/// The requests of a plan.
class StreamSource : public RequestSource {
  public:
    StreamSource(const Stream& stream, const StreamPlan& plan, std::uint64_t seed)
        : stream_(stream), plan_(plan), random_(seed) {}

    bool next(Request& request) override;

  private:
    Stream stream_;
    StreamPlan plan_;
    Random random_;
    std::uint64_t filled_ = 0;
    bool flushed_ = false;
    std::uint64_t made_ = 0;
};

}  // namespace solidtlm::testbench::striping
