// SPDX-License-Identifier: Apache-2.0
//
// The drive: builds the blocks from a validated configuration and binds them. No behaviour of its own.
//
//   host == link == device ---- DRAM ---- flash controllers == dies
//                      |          |             |
//                      +---- firmware core -----+
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "fw/firmware.h"
#include "hw/core/firmware_core.h"
#include "hw/dram/dram.h"
#include "hw/hash/hash_unit.h"
#include "hw/instant/instant_hardware.h"
#include "hw/nand/channel.h"
#include "hw/sata/device.h"
#include "hw/sata/link.h"
#include "platform/capacitor_flash.h"
#include "platform/configuration.h"

namespace solidtlm::platform {

class Ssd : public sc_core::sc_module {
  public:
    /// Bind link.host_target and link.host_init to the host.
    hw::SataLink link;
    hw::SataDevice device;
    hw::Dram dram;
    hw::HashUnit hash;
    hw::FirmwareCore core;

    /// REQUIRES: configuration comes from load_configuration(). Throws ConfigurationError if the factory-bad
    /// blocks leave too little space for the exported capacity.
    Ssd(const sc_core::sc_module_name& name, const Configuration& configuration);

    /// Ages the drive before the simulation starts: boots the firmware on hardware without time that has this
    /// drive's flash and DRAM, carries out the commands of `feed` there, which end with a flush, and moves
    /// the firmware to the timed blocks. Its counters then begin at 0. Returns what was done. Throws
    /// std::logic_error if the firmware does not come to rest. REQUIRES: sc_start() was not called; once.
    hw::InstantStatistics age(hw::InstantFeed& feed);
    /// `probe` is told what the device does; null: nobody. Before the start of simulation.
    void set_probe(hal::Probe* probe);

    /// Power is lost, at any instant but from within the firmware's own step: everything volatile is gone,
    /// the firmware with it; pages being programmed and blocks being erased are torn. The host must be told,
    /// too. Returns what a capacitor had to do, if there is one (firmware.dedup.protection).
    /// REQUIRES: powered() and firmware().recoverable().
    CapacitorUse power_cut();
    /// Power is back: the firmware boots, finds its state on flash, and calls `ready` before it fetches the
    /// first command. REQUIRES: a power cut before.
    void power_on(hal::Completion ready);
    [[nodiscard]] bool powered() const { return firmware_ != nullptr; }

    [[nodiscard]] std::size_t channels() const { return channels_.size(); }
    [[nodiscard]] const hw::NandChannel& channel(std::size_t index) const { return *channels_[index]; }
    /// The firmware that runs; exists from the start of simulation, or from age(), on. REQUIRES: powered().
    [[nodiscard]] const fw::Firmware& firmware() const { return *firmware_; }
    [[nodiscard]] const Configuration& configuration() const { return configuration_; }

  private:
    void start_of_simulation() override;
    void bind_blocks();
    [[nodiscard]] fw::Hardware timed_hardware();

    const Configuration configuration_;
    std::vector<std::unique_ptr<hw::NandChannel>> channels_;
    hal::PageStore pages_;  // belongs to the flash array
    std::unique_ptr<fw::Firmware> firmware_;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::platform
