// SPDX-License-Identifier: Apache-2.0
//
// Computes how long a frame holds the link: FIS dwords + SOF, CRC and EOF, two ALIGN primitives in every 256
// dwords, and per frame a turnaround (X_RDY/R_RDY, WTRM/R_OK, SYNC, PHY latency), in dword times of 26.67,
// 13.33 or 6.67 ns (a dword is 40 bits with 8b/10b) and in time that does not change with the speed. On an
// ideal link a frame takes no time.
#pragma once

#include "hw/sata/config.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

class FrameTiming {
  public:
    explicit FrameTiming(const SataConfig& config)
        : turnaround_dwords_(config.turnaround_dwords),
          turnaround_time_(config.generation == SataGeneration::ideal ? Ps{0} : config.turnaround_time),
          three_dwords_ps_(config.generation == SataGeneration::ideal
                               ? 0
                               : std::uint64_t{160000} >> static_cast<unsigned>(config.generation)) {}

    /// The time of a frame, rounded once, to the nearest picosecond. `fis_bytes` is a multiple of 4: header
    /// and payload.
    [[nodiscard]] Ps frame_time(std::uint64_t fis_bytes) const {
        const std::uint64_t framed = fis_bytes / 4 + kFramingDwords;
        // dword times * kDataDwords, so that everything up to the division is exact
        const std::uint64_t scaled = framed * kAlignPeriod + turnaround_dwords_ * kDataDwords;
        const std::uint64_t divisor = 3 * kDataDwords;
        const std::uint64_t dwords_ps = (scaled * three_dwords_ps_ + divisor / 2) / divisor;
        return turnaround_time_ + Ps{static_cast<std::int64_t>(dwords_ps)};
    }

  private:
    static constexpr std::uint64_t kFramingDwords = 3;  // SOF, CRC, EOF
    static constexpr std::uint64_t kAlignPeriod = 256;
    static constexpr std::uint64_t kDataDwords = 254;  // the other two are ALIGN
    std::uint64_t turnaround_dwords_;
    Ps turnaround_time_;
    std::uint64_t three_dwords_ps_;  // three dword times are whole: 80, 40 or 20 ns; ideal: 0
};

}  // namespace solidtlm::hw
