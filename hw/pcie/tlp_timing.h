// SPDX-License-Identifier: Apache-2.0
//
// Computes how long a piece of DMA holds a direction of a PCI Express link, in closed form: the bytes of all
// its TLPs, times the time of a byte.
//
// A TLP has 8 bytes of framing (sequence number, LCRC, start and end), a header of 16 bytes for requests to
// addresses from 4 GiB on and of 12 bytes for requests below and for completions, and its payload in dwords.
// Requester and root split at natural boundaries: no write crosses a multiple of MPS, no read request one of
// MRRS, no completion one of its limit. So nothing crosses 4 KiB, which is the standard's rule.
//
// The sizes are those of pcie-bench (Neugebauer et al., SIGCOMM 2018, doi 10.1145/3230543.3230560), and so is
// the default share of DLLPs: an ACK and an update of flow control, 8 bytes each, after as many bytes as the
// standard's table of ACK latency limits has symbol times, and 4 bytes of SKP in 1538. That is cautious: a
// symbol time is a byte on every lane, which is PcieDllps::per_lane.
#pragma once

#include <cstdint>

#include "hw/pcie/config.h"

namespace solidtlm::hw {

/// Millionths of the line's time, by PcieConfig::dllps, generation, lanes and MPS.
[[nodiscard]] std::uint32_t dllp_share_ppm(const PcieConfig& config);

class TlpTiming {
  public:
    /// REQUIRES: the configuration is within its bounds, completion_bytes at most most_of_completion().
    explicit TlpTiming(const PcieConfig& config);

    /// TLPs and their bytes on the wire, framing included.
    struct Wire {
        std::uint64_t tlps = 0;
        std::uint64_t bytes = 0;
    };
    // REQUIRES of all: bytes > 0.
    [[nodiscard]] Wire write(std::uint64_t address, std::uint64_t bytes) const;
    /// The requests of a read.
    [[nodiscard]] Wire read_requests(std::uint64_t address, std::uint64_t bytes) const;
    /// The data of a read.
    [[nodiscard]] Wire completions(std::uint64_t address, std::uint64_t bytes) const;

    /// The time of bytes on the wire, rounded once, to the nearest picosecond. A byte's time is kept in
    /// 2^-20 ps, so that the sum over 4 KiB is exact to 0.002 ps.
    [[nodiscard]] hal::Ps time(Wire wire) const {
        return hal::Ps{static_cast<std::int64_t>((wire.bytes * byte_time_ + kHalf) >> kFraction)};
    }
    [[nodiscard]] const PcieConfig& config() const { return config_; }

  private:
    static constexpr unsigned kFraction = 20;
    static constexpr std::uint64_t kHalf = std::uint64_t{1} << (kFraction - 1);
    [[nodiscard]] std::uint64_t request_bytes(std::uint64_t address) const;

    PcieConfig config_;
    std::uint64_t framing_;           // of each TLP, ECRC included
    std::uint64_t completion_bytes_;  // most of a completion
    std::uint64_t byte_time_;
};

}  // namespace solidtlm::hw
