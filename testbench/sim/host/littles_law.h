// SPDX-License-Identifier: Apache-2.0
//
// Little's law (1961), number in the system = rate * latency, in a case in which it holds to the picosecond.
// In a closed loop, every place of the queue is taken from the start until the source has no more requests.
// So the latencies add up to the times from the start to the last end of each place; in other words, the sum
// of all arrivals is the sum of all ends except these last ones. Ends are recorded here independently of how
// arrivals were computed.
#pragma once

#include <cstdint>

#include "fw/hal/types.h"
#include "hw/tlm/ring.h"

namespace solidtlm::testbench {

class LittlesLaw {
  public:
    /// `depth`: depth of the loop, at least 1.
    explicit LittlesLaw(std::uint32_t depth) : depth_(depth), last_ends_(std::size_t{depth} + 1) {}

    void begin(hal::Ps at) { begin_ = at; }
    /// A request has ended. Ends must be reported in time order.
    void ended(hal::Ps arrival, hal::Ps at) {
        excess_ -= since_begin(arrival);
        last_ends_.push(at);
        if (last_ends_.size() > depth_) {
            excess_ += since_begin(last_ends_.pop());
        }
    }
    /// By how much the latencies of a finished loop are too long in total; negative: too short. Valid if the
    /// source always had a request until its end.
    [[nodiscard]] hal::Ps excess() const { return hal::Ps{static_cast<std::int64_t>(excess_)}; }

  private:
    [[nodiscard]] std::uint64_t since_begin(hal::Ps at) const {
        return static_cast<std::uint64_t>((at - begin_).count());
    }

    std::uint32_t depth_;
    hal::Ps begin_{0};
    std::uint64_t excess_ = 0;  // sum in ps modulo 2^64, because sums of many times need more bits
    hw::Ring<hal::Ps> last_ends_;
};

}  // namespace solidtlm::testbench
