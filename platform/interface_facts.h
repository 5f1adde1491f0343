// SPDX-License-Identifier: Apache-2.0
//
// What the rest of a drive and its host must know of the interface that was chosen.
#pragma once

#include <cstdint>

#include "platform/configuration.h"

namespace solidtlm::platform {

struct InterfaceFacts {
    std::uint32_t commands = 0;     ///< that firmware carries out at once
    std::uint32_t queue_depth = 0;  ///< commands that the host has outstanding unless it is told otherwise
    std::uint32_t most_depth = 0;   ///< that the drive's tags or the host's queues have room for
    bool write_cache = false;       ///< of the volatile write cache, when power comes
    bool deterministic_after_trim = false;  ///< a trimmed sector always reads the same
    bool zeros_after_trim = false;          ///< it reads zeros
};

[[nodiscard]] InterfaceFacts interface_facts(const Configuration& configuration);

}  // namespace solidtlm::platform
