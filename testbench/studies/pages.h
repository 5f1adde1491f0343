// SPDX-License-Identifier: Apache-2.0
//
// The unit of load properties: pages of 4 KiB.
#pragma once

#include <cstdint>

namespace solidtlm::testbench {

constexpr std::uint64_t kPageSectors = 8;

/// 0 if the divisor is 0.
[[nodiscard]] inline double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace solidtlm::testbench
