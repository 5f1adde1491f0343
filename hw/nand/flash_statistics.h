// SPDX-License-Identifier: Apache-2.0
//
// What a flash controller has done so far, put together from its parts.
#pragma once

#include <array>
#include <cstdint>

#include "fw/hal/metrics.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

using CountByCause = std::array<std::uint64_t, hal::kCauses>;
using TimeByCause = std::array<hal::Ps, hal::kCauses>;

/// Each plane's page or block counts one; a copy-back counts one read and one program. Times are counted when
/// their ends are known; what a suspension or a power cut ends is taken back.
struct FlashControllerStatistics {
    CountByCause reads{};
    CountByCause programs{};
    CountByCause erases{};
    std::uint64_t slc_reads = 0;  ///< of the reads and programs, those in SLC mode
    std::uint64_t slc_programs = 0;
    std::uint64_t operations = 0;  ///< finished, failed ones included
    std::uint64_t failures = 0;    ///< of these, with a status other than ok
    std::uint64_t suspends = 0;
    std::uint64_t read_retries = 0;     ///< steps of the read-retry table
    std::uint64_t retried_reads = 0;    ///< operations that took any
    std::uint64_t recovered_reads = 0;  ///< retried reads that ECC corrected at last
    hal::Ps retrying{0};                ///< from the first failed decode until the die is at level 0 again
    TimeByCause bus_busy{};             ///< bus phases granted
    TimeByCause die_held{};             ///< from the grant of a die to its release, all dies
    TimeByCause array_busy{};           ///< R/B# low, all dies; planes that read by themselves count each
    hal::Ps decoder_busy{0};
    hal::Ps encoder_busy{0};
    std::uint64_t bytes_out = 0;  ///< data cycles from the dies, parity and metadata included
    std::uint64_t bytes_in = 0;   ///< and to them
    std::size_t max_queued = 0;   ///< longest queue of a die
    std::size_t max_bus_waiters = 0;
    std::uint64_t activations = 0;  ///< instants at which the controller granted dies and bus

    void tell(hal::Metrics& metrics) const;
    /// What only a drive with a read-retry table has.
    void tell_retries(hal::Metrics& metrics) const;
    /// What only a drive with blocks in SLC mode has.
    void tell_slc(hal::Metrics& metrics) const;
};

}  // namespace solidtlm::hw
