// SPDX-License-Identifier: Apache-2.0
//
// How a host's commands get to a drive and their ends come back: the interface behind AtaHost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/ledger.h"
#include "fw/hal/metrics.h"
#include "fw/hal/types.h"
#include "hw/sata/ata.h"
#include "hw/sata/fis.h"

namespace solidtlm::testbench {

/// A command on its way. Its address does not change until it has ended, or all are forgotten.
struct PortCommand {
    hw::RegisterH2d registers;
    std::uint8_t tag = hw::ata::kNoTag;  ///< 0-31; kNoTag when not queued
    bool to_device = false;              ///< which way its data go
    std::uint32_t data_bytes = 0;        ///< that it moves; not known of commands with `received`
    std::uint32_t moved = 0;             ///< of them, so far
    /// Its data, as `mode` has them: what is written, or the place for what is read. Empty with
    /// ContentMode::none.
    std::span<std::byte> content;
    hal::ContentMode mode = hal::ContentMode::none;
    std::vector<std::byte>* received = nullptr;  ///< what comes is appended here instead, byte by byte
    hal::Ledger* ledger = nullptr;               ///< may be null

    [[nodiscard]] bool queued() const { return tag != hw::ata::kNoTag; }
};

/// The sender of commands through a port. Called by the agenda of the port.
class PortUser {
  public:
    /// The drive is there: after power came.
    virtual void drive_came() = 0;
    /// The drive has taken the queued command that it was busy with, or refused it.
    virtual void accepted(bool ok) = 0;
    /// Queued commands have ended. An error in `status` means that the drive has stopped its queue; log 10h
    /// tells which command failed.
    virtual void queued_ended(std::uint32_t tags, std::uint8_t status, std::uint8_t error) = 0;
    /// The command that is not queued has ended. After a data phase by PIO only the status is known.
    virtual void ended(const hw::RegisterD2h& answer) = 0;
    /// Called after each of these, and when anything else has come: there may be something to send.
    virtual void go_on() = 0;

  protected:
    ~PortUser() = default;
};

class DevicePort {
  public:
    virtual ~DevicePort() = default;
    /// Before the start of simulation, once.
    virtual void set_user(PortUser& user) = 0;
    /// A queued command has not been accepted yet, and no other may begin.
    [[nodiscard]] virtual bool busy() const = 0;
    /// The drive gets commands in the order in which they begin.
    [[nodiscard]] virtual bool keeps_order() const = 0;
    /// REQUIRES: not busy; the tag is free.
    virtual void begin(PortCommand& command) = 0;
    /// The host has given up all queued commands, because one has failed.
    virtual void forget_queued() = 0;
    /// The drive lost power: everything is forgotten.
    virtual void power_cut() = 0;
    /// What it counts, if anything.
    virtual void tell(hal::Metrics& /*metrics*/) const {}
};

}  // namespace solidtlm::testbench
