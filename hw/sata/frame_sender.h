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
    void send(const SataFrame& frame) {
        if (state_.deferred.empty()) {
            hand_over(frame);
        } else {
            state_.deferred.push(frame.header);  // after a FIS that ends a queue comes only status
        }
    }
    /// Sends a FIS that ends a queue.
    void send_when_drained(const FisHeader& header);
    /// True if a status FIS waits until the link has sent its frames: for the host, BSY is set.
    [[nodiscard]] bool status_waits() const { return !state_.deferred.empty(); }
    /// A FIS has gone over the wire.
    void sent() {
        --state_.in_link;
        flush();
    }
    /// Drops the FISes that wait: after a reset they are the status of commands that the device has
    /// forgotten.
    void forget_waiting() { state_.deferred.clear(); }
    /// Power is gone: all FISes on their way are lost.
    void power_cut() { state_ = {}; }

  private:
    void flush() {
        if (state_.in_link > 0) {
            return;
        }
        while (!state_.deferred.empty()) {
            hand_over(SataFrame{state_.deferred.pop()});
        }
    }
    void hand_over(const SataFrame& frame) {
        ++state_.in_link;
        link_.send(frame);
    }

    LinkPlug& link_;
    struct Volatile {
        Ring<FisHeader> deferred{ata::kMostFrames};
        std::uint32_t in_link = 0;
    } state_;
};

}  // namespace solidtlm::hw
