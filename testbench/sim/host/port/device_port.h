// SPDX-License-Identifier: Apache-2.0
//
// The interface between AtaHost and the way to a drive: commands go out, and their ends come back.
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

/// A command under way. Its address must not change until it has ended, or until all commands are forgotten.
struct PortCommand {
    hw::RegisterH2d registers;
    std::uint8_t tag = hw::ata::kNoTag;  ///< 0-31; kNoTag if not queued
    bool to_device = false;              ///< direction of its data
    std::uint32_t data_bytes = 0;        ///< bytes that it moves; unknown for commands with `received`
    std::uint32_t moved = 0;             ///< bytes moved so far
    /// Its data in the form of `mode`: what is written, or the place for what is read. Empty with
    /// ContentMode::none.
    std::span<std::byte> content;
    hal::ContentMode mode = hal::ContentMode::none;
    /// if set, data that arrives is appended here instead, byte by byte
    std::vector<std::byte>* received = nullptr;
    hal::Ledger* ledger = nullptr;  ///< may be null

    [[nodiscard]] bool queued() const { return tag != hw::ata::kNoTag; }
};

/// Sends commands through a port. The port's agenda calls it.
class PortUser {
  public:
    /// A drive is there after power came.
    virtual void drive_came() = 0;
    /// The drive has accepted or refused the queued command that it was busy with.
    virtual void accepted(bool ok) = 0;
    /// Queued commands have ended. An error in `status` means that the drive has stopped its queue; log 10h
    /// tells which command failed.
    virtual void queued_ended(std::uint32_t tags, std::uint8_t status, std::uint8_t error) = 0;
    /// The non-queued command has ended. After a PIO data phase, only the status is known.
    virtual void ended(const hw::RegisterD2h& answer) = 0;
    /// Called after each of these functions, and after other events: a command might be sent now.
    virtual void go_on() = 0;

  protected:
    ~PortUser() = default;
};

class DevicePort {
  public:
    virtual ~DevicePort() = default;
    /// Call it once, before the simulation starts.
    virtual void set_user(PortUser& user) = 0;
    /// A queued command was not accepted yet, and no other may begin.
    [[nodiscard]] virtual bool busy() const = 0;
    /// The drive receives commands in the order in which they begin.
    [[nodiscard]] virtual bool keeps_order() const = 0;
    /// REQUIRES: not busy; the tag is free.
    virtual void begin(PortCommand& command) = 0;
    /// The host has given up all queued commands because one has failed.
    virtual void forget_queued() = 0;
    /// The drive lost power: all commands are forgotten.
    virtual void power_cut() = 0;
    /// Reports the port's metrics, if there are any.
    virtual void tell(hal::Metrics& /*metrics*/) const {}
};

}  // namespace solidtlm::testbench
