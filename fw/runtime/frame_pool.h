// SPDX-License-Identifier: Apache-2.0
//
// Memory for coroutine frames: free lists by size class, so that a command allocates nothing in steady state.
// Under AddressSanitizer every frame is a heap block of its own, so that use after destruction is caught.
#pragma once

#include <cstddef>

namespace solidtlm::fw {

/// Coroutines at once, at most, which bounds every list of those that wait. A boot spawns one for each
/// translation page: 2^32 entries of 4 bytes in pages of 2 KiB or more make 2^23. All others are a few for
/// each command and each die.
constexpr std::size_t kMostCoroutines = std::size_t{1} << 24U;

class FramePool {
  public:
    /// REQUIRES: bytes > 0.
    static void* allocate(std::size_t bytes);
    static void release(void* frame, std::size_t bytes) noexcept;
    /// That were allocated and not released.
    [[nodiscard]] static std::size_t frames();
};

}  // namespace solidtlm::fw
