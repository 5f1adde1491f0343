// SPDX-License-Identifier: Apache-2.0
#include "fw/runtime/frame_pool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "fw/runtime/sanitized.h"

namespace {

std::size_t heap_allocations = 0;
std::size_t heap_releases = 0;

}  // namespace

// Counts the allocations of this executable.
// NOLINTBEGIN(cppcoreguidelines-no-malloc,hicpp-no-malloc,misc-new-delete-overloads)
void* operator new(std::size_t bytes) {
    ++heap_allocations;
    if (void* memory = std::malloc(bytes)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    ++heap_releases;
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    ++heap_releases;
    std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc,hicpp-no-malloc,misc-new-delete-overloads)

// The run-time library of the sanitizer, if it is linked.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((weak)) void __asan_init();

namespace solidtlm::fw {
namespace {

TEST(Sanitized, SaysWhetherTheSanitizerIsThere) {
    EXPECT_EQ(kAddressSanitizer, &__asan_init != nullptr);
}

TEST(FramePool, ReusesAFrameUnlessTheSanitizerWatchesIt) {
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

/// Heap allocations for one frame of `bytes` after another.
struct HeapUse {
    std::size_t allocations = 0;
    std::size_t releases = 0;
    bool operator==(const HeapUse&) const = default;
};
HeapUse heap_use_of(std::size_t bytes, int rounds) {
    const HeapUse before{heap_allocations, heap_releases};
    for (int round = 0; round < rounds; ++round) {
        auto* frame = static_cast<volatile char*>(FramePool::allocate(bytes));
        frame[bytes - 1] = 1;
        FramePool::release(const_cast<char*>(frame), bytes);
    }
    return {heap_allocations - before.allocations, heap_releases - before.releases};
}

TEST(FramePool, FramesUpTo4KiBStayInThePool) {
    constexpr std::size_t kLargest = 4096;
    (void)heap_use_of(1, 1);
    (void)heap_use_of(kLargest, 1);
    const HeapUse again = kAddressSanitizer ? HeapUse{3, 3} : HeapUse{};
    EXPECT_EQ(heap_use_of(1, 3), again);
    EXPECT_EQ(heap_use_of(64, 3), again) << "the same class";
    EXPECT_EQ(heap_use_of(kLargest - 63, 3), again);
    EXPECT_EQ(heap_use_of(kLargest, 3), again);
}

TEST(FramePool, LargeFramesGoBackToTheHeap) {
    EXPECT_EQ(heap_use_of(4097, 3), (HeapUse{3, 3}));
    EXPECT_EQ(heap_use_of(1 << 20U, 3), (HeapUse{3, 3}));
}

TEST(FramePool, CountsTheFramesInUse) {
    const std::size_t before = FramePool::frames();
    void* small = FramePool::allocate(100);
    void* large = FramePool::allocate(5000);
    EXPECT_EQ(FramePool::frames(), before + 2);
    FramePool::release(large, 5000);
    EXPECT_EQ(FramePool::frames(), before + 1);
    FramePool::release(small, 100);
    EXPECT_EQ(FramePool::frames(), before);
}

}  // namespace
}  // namespace solidtlm::fw
