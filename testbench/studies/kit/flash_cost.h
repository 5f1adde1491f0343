// SPDX-License-Identifier: Apache-2.0
//
// How long the steps of a request take by data sheet if nothing else is going on. The studies make their
// closed bounds from this. Times are in microseconds.
#pragma once

#include <cstdint>

#include "platform/configuration.h"
#include "testbench/host/request.h"

namespace solidtlm::testbench {

/// Planes that are programmed at once.
[[nodiscard]] std::uint32_t planes_of(const platform::Configuration& configuration);

/// Data of a page, or of a word line if those are programmed at once, on each of these planes.
[[nodiscard]] std::uint32_t superpage_bytes(const platform::Configuration& configuration);

/// One flash operation.
struct FlashCost {
    double bus_us = 0.0;  ///< channel held
    double die_us = 0.0;  ///< die held, its bus phases included
    /// Between the commands of a multi-plane operation the bus is free for tDBSY, and goes to another die of
    /// the channel that waits with data: this long the operation is held up then. 0 for one plane, and for
    /// word lines that are programmed at once: their many transfers make dies keep out of each other's way
    /// (2 dies always; 3 or 4 lose 2 to 5 %).
    double foreign_us = 0.0;
};
/// Reads the first `bytes` of a page on each of `planes` planes, in whole codewords. `slc`: in SLC mode.
[[nodiscard]] FlashCost read_cost(const platform::Configuration& configuration, std::uint32_t planes,
                                  std::uint32_t bytes, bool slc = false);
/// Programs a page on each of `planes` planes; but for SLC mode, a word line if those are written as a whole,
/// at once or page by page.
[[nodiscard]] FlashCost program_cost(const platform::Configuration& configuration, std::uint32_t planes,
                                     bool slc = false);

/// From the last codeword's arrival to its being decoded; 0 without ECC.
[[nodiscard]] double decode_us(const platform::Configuration& configuration);

/// MB/s of `parallel` resources that each move `bytes` in `time_us`. What takes no time is no limit, but JSON
/// knows no infinity: then, and at most, 1e9.
[[nodiscard]] double bound_mb_per_s(double parallel, double bytes, double time_us);

/// Time of a read's or write's frames on the link; 0 on an ideal one.
[[nodiscard]] double link_us(const platform::Configuration& configuration, Operation operation,
                             std::uint32_t bytes);

/// Busy dies of `dies` when `requests` are outstanding, each wants a random die, and all take the same time
/// (Baskett and Smith 1976, memory interference).
[[nodiscard]] double busy_dies(double requests, double dies);

}  // namespace solidtlm::testbench
