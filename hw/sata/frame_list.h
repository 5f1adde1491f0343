// SPDX-License-Identifier: Apache-2.0
//
// Frames that the link has, in queues that share a pool. A frame keeps its place in memory from the queue to
// the wire.
#pragma once

#include <deque>
#include <utility>

#include "fw/hal/check.h"
#include "hw/sata/fis.h"

namespace solidtlm::hw {

class FrameList {
  public:
    /// The oldest frame, or null.
    [[nodiscard]] SataFrame* first() const { return first_; }
    void push(SataFrame& frame) {
        frame.next = nullptr;
        (first_ == nullptr ? first_ : last_->next) = &frame;
        last_ = &frame;
    }
    /// REQUIRES: there is a first one.
    SataFrame& pop() { return *std::exchange(first_, first_->next); }

  private:
    SataFrame* first_ = nullptr;
    SataFrame* last_ = nullptr;
};

class FramePool {
  public:
    /// Holds at most `most` frames.
    explicit FramePool(std::size_t most) : most_(most) {}

    /// A copy of `frame` that stays where it is.
    SataFrame& take(const SataFrame& frame) {
        if (free_.first() == nullptr) {
            SOLIDTLM_CHECK(frames_.size() < most_, "the link has room for a frame");
            return frames_.emplace_back(frame);
        }
        return free_.pop() = frame;
    }
    void give_back(SataFrame& frame) { free_.push(frame); }

  private:
    std::size_t most_;
    std::deque<SataFrame> frames_;
    FrameList free_;
};

}  // namespace solidtlm::hw
