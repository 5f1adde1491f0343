// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace solidtlm::hal {

/// to ^= from, byte by byte. If `bytes` is 0, neither pointer is used.
inline void xor_onto(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        to[i] ^= from[i];
    }
}

}  // namespace solidtlm::hal
