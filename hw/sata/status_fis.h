// SPDX-License-Identifier: Apache-2.0
//
// Register FISes with the device's status. Internal to the command layer.
#pragma once

#include <cstdint>

#include "hw/sata/ata.h"
#include "hw/sata/fis.h"
#include "hw/sata/slot.h"

namespace solidtlm::hw {

/// A Register FIS that ends a command.
inline FisHeader status_fis(std::uint8_t status, std::uint8_t error, hal::Lba lba, std::uint16_t count) {
    return encode(RegisterD2h{true, status, error, lba, ata::kDeviceLba, count});
}

/// ACS-3 table 206, signature of an ATA device: status 50h, error 01h (diagnostics passed), count 1, LBA 1.
inline FisHeader signature_fis(bool interrupt) {
    return encode(RegisterD2h{interrupt, ata::kStatusOk, 1, hal::Lba{1}, 0, 1});
}

/// Gives the host its ledger back.
inline void return_ledger(Slot& slot) {
    if (slot.host_ledger != nullptr) {
        *slot.host_ledger = slot.own_ledger;
        slot.host_ledger = nullptr;
    }
}

}  // namespace solidtlm::hw
