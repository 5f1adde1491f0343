// SPDX-License-Identifier: Apache-2.0
//
// Memory for coroutine frames: free lists by size class, so that a command allocates nothing in steady state.
// Under AddressSanitizer every frame is a heap block of its own, so that use after destruction is caught.
#pragma once

#include <cstddef>

namespace solidtlm::fw {

class FramePool {
  public:
    static void* allocate(std::size_t bytes);
    static void release(void* frame, std::size_t bytes) noexcept;
};

}  // namespace solidtlm::fw
