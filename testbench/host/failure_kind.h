// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/sata/ata.h"
#include "testbench/host/command.h"

namespace solidtlm::testbench {

/// How a command failed, by the device's status and error registers.
enum class FailureKind : std::uint8_t {
    uncorrectable,  ///< error register UNC
    id_not_found,   ///< IDNF
    write_fault,    ///< status register DF
    aborted,        ///< ABRT
    power_lost,     ///< the device never answered
};
constexpr std::array<std::string_view, 5> kFailureKindNames{"uncorrectable", "id_not_found", "write_fault",
                                                            "aborted", "power_lost"};

/// The kind of a failed command.
[[nodiscard]] inline FailureKind failure_kind(const Command& command) {
    if (command.ata_status == 0) {
        return FailureKind::power_lost;
    }
    return (command.ata_error & hw::ata::kUncorrectable) != 0  ? FailureKind::uncorrectable
           : (command.ata_error & hw::ata::kIdNotFound) != 0   ? FailureKind::id_not_found
           : (command.ata_status & hw::ata::kDeviceFault) != 0 ? FailureKind::write_fault
                                                               : FailureKind::aborted;
}

}  // namespace solidtlm::testbench
