// SPDX-License-Identifier: Apache-2.0
//
// I/O commands: checks their fields and makes them requests for firmware.
#pragma once

#include "hw/nvme/config.h"
#include "hw/nvme/slot.h"

namespace solidtlm::hw::nvme {

class IoCommands {
  public:
    explicit IoCommands(const NvmeConfig& config) : sectors_(config.exported_sectors) {}

    /// Sets what `slot` wants next.
    void begin(Slot& slot) const;
    /// The data that it wanted have come: ranges of Dataset Management.
    void received(Slot& slot) const;

  private:
    void begin_transfer(Slot& slot, hal::HostOpcode opcode) const;
    void begin_dataset_management(Slot& slot) const;
    /// Takes first LBA and number of sectors. False: it has been refused.
    bool take_range(Slot& slot) const;
    /// Deallocates `trim_ranges`, if there are any.
    static void trim(Slot& slot);

    std::uint64_t sectors_;
};

}  // namespace solidtlm::hw::nvme
