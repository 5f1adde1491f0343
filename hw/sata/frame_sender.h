// SPDX-License-Identifier: Apache-2.0
//
// Sends the device's FISes to the link. A FIS that ends a queue waits until the link has sent all frames that
// it has, and so does every status FIS after it.
#pragma once

#include "hw/sata/ata.h"
#include "hw/sata/link_plug.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw {

class FrameSender {
  public:
    explicit FrameSender(LinkPlug& link) : link_(link) {}

    /// `content`, of a Data FIS, stays valid until it is sent.
    void send(const FisHeader& header, std::byte* content = nullptr, std::uint32_t bytes = 0);
    /// Sends at `at`, which may have passed if the frame is of a data phase.
    void send(const SataFrame& frame, Ps at) {
        if (state_.deferred.empty()) {
            hand_over(frame, at);
        } else {
            state_.deferred.push(frame.header);  // after a FIS that ends a queue comes only status
        }
    }
    /// Sends a FIS that ends a queue.
    void send_when_drained(const FisHeader& header);
    /// True if a status FIS waits until the link has sent its frames: for the host, BSY is set.
    [[nodiscard]] bool status_waits() const { return !state_.deferred.empty(); }
    /// A FIS has gone over the wire at `at`.
    void sent(Ps at) {
        --state_.in_link;
        flush(at);
    }
    /// Drops the FISes that wait: after a reset they are the status of commands that the device has
    /// forgotten.
    void forget_waiting() { state_.deferred.clear(); }
    /// Power is gone: all FISes on their way are lost.
    void power_cut() { state_ = {}; }

  private:
    void flush(Ps at) {
        if (state_.in_link > 0) {
            return;
        }
        while (!state_.deferred.empty()) {
            hand_over(SataFrame{state_.deferred.pop()}, at);
        }
    }
    void hand_over(const SataFrame& frame, Ps at) {
        ++state_.in_link;
        link_.send(frame, at);
    }

    LinkPlug& link_;
    struct Volatile {
        Ring<FisHeader> deferred{ata::kMostFrames};
        std::uint32_t in_link = 0;
    } state_;
};

}  // namespace solidtlm::hw
