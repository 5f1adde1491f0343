// SPDX-License-Identifier: Apache-2.0
//
// Metrics that every translation layer reports.
#pragma once

#include <cstdint>

#include "fw/hal/metrics.h"

namespace solidtlm::fw {

inline void tell_destaging(hal::Metrics& metrics, std::uint64_t written, std::uint64_t padded,
                           std::uint64_t filled, std::uint64_t failures) {
    metrics.counter("ftl.written_units", "units", "units programmed for the host", written);
    metrics.counter("ftl.padded_units", "units",
                    "units of padding in superpages that the host filled in part", padded);
    metrics.counter("ftl.filled_units", "units",
                    "units completed with data from flash before they were programmed", filled);
    metrics.counter("ftl.program_failures", "programs", "programs for the host that failed", failures);
}

inline void tell_space(hal::Metrics& metrics, std::uint64_t free, std::uint64_t retired) {
    metrics.state("ftl.free_superblocks", "superblocks", "superblocks that are erased and free", free);
    metrics.state("ftl.retired_superblocks", "superblocks",
                  "superblocks retired after a failed program or erase", retired);
}

}  // namespace solidtlm::fw
