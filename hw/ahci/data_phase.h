// SPDX-License-Identifier: Apache-2.0
//
// Moves data between Data FISes and the host's memory, as the PRD tables say (AHCI 1.3.1, states DX, DR, PIO
// of 5.3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/ahci/port_state.h"

namespace solidtlm::hw::ahci {

class DataPhase {
  public:
    explicit DataPhase(PortState& port);

    /// The first frame is a Data FIS.
    void begin_store();
    /// The device requests a Data FIS.
    void begin_gather();

    // Ends of what begin_store() and begin_gather() have started.
    void entry_fetched();
    void data_moved();
    void data_sent();
    void byte_count_written();

  private:
    [[nodiscard]] Transfer* open_transfer();
    [[nodiscard]] bool not_wanted(const Transfer* transfer) const;
    void walk();
    void all_moved();

    PortState& port_;
    std::array<std::byte, kPrdBytes> prd_{};
    std::array<std::byte, 4> byte_count_{};
    std::vector<std::byte> outgoing_;
    std::uint32_t wanted_ = 0;
    std::uint32_t done_ = 0;
};

}  // namespace solidtlm::hw::ahci
