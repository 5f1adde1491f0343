// SPDX-License-Identifier: Apache-2.0
//
// What a sweep runs on its caches: the reads and writes of a workload or a trace, read once and kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/host/request.h"
#include "testbench/studies/load_properties.h"

namespace solidtlm::testbench::map_cache {

/// Trims and flushes are left out: the study knows none.
struct Access {
    Lba lba;
    std::uint32_t sectors = 0;
    bool write = false;
};

struct Load {
    std::string name;  ///< unique in a sweep
    std::vector<Access> accesses;
    LoadProperties properties;
    std::uint64_t page_requests = 0;  ///< mapping units touched
};

/// What to read: a workload as --workload takes it, or a trace's path.
struct LoadSpec {
    std::string text;
    bool trace = false;
};

/// In the order given. Throws InputError.
[[nodiscard]] std::vector<Load> read_loads(const std::vector<LoadSpec>& specs, const CommandLine& line);

/// Calls `visit(lpn, write, ahead)` for each page request of `access`, ascending; `ahead` more follow it.
template <class Visit>
void each_page_request(const Access& access, std::uint32_t unit_sectors, Visit visit) {
    const std::uint64_t first = access.lba.value / unit_sectors;
    const std::uint64_t last = (access.lba.value + access.sectors - 1) / unit_sectors;
    for (std::uint64_t unit = first; unit <= last; ++unit) {
        visit(hal::Lpn{static_cast<std::uint32_t>(unit)}, access.write,
              static_cast<std::uint32_t>(last - unit));
    }
}

}  // namespace solidtlm::testbench::map_cache
