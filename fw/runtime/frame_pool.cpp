// SPDX-License-Identifier: Apache-2.0
#include "fw/runtime/frame_pool.h"

#include <array>
#include <new>

#include "fw/runtime/sanitized.h"

namespace solidtlm::fw {

namespace {

constexpr std::size_t kClassBytes = 64;
constexpr std::size_t kClasses = 64;  // frames up to 4 KiB are pooled

struct FreeFrame {
    FreeFrame* next;
};

/// One free list per size class; returns all memory at program end.
struct FreeLists {
    std::array<FreeFrame*, kClasses> heads{};
    ~FreeLists() {
        for (FreeFrame* head : heads) {
            while (head != nullptr) {
                FreeFrame* next = head->next;
                ::operator delete(head);
                head = next;
            }
        }
    }
};

constinit FreeLists lists;
constinit std::size_t frames_out = 0;

constexpr std::size_t class_of(std::size_t bytes) {
    return (bytes - 1) / kClassBytes;
}

}  // namespace

void* FramePool::allocate(std::size_t bytes) {
    ++frames_out;
    const std::size_t size_class = class_of(bytes);
    if (kAddressSanitizer || size_class >= kClasses) {
        return ::operator new(bytes);
    }
    FreeFrame*& head = lists.heads[size_class];
    if (head == nullptr) {
        return ::operator new((size_class + 1) * kClassBytes);
    }
    FreeFrame* frame = head;
    head = frame->next;
    return frame;
}

void FramePool::release(void* frame, std::size_t bytes) noexcept {
    --frames_out;
    const std::size_t size_class = class_of(bytes);
    if (kAddressSanitizer || size_class >= kClasses) {
        ::operator delete(frame);
        return;
    }
    FreeFrame*& head = lists.heads[size_class];
    head = new (frame) FreeFrame{head};
}

std::size_t FramePool::frames() {
    return frames_out;
}

}  // namespace solidtlm::fw
