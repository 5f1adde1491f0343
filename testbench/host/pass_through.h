// SPDX-License-Identifier: Apache-2.0
//
// A command that the host sends, register by register, not for the request source but for another caller (as
// SAT's ATA PASS-THROUGH): without a tag, and without data or reading whole blocks, such as SMART, READ LOG
// (DMA) EXT or WRITE UNCORRECTABLE EXT.
#pragma once

#include <cstddef>
#include <vector>

#include "fw/hal/completion.h"
#include "hw/sata/ata.h"
#include "hw/sata/fis.h"

namespace solidtlm::testbench {

struct PassThrough {
    hw::RegisterH2d registers;
    hal::Completion done;  ///< may be empty

    // Out
    bool ended = false;
    hw::RegisterD2h answer;       ///< by PIO only its status; 0: power went meanwhile
    std::vector<std::byte> data;  ///< what the device sent

    /// It has ended, and without an error.
    [[nodiscard]] bool ok() const {
        return ended && answer.status != 0 && (answer.status & (hw::ata::kErr | hw::ata::kDeviceFault)) == 0;
    }
};

}  // namespace solidtlm::testbench
