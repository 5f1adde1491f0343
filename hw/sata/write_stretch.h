// SPDX-License-Identifier: Apache-2.0
//
// A stretch of a write: the device lets the host send a Data FIS when it has a buffer for it, the host sends
// it at once, and it is stored in DRAM while the next one comes.
//
//   DMA Activate for FIS k   when FIS k - 1 has come and one of the two buffers is free
//   Data FIS k               when the DMA Activate has gone
//   stores of FIS k          when it has come and the DMA is free
#pragma once

#include "hw/sata/phase_stretch.h"

namespace solidtlm::hw {

class WriteStretch final : public PhaseStretch {
  public:
    WriteStretch(DataPath& path, SataLink& link, StretchDram& dram, StretchHost& host);

    /// Begins if it can: a Data FIS has just come, nothing of it is stored.
    bool begin();
    void catch_up() override;

  private:
    enum class Wire : std::uint8_t { idle, activate, data };

    [[nodiscard]] Ps earliest_end() const override;
    [[nodiscard]] Ps next_access() const override;
    void hand_back() override;

    [[nodiscard]] bool alone() const;
    /// FISes of the transfer that have not come.
    [[nodiscard]] std::uint64_t left(const Slot& slot) const;
    void store(Ps at);
    void stored();
    void activate(Ps at);
    void activated();
    void received();

    StretchHost& host_;
    const Ps activate_time_;
    Wire wire_ = Wire::idle;
    DataPath::Interval frame_;       ///< on the wire, or the last one
    DataPath::Interval activation_;  ///< of the Data FIS on the wire
    bool storing_ = false;
};

}  // namespace solidtlm::hw
