// SPDX-License-Identifier: Apache-2.0
//
// A stretch of a read: each Data FIS is loaded from DRAM while the one before it is sent.
//
//   load of FIS k       when the DMA is free and FIS k - 2 has left its buffer
//   FIS k on the wire   when it is loaded and FIS k - 1 has ended
#pragma once

#include "hw/sata/phase_stretch.h"

namespace solidtlm::hw {

class ReadStretch final : public PhaseStretch {
  public:
    ReadStretch(DataPath& path, SataLink& link, StretchDram& dram) : PhaseStretch(path, link, dram) {}

    /// Begins if it can: a Data FIS is on the wire, and the next one would be loaded now.
    bool begin();
    void catch_up() override;

  private:
    [[nodiscard]] Ps earliest_end() const override;
    [[nodiscard]] Ps next_access() const override;
    void hand_back() override;

    /// FISes that are not being loaded yet and belong to it.
    [[nodiscard]] std::uint64_t left(const Slot& slot) const;
    void begin_load(Ps at);
    void load();
    void begin_frame();
    void end_frame();

    // The FIS at the front is on the wire; the one behind it is loaded.
    bool on_wire_ = false;
    DataPath::Interval frame_;  ///< the FIS on the wire, or the last one
    Ps load_at_{kNever};        ///< the next DRAM access, if it is known
    Ps loaded_at_{kNever};      ///< the FIS behind is loaded; kNever: it is not
};

}  // namespace solidtlm::hw
