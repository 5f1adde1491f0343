// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::fw {

/// What booting after a loss of power took.
struct RecoveryReport {
    hal::Ps scan{0};                      ///< reading spare areas, and erasing again what was being erased
    hal::Ps total{0};                     ///< from power-on to the first command fetched
    hal::Ps log{0};                       ///< reading the recovery log, where there is one
    std::uint64_t log_pages = 0;          ///< read in it
    std::uint64_t reads = 0;              ///< superpages whose spare areas were read
    std::uint64_t unreadable = 0;         ///< of these, torn
    std::uint64_t erased_again = 0;       ///< superblocks
    std::uint64_t recovered_units = 0;    ///< logical pages found
    std::uint64_t translation_pages = 0;  ///< written again, where the map is cached
};

}  // namespace solidtlm::fw
