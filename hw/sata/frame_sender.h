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
        if (deferred_.empty()) {
            hand_over(frame, at);
        } else {
            deferred_.push(frame.header);  // after a FIS that ends a queue comes only status
        }
    }
    /// Sends a FIS that ends a queue.
    void send_when_drained(const FisHeader& header);
    /// True if a status FIS waits until the link has sent its frames: for the host, BSY is set.
    [[nodiscard]] bool status_waits() const { return !deferred_.empty(); }
    /// A FIS has gone over the wire at `at`.
    void sent(Ps at) {
        --in_link_;
        flush(at);
    }
    /// Drops the FISes that wait: after a reset they are the status of commands that the device has
    /// forgotten.
    void forget_waiting() { deferred_.clear(); }
    /// Power is gone: all FISes on their way are lost.
    void power_cut();

  private:
    void flush(Ps at) {
        if (in_link_ > 0) {
            return;
        }
        while (!deferred_.empty()) {
            hand_over(SataFrame{deferred_.pop()}, at);
        }
    }
    void hand_over(const SataFrame& frame, Ps at) {
        ++in_link_;
        link_.send(frame, at);
    }

    LinkPlug& link_;
    Ring<FisHeader> deferred_{ata::kMostFrames};
    std::uint32_t in_link_ = 0;
};

}  // namespace solidtlm::hw
