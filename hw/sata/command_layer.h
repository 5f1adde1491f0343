// SPDX-License-Identifier: Apache-2.0
//
// Decodes a command FIS: what the host asks for, and whether the device can do it at all (ACS-3 clause 7, NCQ
// clause 4.16). The result depends only on the FIS and the configuration; the caller checks it against the
// commands that are outstanding.
//
// A command that reads or writes a sector beyond the capacity is rejected with IDNF.
#pragma once

#include <cstdint>

#include "fw/hal/host.h"
#include "hw/sata/ata.h"
#include "hw/sata/config.h"
#include "hw/sata/fis.h"

namespace solidtlm::hw {

/// The device's way to carry out a command.
enum class Action : std::uint8_t {
    firmware,       ///< read, write, flush, set_write_cache, write_uncorrectable: to the firmware
    trim,           ///< DATA SET MANAGEMENT or SEND FPDMA QUEUED: to the firmware when its ranges have come
    identify,       ///< PIO data-in from the device itself
    read_log,       ///< data-in from the device itself
    health,         ///< to the firmware for a report, from which the device then makes the answer
    acknowledge,    ///< nothing to do: good status at once
    power_mode,     ///< CHECK POWER MODE
    auto_activate,  ///< SET FEATURES, SATA feature 02h on or off
    smart,          ///< SMART ENABLE or DISABLE OPERATIONS
    reject,         ///< `error` says why
};

/// The pages that the host wants to read from the device itself, or from the firmware's report.
struct PagesAsked {
    enum class Of : std::uint8_t { log, smart_data, smart_status } of = Of::log;
    std::uint8_t log_address = 0;
    std::uint16_t first = 0;  ///< first page of the log
    std::uint16_t count = 0;
    bool by_dma = false;
};

/// A command FIS, decoded.
struct DecodedCommand {
    Action action = Action::reject;
    std::uint8_t error = ata::kAbort;  ///< error register if rejected
    bool ncq = false;                  ///< one of 60h-65h: carries a tag
    std::uint8_t tag = ata::kNoTag;
    hal::HostOpcode opcode = hal::HostOpcode::read;
    bool fua = false;
    bool enable = false;       ///< set_write_cache, auto_activate, smart
    bool needs_smart = false;  ///< aborted while SMART is disabled
    hal::Lba lba;
    std::uint32_t sectors = 0;     ///< read, write: 1-65536
    std::uint32_t data_bytes = 0;  ///< of the data phase, also if the data stay in the device
    PagesAsked pages;              ///< read_log, health
};

/// REQUIRES: fis.is_command.
DecodedCommand decode_command(const RegisterH2d& fis, const SataConfig& config);

}  // namespace solidtlm::hw
