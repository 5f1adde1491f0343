// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace solidtlm::fw {

/// Units that Translation::trim() unmaps before it yields, so that other work gets its turn on the core.
constexpr std::uint32_t kTrimSlice = 256;

}  // namespace solidtlm::fw
