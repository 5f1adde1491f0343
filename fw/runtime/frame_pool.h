// SPDX-License-Identifier: Apache-2.0
//
// Memory for coroutine frames: free lists by size class, so that a command allocates nothing in steady state.
// Under AddressSanitizer every frame is a separate heap block, so that use after destruction is detected.
#pragma once

#include <cstddef>

namespace solidtlm::fw {

class FramePool {
  public:
    /// REQUIRES: bytes > 0.
    static void* allocate(std::size_t bytes);
    static void release(void* frame, std::size_t bytes) noexcept;
    /// Frames that are allocated and not released.
    [[nodiscard]] static std::size_t frames();
};

}  // namespace solidtlm::fw
