// SPDX-License-Identifier: Apache-2.0
//
// A first-in first-out queue that stops allocating once it has grown to its working size.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "fw/hal/check.h"

namespace solidtlm::hw {

template <class T>
class Ring {
  public:
    /// Holds at most `most` items.
    explicit Ring(std::size_t most) : most_(most) {}

    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// REQUIRES: not empty.
    [[nodiscard]] const T& front() const { return (*this)[0]; }
    [[nodiscard]] T& front() { return (*this)[0]; }
    /// Counted from the front. REQUIRES: index < size().
    [[nodiscard]] const T& operator[](std::size_t index) const {
        SOLIDTLM_CHECK(index < size_, "the index is below the size of the queue");
        return slots_[(head_ + index) & (places_ - 1)];
    }
    [[nodiscard]] T& operator[](std::size_t index) {
        SOLIDTLM_CHECK(index < size_, "the index is below the size of the queue");
        return slots_[(head_ + index) & (places_ - 1)];
    }
    /// Forgets the items. The queue keeps its memory and what the items own.
    void clear() { head_ = size_ = 0; }

    /// Appends a copy of `item` and returns that copy. REQUIRES: room for it.
    T& push(const T& item) {
        SOLIDTLM_CHECK(size_ < most_, "the queue has room");
        if (size_ == places_) {
            grow();
        }
        T& place = slots_[(head_ + size_) & (places_ - 1)];
        place = item;
        ++size_;
        return place;
    }
    /// REQUIRES: not empty.
    T pop() {
        SOLIDTLM_CHECK(!empty(), "the queue is not empty");
        T item = std::move(slots_[head_]);
        head_ = (head_ + 1) & (places_ - 1);
        --size_;
        return item;
    }

  private:
    void grow() {
        std::vector<T> larger(places_ == 0 ? 8 : places_ * 2);
        for (std::size_t i = 0; i < size_; ++i) {
            larger[i] = std::move(slots_[(head_ + i) & (places_ - 1)]);
        }
        slots_ = std::move(larger);
        places_ = slots_.size();
        head_ = 0;
    }

    std::size_t most_;
    std::vector<T> slots_;
    std::size_t places_ = 0;  ///< number of slots, a power of two; slots_.size() would have to divide
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

}  // namespace solidtlm::hw
