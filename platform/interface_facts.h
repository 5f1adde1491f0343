// SPDX-License-Identifier: Apache-2.0
//
// Properties of the chosen interface that the rest of a drive and its host need.
#pragma once

#include <cstdint>

#include "platform/configuration.h"

namespace solidtlm::platform {

struct InterfaceFacts {
    std::uint32_t commands = 0;     ///< that firmware can carry out at the same time
    std::uint32_t queue_depth = 0;  ///< commands that the host keeps outstanding by default
    std::uint32_t most_depth = 0;   ///< most commands that the drive's tags or the host's queues can hold
    bool write_cache = false;       ///< the volatile write cache is on when power comes
    bool deterministic_after_trim = false;  ///< a trimmed sector always reads the same
    bool zeros_after_trim = false;          ///< a trimmed sector reads as zeros
};

[[nodiscard]] InterfaceFacts interface_facts(const Configuration& configuration);

}  // namespace solidtlm::platform
