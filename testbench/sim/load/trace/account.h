// SPDX-License-Identifier: Apache-2.0
//
// What was read from a trace: its format, how the format was recognised, and what the trace holds. The user
// need not guess.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/load/trace/reader.h"

namespace solidtlm::testbench {

/// Addresses are those in the file, before they are moved or fitted to a drive.
struct TraceAccount {
    struct Device {
        std::string name;
        std::uint64_t requests = 0;
    };

    std::string path;
    std::string format;
    std::string why;  ///< why the trace was taken for this format
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;        ///< including write-zeroes commands
    std::uint64_t write_zeroes = 0;  ///< write-zeroes commands, which are writes of zero blocks
    std::uint64_t trims = 0;
    std::uint64_t flushes = 0;
    std::uint64_t lowest_sector = ~std::uint64_t{0};
    std::uint64_t extent_sectors = 0;  ///< end of the highest range
    Ps span{0};                        ///< from the first to the last arrival
    std::uint64_t outside = 0;         ///< requests before --trace-from or skipped
    std::vector<Device> devices;       ///< devices with requests, in order of first appearance
    TraceCounts counts;

    [[nodiscard]] std::uint64_t requests() const { return reads + writes + trims + flushes; }
    [[nodiscard]] bool has_addresses() const { return lowest_sector < extent_sectors; }

    /// `zeroes`: the request is a write-zeroes command.
    void add(const Request& request, bool zeroes);
};

}  // namespace solidtlm::testbench
