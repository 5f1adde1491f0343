// SPDX-License-Identifier: Apache-2.0
//
// What was read of a trace: its format, why it was taken for that, and what it holds. The user need not
// guess.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/trace/reader.h"

namespace solidtlm::testbench {

/// Addresses are those of the file, before they are moved or fitted to a drive.
struct TraceAccount {
    struct Device {
        std::string name;
        std::uint64_t requests = 0;
    };

    std::string path;
    std::string format;
    std::string why;  ///< it was taken for that one
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;  ///< write-zeroes commands (counts.write_zeroes) included
    std::uint64_t trims = 0;
    std::uint64_t flushes = 0;
    std::uint64_t lowest_sector = ~std::uint64_t{0};
    std::uint64_t extent_sectors = 0;  ///< end of the highest range
    Ps span{0};                        ///< from the first arrival to the last
    std::uint64_t outside = 0;         ///< requests before --trace-from or left out by skipping
    std::vector<Device> devices;       ///< with requests; in the order of their appearance
    TraceCounts counts;

    [[nodiscard]] std::uint64_t requests() const { return reads + writes + trims + flushes; }
    [[nodiscard]] bool has_addresses() const { return lowest_sector < extent_sectors; }

    void add(const Request& request);
};

}  // namespace solidtlm::testbench
