// SPDX-License-Identifier: Apache-2.0
//
// The operations that wait for one die, and their order: reads first (when they may overtake), then in order
// of arrival. Under every policy, programs, erases and copy-backs keep their order, and no read passes, or is
// passed by, an operation on the same block. While reads use some of the planes, another read may begin on
// the others and so pass earlier reads that cannot begin yet.
#pragma once

#include <cstddef>
#include <vector>

#include "hw/nand/flash_request.h"

namespace solidtlm::hw {

/// True if the operations touch a common block.
[[nodiscard]] bool share_block(const hal::FlashOp& a, const hal::FlashOp& b);
/// True if `later`, which arrived after `earlier`, must not overtake it.
[[nodiscard]] bool must_follow(const hal::FlashOp& later, const hal::FlashOp& earlier);

class DieQueue {
  public:
    explicit DieQueue(bool reads_overtake) : reads_overtake_(reads_overtake) {}

    void push(FlashRequest& request) { waiting_.push_back(&request); }
    /// Puts the request before all others.
    void push_first(FlashRequest& request) { waiting_.insert(waiting_.begin(), &request); }
    void remove(const FlashRequest& request);
    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }
    /// The next operation when the whole die is free, or null.
    [[nodiscard]] FlashRequest* next() const;
    /// The next read that may begin while other reads use the planes `taken`, or null. It passes no read that
    /// needs all planes, because such a read would never get them.
    [[nodiscard]] FlashRequest* next_beside(hal::PlaneSet taken) const;
    /// The host read that may preempt `running`, or may join reads that preempt it and use the planes
    /// `taken`; or null.
    [[nodiscard]] FlashRequest* preempting_read(const hal::FlashOp& running, hal::PlaneSet taken = 0) const;
    [[nodiscard]] const std::vector<FlashRequest*>& waiting() const { return waiting_; }

  private:
    [[nodiscard]] bool blocked(std::size_t position) const;

    bool reads_overtake_;
    std::vector<FlashRequest*> waiting_;  ///< of the controller's pool, each once, in order of arrival
};

}  // namespace solidtlm::hw
