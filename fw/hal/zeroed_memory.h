// SPDX-License-Identifier: Apache-2.0
//
// A large array of zeros that takes memory from the system page by page on first touch: untouched pages cost
// nothing. Random access is faster with large pages, which the system grants if it can.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "fw/hal/state_archive.h"

namespace solidtlm::hal {

/// The message names the purpose and the size of the allocation.
class OutOfMemory : public std::bad_alloc {
  public:
    OutOfMemory(const char* what_for, std::size_t bytes) {
        constexpr double kBytesPerGb = 1e9;
        std::snprintf(text_.data(), text_.size(), "out of memory: %s (%.3f GB)", what_for,
                      static_cast<double>(bytes) / kBytesPerGb);
    }
    [[nodiscard]] const char* what() const noexcept override { return text_.data(); }

  private:
    std::array<char, 160> text_{};  // an array, because there may be no memory for a string
};

/// Maps pages of zeros, which the caller returns with munmap(). Fails as operator new does; the message of an
/// OutOfMemory includes `what_for`.
[[nodiscard]] inline void* map_zeros(std::size_t bytes, const char* what_for) {
    while (true) {
        void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            return memory;
        }
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) {
            throw OutOfMemory(what_for, bytes);
        }
        handler();
    }
}

template <class T>
class ZeroedMemory {
    static_assert(std::is_trivial_v<T>);

  public:
    ZeroedMemory(std::size_t count, const char* what_for)
        : bytes_((count + 1) * sizeof(T)), items_(static_cast<T*>(map_zeros(bytes_, what_for))) {}
    ~ZeroedMemory() {
        if (items_ != nullptr) {
            ::munmap(items_, bytes_);
        }
    }
    ZeroedMemory(ZeroedMemory&& other) noexcept
        : bytes_(other.bytes_), items_(std::exchange(other.items_, nullptr)) {}
    ZeroedMemory& operator=(ZeroedMemory&&) = delete;

    T& operator[](std::size_t index) { return items_[index]; }
    const T& operator[](std::size_t index) const { return items_[index]; }
    /// Fetches an item into the processor's cache ahead of its use.
    void prefetch(std::size_t index) const { __builtin_prefetch(items_ + index, 1); }
    /// Leaves out pages of zeros, which stay untouched when they are loaded.
    void serialize(hal::StateArchive& archive) {
        constexpr std::size_t kPageItems = 4096 / sizeof(T);
        const std::size_t count = bytes_ / sizeof(T);
        std::vector<std::uint8_t> used((count + kPageItems - 1) / kPageItems);
        const auto page = [&](std::size_t index) {
            return std::span(items_, count)
                .subspan(index * kPageItems)
                .first(std::min(kPageItems, count - index * kPageItems));
        };
        for (std::size_t i = 0; i < used.size() && !archive.loading(); ++i) {
            used[i] = std::ranges::any_of(page(i), [](T item) { return item != 0; }) ? 1 : 0;
        }
        archive(used);
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (used[i] != 0) {
                archive.numbers(page(i).data(), page(i).size(), sizeof(T));
            }
        }
    }
    /// Uses large pages from now on, unless the array is so large that unused parts would waste memory.
    void use_large_pages() {
        if (bytes_ <= kMostOnLargePages) {
            ::madvise(items_, bytes_, MADV_HUGEPAGE);
        }
    }

  private:
    static constexpr std::size_t kMostOnLargePages = std::size_t{256} << 20U;

    std::size_t bytes_;
    T* items_;
};

}  // namespace solidtlm::hal
