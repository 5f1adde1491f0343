// SPDX-License-Identifier: Apache-2.0
//
// What a drive is asked to do: one of the study's two workloads, any other workload, or a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "testbench/cli/command_line.h"
#include "testbench/host/request.h"

namespace solidtlm::testbench::fragmentation {

constexpr const char* kIozone = "iozone";
constexpr const char* kPcApplication = "pc_application";

struct Load {
    std::string name;  ///< unique in a study
    CommandLine line;  ///< with one trace or one workload
};

/// Each of `names`, scaled, then the line's own workload or traces. Traces and other workloads are not
/// scaled.
[[nodiscard]] std::vector<Load> loads_of(const std::vector<std::string>& names, const CommandLine& line,
                                         double scale);

/// The requests, fitted to the capacity of `configuration`. Throws InputError.
[[nodiscard]] std::unique_ptr<RequestSource> open(const Load& load,
                                                  const platform::Configuration& configuration);

/// Table 1 and figure 5 of the study.
struct Profile {
    static constexpr std::size_t kTimes = 48;   ///< equal parts of the requests
    static constexpr std::size_t kPlaces = 24;  ///< equal parts of the addresses

    std::uint64_t requests = 0;  ///< reads and writes
    std::uint64_t bytes = 0;     ///< of these
    std::uint64_t written_bytes = 0;
    std::uint64_t pages_written = 0;  ///< mapping units touched by writes, each time
    /// MiB read or written, by place and time.
    std::vector<std::vector<double>> pattern;

    [[nodiscard]] double mean_kib() const;
};
/// Reads the load twice. Throws InputError.
[[nodiscard]] Profile profile_of(const Load& load, const platform::Configuration& configuration);

/// Calls `visit(lpn)` for each mapping unit that `sectors` from `lba` on touch, ascending.
template <class Visit>
void each_unit(Lba lba, std::uint64_t sectors, std::uint32_t unit_bytes, Visit visit) {
    const std::uint64_t unit_sectors = unit_bytes / hal::kSectorBytes;
    const std::uint64_t end = lba.value + sectors;
    for (std::uint64_t unit = lba.value / unit_sectors; unit * unit_sectors < end; ++unit) {
        visit(hal::Lpn{static_cast<std::uint32_t>(unit)});
    }
}

}  // namespace solidtlm::testbench::fragmentation
