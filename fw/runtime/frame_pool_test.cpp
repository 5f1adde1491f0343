// SPDX-License-Identifier: Apache-2.0
#include "fw/runtime/frame_pool.h"

#include <gtest/gtest.h>

#include "fw/runtime/sanitized.h"

// The run-time library of the sanitizer, if it is linked.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((weak)) void __asan_init();

namespace solidtlm::fw {
namespace {

TEST(Sanitized, SaysWhetherTheSanitizerIsThere) {
    EXPECT_EQ(kAddressSanitizer, &__asan_init != nullptr);
}

TEST(FramePool, GivesAFrameOutAgainUnlessUseAfterDestructionIsToBeSeen) {
    constexpr std::size_t kFrame = 200;
    auto* first = static_cast<volatile char*>(FramePool::allocate(kFrame));
    *first = 1;
    FramePool::release(const_cast<char*>(first), kFrame);
    void* second = FramePool::allocate(kFrame);
    if (kAddressSanitizer) {
        EXPECT_NE(second, first);
        EXPECT_DEATH(*first = 2, "use-after-free");
    } else {
        EXPECT_EQ(second, first);
    }
    FramePool::release(second, kFrame);
}

TEST(FramePool, LargeFramesComeFromTheHeap) {
    constexpr std::size_t kLarge = 1 << 20U;
    auto* frame = static_cast<char*>(FramePool::allocate(kLarge));
    frame[kLarge - 1] = 1;
    FramePool::release(frame, kLarge);
}

}  // namespace
}  // namespace solidtlm::fw
