// SPDX-License-Identifier: Apache-2.0
//
// A command that the host sends with given registers, for a caller other than the request source (like SAT's
// ATA PASS-THROUGH). It has no tag, and either no data or reads whole blocks, such as SMART, READ LOG (DMA)
// EXT or WRITE UNCORRECTABLE EXT.
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

    // Results:
    bool ended = false;
    hw::RegisterD2h answer;       ///< after a PIO read, only the status; 0: power was lost meanwhile
    std::vector<std::byte> data;  ///< data that the device sent

    /// The command has ended without an error.
    [[nodiscard]] bool ok() const {
        return ended && answer.status != 0 && (answer.status & (hw::ata::kErr | hw::ata::kDeviceFault)) == 0;
    }
};

}  // namespace solidtlm::testbench
