// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/sata/ata.h"

namespace solidtlm::testbench {

/// How a command failed, according to the device's answer.
enum class FailureKind : std::uint8_t {
    uncorrectable,  ///< ATA: error register UNC; NVMe: Unrecovered Read Error
    id_not_found,   ///< IDNF; LBA Out of Range
    write_fault,    ///< status register DF; Write Fault
    aborted,        ///< ABRT; any other status
    power_lost,     ///< none: the device never answered
};
constexpr std::array<std::string_view, 5> kFailureKindNames{"uncorrectable", "id_not_found", "write_fault",
                                                            "aborted", "power_lost"};

/// The kind for a failed command's status and error registers; both are 0 if the device never answered.
[[nodiscard]] constexpr FailureKind ata_failure(std::uint8_t status, std::uint8_t error) {
    return status == 0                              ? FailureKind::power_lost
           : (error & hw::ata::kUncorrectable) != 0 ? FailureKind::uncorrectable
           : (error & hw::ata::kIdNotFound) != 0    ? FailureKind::id_not_found
           : (status & hw::ata::kDeviceFault) != 0  ? FailureKind::write_fault
                                                    : FailureKind::aborted;
}

}  // namespace solidtlm::testbench
