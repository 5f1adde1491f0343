// SPDX-License-Identifier: Apache-2.0
//
// Random reads of 4 KiB with TRIMs among them: what others wait for while a host frees space.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "testbench/host/request.h"
#include "testbench/workload/random.h"

namespace solidtlm::testbench::trim {

/// How the freed ranges are sent.
enum class Sending : std::uint8_t {
    none,
    one_a_command,  ///< not queued
    batched,        ///< 64 ranges a command, not queued
    queued          ///< one range a command, queued
};
constexpr std::array<std::string_view, 4> kSendingNames{"none", "per_extent", "batched", "queued"};

/// Reads in the first half of a region, TRIMs of 16 KiB in the second, each place once as long as there are
/// any. A TRIM comes with the read before it.
class MixedSource : public RequestSource {
  public:
    static constexpr std::uint64_t kRangeBytes = 16384;
    static constexpr std::uint64_t kReadBytes = 4096;
    static constexpr std::uint64_t kReadsPerRange = 16;
    static constexpr std::uint32_t kRangesPerCommand = 64;

    struct Load {
        std::uint64_t region_bytes = 0;
        std::uint64_t reads = 0;
        Ps interval{0};  ///< mean time between the arrivals of two reads, exponentially distributed
    };
    MixedSource(Sending sending, const Load& load, std::uint64_t seed)
        : sending_(sending), load_(load), half_bytes_(load.region_bytes / 2), random_(seed) {}

    bool next(Request& request) override;

  private:
    Sending sending_;
    Load load_;
    std::uint64_t half_bytes_;
    Random random_;
    std::uint64_t read_ = 0;
    double now_ps_ = 0.0;
    std::uint64_t freed_ = 0;  // ranges sent
};

}  // namespace solidtlm::testbench::trim
