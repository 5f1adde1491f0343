// SPDX-License-Identifier: Apache-2.0
//
// The counts of a flash controller, put together from its parts.
#pragma once

#include <array>
#include <cstdint>

#include "fw/hal/metrics.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

using CountByCause = std::array<std::uint64_t, hal::kCauses>;
using TimeByCause = std::array<hal::Ps, hal::kCauses>;

/// Each plane's page or block counts once; a copy-back counts one read and one program. Times are counted
/// when their ends are known; the part that a suspension or a power cut ends is subtracted.
struct FlashControllerStatistics {
    CountByCause reads{};
    CountByCause programs{};
    CountByCause erases{};
    std::uint64_t slc_reads = 0;  ///< of the reads and programs, those in SLC mode
    std::uint64_t slc_programs = 0;
    std::uint64_t operations = 0;  ///< finished operations, including failed ones
    std::uint64_t failures = 0;    ///< of operations, those with a status other than ok
    std::uint64_t suspends = 0;
    std::uint64_t read_retries = 0;     ///< steps of the read-retry table
    std::uint64_t retried_reads = 0;    ///< operations that needed retries
    std::uint64_t recovered_reads = 0;  ///< retried reads that ECC could finally correct
    hal::Ps retrying{0};                ///< from the first failed decode until the die is at level 0 again
    TimeByCause bus_busy{};             ///< bus phases granted
    TimeByCause die_held{};             ///< from the grant of a die to its release, all dies
    TimeByCause array_busy{};  ///< R/B# low, all dies; planes that read by themselves count separately
    hal::Ps decoder_busy{0};
    hal::Ps encoder_busy{0};
    std::uint64_t bytes_out = 0;  ///< data cycles from the dies, including parity and metadata
    std::uint64_t bytes_in = 0;   ///< data cycles to the dies
    std::size_t max_queued = 0;   ///< longest queue of a die
    std::size_t max_bus_waiters = 0;
    std::uint64_t activations = 0;  ///< instants at which the controller granted dies and bus

    void tell(hal::Metrics& metrics) const;
    /// Reports counters that only exist with a read-retry table.
    void tell_retries(hal::Metrics& metrics) const;
    /// Reports counters that only exist with blocks in SLC mode.
    void tell_slc(hal::Metrics& metrics) const;
};

}  // namespace solidtlm::hw
