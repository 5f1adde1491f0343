// SPDX-License-Identifier: Apache-2.0
//
// Decodes a command FIS: what the host asks for, and whether the device can do it at all (ACS-3 clause 7, NCQ
// clause 4.16). The result depends only on the FIS and the configuration; the caller checks it against the
// commands that are outstanding.
//
// A command that reads or writes a sector beyond the capacity is rejected with IDNF.
#pragma once

#include <cstdint>
#include <optional>

#include "fw/hal/host.h"
#include "hw/sata/ata.h"
#include "hw/sata/config.h"
#include "hw/sata/fis.h"
#include "hw/sata/log_pages.h"
#include "hw/sata/power_mode.h"

namespace solidtlm::hw {

/// The device's way to carry out a command.
enum class Action : std::uint8_t {
    firmware,     ///< read, write, flush, set_write_cache, write_uncorrectable: to the firmware
    trim,         ///< DATA SET MANAGEMENT or SEND FPDMA QUEUED: to the firmware when its ranges have come
    identify,     ///< PIO data-in from the device itself
    read_log,     ///< data-in from the device itself
    health,       ///< to the firmware for a report, from which the device then makes the answer
    acknowledge,  ///< nothing to do: good status at once
    power_mode,   ///< CHECK POWER MODE
    power,        ///< STANDBY, SLEEP: to the firmware, then the mode changes; IDLE: the mode changes at once
    multiple,     ///< SET MULTIPLE MODE
    auto_activate,  ///< SET FEATURES, SATA feature 02h on or off
    smart,          ///< SMART ENABLE or DISABLE OPERATIONS
    self_test,      ///< SMART EXECUTE OFF-LINE IMMEDIATE
    diagnose,       ///< EXECUTE DEVICE DIAGNOSTIC
    reject,         ///< `error` says why
};

/// The pages that the host wants to read from the device itself, or from the firmware's report.
struct PagesAsked {
    enum class Of : std::uint8_t { log, smart_data, smart_thresholds, smart_status } of = Of::log;
    LogAccess access = LogAccess::general;
    std::uint8_t log_address = 0;
    std::uint16_t first = 0;  ///< first page of the log
    std::uint16_t count = 0;
    bool by_dma = false;
    bool clears = false;  ///< PHY event counters begin again at 0
};

/// How the data of a command that is not queued travel.
enum class DataProtocol : std::uint8_t {
    dma,
    pio,           ///< a DRQ block per sector
    pio_multiple,  ///< DRQ blocks as SET MULTIPLE MODE says
};

/// What STANDBY, IDLE and SLEEP ask for.
struct PowerAsked {
    PowerModeName mode = PowerModeName::active;
    std::optional<hal::Ps> timer;  ///< a new period of the Standby timer, 0: off
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
    std::uint32_t sectors = 0;  ///< read, write: 1-65536
    DataProtocol protocol = DataProtocol::dma;
    std::uint32_t data_bytes = 0;  ///< of the data phase, also if the data stay in the device
    PagesAsked pages;              ///< read_log, health
    PowerAsked power;              ///< power
    std::uint8_t test = 0;         ///< self_test: LBA 7:0
    std::uint8_t multiple = 0;     ///< multiple: sectors in a DRQ block; 0: READ and WRITE MULTIPLE are off
};

/// REQUIRES: fis.is_command.
DecodedCommand decode_command(const RegisterH2d& fis, const SataConfig& config);

}  // namespace solidtlm::hw
