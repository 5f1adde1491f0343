// SPDX-License-Identifier: Apache-2.0
//
// The drive: builds the blocks from a validated configuration and binds them. No behaviour of its own.
//
//   host == front end ---- DRAM ---- flash controllers == dies
//               |           |             |
//               +------ firmware core ----+
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "fw/firmware.h"
#include "fw/hal/check.h"
#include "hw/core/firmware_core.h"
#include "hw/dram/dram.h"
#include "hw/hash/hash_unit.h"
#include "hw/nand/capacitor_flash.h"
#include "hw/nand/channel.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/untimed/untimed_hardware.h"
#include "platform/configuration.h"
#include "platform/front_end.h"
#include "platform/nvme_front_end.h"
#include "platform/sata_front_end.h"
#include "platform/start.h"

namespace solidtlm::platform {

/// Whether a hw::ProtocolChecker is on every socket of the TLM base protocol. It changes no result.
enum class ProtocolChecks : std::uint8_t { off, on };

class Ssd : public hw::AgendaModule {
  private:
    const Configuration configuration_;
    hw::ProtocolCheckers checkers_;
    std::unique_ptr<FrontEnd> front_end_;

  public:
    hw::Dram dram;
    hw::HashUnit hash;
    hw::FirmwareCore core;

    /// `configuration` comes from load_configuration(). Throws ConfigurationError if the factory-bad blocks
    /// leave too little space for the exported capacity. `bind_die` binds every flash controller to its dies
    /// through foreign modules; empty: no module stands between them.
    Ssd(const sc_core::sc_module_name& name, const Configuration& configuration,
        ProtocolChecks checks = ProtocolChecks::off, const hw::DieBinding& bind_die = {});

    [[nodiscard]] FrontEnd& front_end() { return *front_end_; }
    [[nodiscard]] const FrontEnd& front_end() const { return *front_end_; }
    /// The front end of a drive with a SATA interface.
    [[nodiscard]] SataFrontEnd& sata() { return dynamic_cast<SataFrontEnd&>(*front_end_); }
    /// The front end of an NVMe drive.
    [[nodiscard]] NvmeFrontEnd& nvme() { return dynamic_cast<NvmeFrontEnd&>(*front_end_); }

    /// Ages the drive before the simulation starts: boots the firmware on hardware without time that has this
    /// drive's flash and DRAM, carries out the commands of `feed`, which end with a flush, and moves the
    /// firmware to the timed blocks. Its counters then begin at 0. Returns the counts of the ageing. Throws
    /// std::logic_error if the firmware does not come to rest. REQUIRES: called once, before sc_start();
    /// !why_not_laid_down() (lay_down_rules.h) for a state.
    /// `laid`: the state in which the drive is before the first command; null: new.
    hw::UntimedStatistics age(hw::UntimedFeed& feed, fw::AgedFlash* laid = nullptr);
    /// Reports the device's actions to `probe`; null: no probe. Call it before the start of simulation.
    void set_probe(hal::Probe* probe);

    /// Writes, for load(), everything that survives a loss of power and, if the drive has power, the
    /// firmware's state. REQUIRES: !powered() or firmware().may_be_saved().
    void save(std::ostream& out);
    /// Reads data that save() has written on a drive of the same layout; Start::as_saved needs data of a
    /// drive that had power. A firmware that boots calls `ready` before it fetches the first command. Throws
    /// std::runtime_error if the data is wrong, or if the firmware does not come to rest. REQUIRES: neither
    /// sc_start() nor age() was called.
    void load(std::istream& in, Start start, hal::Completion ready);

    /// Cuts the power, at any instant except within the firmware's own step: everything volatile is lost,
    /// including the firmware; pages being programmed and blocks being erased are torn. The caller must
    /// notify the host, too. Returns how much the capacitor was used, if there is one
    /// (firmware.dedup.protection). REQUIRES: powered() and firmware().recoverable().
    hw::CapacitorUse power_cut();
    /// Power is back: the firmware boots, finds its state on flash, and calls `ready` before it fetches the
    /// first command. REQUIRES: power was cut before.
    void power_on(hal::Completion ready);
    [[nodiscard]] bool powered() const { return firmware_ != nullptr; }
    /// Simulated time so far in which the drive had power.
    [[nodiscard]] hal::Ps powered_time() const {
        return (off_since_ < hal::Ps{0} ? hw::now() : off_since_) - off_time_;
    }

    [[nodiscard]] std::size_t channels() const { return channels_.size(); }
    [[nodiscard]] const hw::NandChannel& channel(std::size_t index) const { return *channels_[index]; }
    /// The running firmware. It exists from the start of simulation, or from age(), on. REQUIRES: powered().
    [[nodiscard]] const fw::Firmware& firmware() const {
        SOLIDTLM_CHECK(powered(), "the drive has power");
        return *firmware_;
    }
    [[nodiscard]] const Configuration& configuration() const { return configuration_; }

  private:
    void start_of_simulation() override;
    void bind_blocks();
    void boot(hal::Completion ready);
    /// `saved`: the source of the firmware's state, for Boot::saved; `laid`: that for Boot::laid.
    hw::UntimedStatistics run_untimed(fw::Boot how, hal::Completion ready, hw::UntimedFeed& feed,
                                      hal::StateArchive* saved = nullptr, fw::AgedFlash* laid = nullptr);
    template <class Archive>
    void serialize_flash(Archive& archive);
    /// Lets a block call the DRAM, unless protocols are checked at its socket.
    template <class Target>
    void join_dram(hw::DramSocket& socket, Target& target, hw::DramService& port) {
        checkers_.join(socket, target);
        if (!checkers_.on()) {
            socket.call(port);
        }
    }
    [[nodiscard]] fw::Hardware timed_hardware();
    /// The arrays of all dies, channel by channel.
    [[nodiscard]] std::vector<hw::NandArray*> arrays() const;

    hal::Ps off_since_{-1};  // negative: the drive has power
    hal::Ps off_time_{0};    // total time without power, until off_since_
    std::vector<std::unique_ptr<hw::NandChannel>> channels_;
    hal::PageStore pages_;  // belongs to the flash array
    std::unique_ptr<fw::Firmware> firmware_;
    std::optional<hal::Completion> loaded_;  ///< a drive that boots at the start: callback of load()
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::platform
