// SPDX-License-Identifier: Apache-2.0
//
// The device's FISes on their way to the link. A FIS that ends a queue waits until what the link has already
// taken has gone, and so does the status behind it.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/sata/ata.h"
#include "hw/sata/fis.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw {

class SataDevice;

class FrameSender {
  public:
    using Socket = tlm_utils::simple_initiator_socket<SataDevice>;

    explicit FrameSender(Socket& link) : link_(link) {}

    /// `content`, of a Data FIS, stays valid until it is sent.
    void send(const FisHeader& header, std::byte* content = nullptr, std::uint32_t bytes = 0);
    void send_when_drained(const FisHeader& header);
    /// Status waits until what the link has taken has gone: for the host, BSY is set.
    [[nodiscard]] bool status_waits() const { return !deferred_.empty(); }
    /// A FIS has gone over the wire.
    void sent();
    /// The device was reset: what waits is the status of commands that it has forgotten.
    void forget_waiting() { deferred_.clear(); }
    /// What is on its way is lost.
    void power_cut();

  private:
    void flush();
    void hand_over(const FisHeader& header, std::byte* content, std::uint32_t bytes);

    Socket& link_;
    PayloadPool<FisExtension> pool_{ata::kMostFrames};
    Ring<FisHeader> deferred_{ata::kMostFrames};
    std::uint32_t in_link_ = 0;
};

}  // namespace solidtlm::hw
