// SPDX-License-Identifier: Apache-2.0
//
// Memory for coroutine frames: free lists by size class, so that a command allocates nothing in steady state.
// Under AddressSanitizer every frame is a separate heap block, so that use after destruction is detected.
#pragma once

#include <cstddef>

namespace solidtlm::fw {

/// Most coroutines at the same time, which limits every list of waiting ones. A boot spawns one per
/// translation page: 2^32 entries of 4 bytes in pages of 2 KiB or more make 2^23. All others are a few per
/// command and per die.
constexpr std::size_t kMostCoroutines = std::size_t{1} << 24U;

class FramePool {
  public:
    /// REQUIRES: bytes > 0.
    static void* allocate(std::size_t bytes);
    static void release(void* frame, std::size_t bytes) noexcept;
    /// Frames that are allocated and not released.
    [[nodiscard]] static std::size_t frames();
};

}  // namespace solidtlm::fw
