// SPDX-License-Identifier: Apache-2.0
//
// The device's FISes on their way to the link. A FIS that ends a queue waits until what the link has already
// taken has gone, and so does the status behind it.
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
    /// At `at`, which may have passed if it is of a data phase.
    void send(const SataFrame& frame, Ps at);
    void send_when_drained(const FisHeader& header);
    /// Status waits until what the link has taken has gone: for the host, BSY is set.
    [[nodiscard]] bool status_waits() const { return !deferred_.empty(); }
    /// A FIS has gone over the wire at `at`.
    void sent(Ps at);
    /// The device was reset: what waits is the status of commands that it has forgotten.
    void forget_waiting() { deferred_.clear(); }
    /// What is on its way is lost.
    void power_cut();

  private:
    void flush(Ps at);
    void hand_over(const SataFrame& frame, Ps at);

    LinkPlug& link_;
    Ring<FisHeader> deferred_{ata::kMostFrames};
    std::uint32_t in_link_ = 0;
};

}  // namespace solidtlm::hw
