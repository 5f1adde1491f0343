// SPDX-License-Identifier: Apache-2.0
//
// Handles the FISes that a port receives (AHCI 1.3.1, 5.3.6 to 5.3.13).
#pragma once

#include <cstdint>

#include "hw/ahci/data_phase.h"
#include "hw/ahci/port_state.h"

namespace solidtlm::hw::ahci {

class FisReceiver {
  public:
    FisReceiver(PortState& port, DataPhase& data) : port_(port), data_(data) {}

    /// Handles the first frame. False if the frame must wait. REQUIRES: a frame is waiting.
    bool serve();

    // Ends of what serve() has started.
    void posted();
    void setup_fetched();

  private:
    void post(ReceivedFrame& frame, std::uint32_t offset);
    void register_received(const ReceivedFrame& frame);
    void bits_received(const ReceivedFrame& frame);
    void setup_received(const ReceivedFrame& frame);
    void pio_received(const ReceivedFrame& frame);
    void mark_end(std::uint8_t slot, const ReceivedFrame& frame) const;

    PortState& port_;
    DataPhase& data_;
};

}  // namespace solidtlm::hw::ahci
