// SPDX-License-Identifier: Apache-2.0
//
// The times of a request's steps by data sheet if nothing else is going on. The studies compute their closed
// bounds from them. Times are in microseconds.
#pragma once

#include <cstdint>

#include "platform/configuration.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// Number of planes that are programmed together.
[[nodiscard]] std::uint32_t planes_of(const platform::Configuration& configuration);

/// Data bytes of a page, or of a word line if those are programmed as a whole, on each of these planes.
[[nodiscard]] std::uint32_t superpage_bytes(const platform::Configuration& configuration);

/// Cost of one flash operation.
struct FlashCost {
    double bus_us = 0.0;  ///< time for which the channel is held
    double die_us = 0.0;  ///< time for which the die is held, including its bus phases
    /// Between the commands of a multi-plane operation, the bus is free for tDBSY and goes to another die of
    /// the channel that has data waiting: the operation is then delayed by this time. 0 for one plane, and
    /// for word lines that are programmed as a whole, because their many transfers keep dies out of step (2
    /// dies always; 3 or 4 lose 2 to 5 %).
    double foreign_us = 0.0;
};
/// Reads the first `bytes` of a page on each of `planes` planes, in whole codewords. `slc`: in SLC mode.
[[nodiscard]] FlashCost read_cost(const platform::Configuration& configuration, std::uint32_t planes,
                                  std::uint32_t bytes, bool slc = false);
/// Programs a page on each of `planes` planes. Outside SLC mode, this is a whole word line if those are
/// written as a whole, in one operation or page by page.
[[nodiscard]] FlashCost program_cost(const platform::Configuration& configuration, std::uint32_t planes,
                                     bool slc = false);

/// Reads the metadata alone of a page on each of `planes` planes.
[[nodiscard]] FlashCost metadata_read_cost(const platform::Configuration& configuration, std::uint32_t planes,
                                           bool slc);
/// Copies a page on each of `planes` planes inside the die (00h-5A-35h, tR, 85h-5A-85h-2A-metadata-10h,
/// tPROG) from SLC mode to normal mode. No page crosses the bus, and nothing is decoded.
[[nodiscard]] FlashCost copy_out_of_slc_cost(const platform::Configuration& configuration,
                                             std::uint32_t planes);

/// From the arrival of the last codeword until it is decoded; 0 without ECC.
[[nodiscard]] double decode_us(const platform::Configuration& configuration);

/// MB/s of `parallel` resources that each move `bytes` in `time_us`. If that takes no time, there is no
/// limit; JSON cannot express infinity, so the result is at most 1e9.
[[nodiscard]] double bound_mb_per_s(double parallel, double bytes, double time_us);

/// MB/s of all dies together if each operation moves `bytes`, costs this, and all dies do the same: the
/// channels or the dies are the limit.
[[nodiscard]] double bound_mb_per_s(const platform::Configuration& configuration, const FlashCost& cost,
                                    double bytes);

/// The same for pages that are programmed in SLC mode.
[[nodiscard]] double slc_program_mb_per_s(const platform::Configuration& configuration);

/// Time of a read's or write's frames on the link; 0 for an ideal link.
[[nodiscard]] double link_us(const platform::Configuration& configuration, Operation operation,
                             std::uint32_t bytes);

/// Mean number of busy dies out of `dies` if `requests` are outstanding, each wants a random die, and all
/// take the same time (Baskett and Smith 1976, memory interference).
[[nodiscard]] double busy_dies(double requests, double dies);

}  // namespace solidtlm::testbench
