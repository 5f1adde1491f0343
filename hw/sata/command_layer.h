// SPDX-License-Identifier: Apache-2.0
//
// What a command FIS asks for, and whether the device can do it at all (ACS-3 clause 7, NCQ clause 4.16).
// Pure functions of the FIS and the configuration; what is outstanding is not looked at here.
//
// Beyond the device: READ/WRITE and FPDMA QUEUED end with IDNF when a sector is outside the capacity.
#pragma once

#include <cstdint>

#include "fw/hal/host.h"
#include "hw/sata/ata.h"
#include "hw/sata/config.h"
#include "hw/sata/fis.h"

namespace solidtlm::hw {

enum class Action : std::uint8_t {
    firmware,       ///< read, write, flush, set_write_cache: to the firmware
    trim,           ///< DATA SET MANAGEMENT or SEND FPDMA QUEUED: take the ranges first
    identify,       ///< PIO data-in from the device itself
    read_log,       ///< data-in from the device itself
    health,         ///< to the firmware for a report, of which the device then makes the answer
    acknowledge,    ///< nothing to do: good status at once
    power_mode,     ///< CHECK POWER MODE
    auto_activate,  ///< SET FEATURES, SATA feature 02h on or off
    smart,          ///< SMART ENABLE or DISABLE OPERATIONS
    reject,         ///< `error` says why
};

/// What the host wants to read of the device itself, or of the firmware's report.
struct PagesAsked {
    enum class Of : std::uint8_t { log, smart_data, smart_status } of = Of::log;
    std::uint8_t log_address = 0;
    std::uint16_t first = 0;  ///< page of the log
    std::uint16_t count = 0;
    bool by_dma = false;
};

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
    std::uint32_t data_bytes = 0;  ///< of the data phase, internal ones included
    PagesAsked pages;              ///< read_log, health
};

/// REQUIRES: fis.is_command.
DecodedCommand decode_command(const RegisterH2d& fis, const SataConfig& config);

}  // namespace solidtlm::hw
