// SPDX-License-Identifier: Apache-2.0
//
// The device side of SATA: transport and command layer (Serial ATA 3.x clauses 10 and 13.6, ACS-3), and the
// host interface that firmware sees (fw/hal/host.h).
//
// It connects its parts: the command layer (command_protocol.h, with the rules), the data phases
// (data_path.h), and the sender of FISes (frame_sender.h).
//
// A FIS that cannot be part of the protocol is an SC_REPORT_ERROR("/ssd/sata").
#pragma once

#include <cstdint>

#include "fw/hal/host.h"
#include "fw/hal/probe.h"
#include "hw/sata/command_protocol.h"
#include "hw/sata/config.h"
#include "hw/sata/data_path.h"
#include "hw/sata/frame_sender.h"
#include "hw/sata/link_plug.h"
#include "hw/sata/slot.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw {

class SataDevice : public AgendaModule, public hal::Host, private LinkEnd {
  public:
    LinkPlug link;
    DramSocket dram_init;  ///< to the DRAM's host port

    /// REQUIRES: config.exported_sectors > 0, queue_depth 1-32.
    SataDevice(const sc_core::sc_module_name& name, const SataConfig& config);

    // hal::Host
    hal::HostCommand* fetch() override { return commands_.fetch(); }
    void on_arrival(hal::Completion arrived) override { commands_.on_arrival(arrived); }
    void transfer(hal::HostTransfer& transfer) override;
    void complete(hal::HostCommand& command, hal::HostStatus status) override;

    [[nodiscard]] const DeviceStatistics& statistics() const { return commands_.statistics(); }
    [[nodiscard]] const SataConfig& config() const { return config_; }
    /// Null: no recorder watches.
    void set_probe(hal::Probe* probe) { commands_.set_probe(probe); }
    /// The device's power mode, and how long it was in each.
    [[nodiscard]] const PowerMode& power() const { return commands_.power(); }
    /// Commands that were accepted and not answered yet.
    [[nodiscard]] std::uint32_t outstanding() const { return commands_.table().outstanding(); }
    /// Outstanding commands that firmware has not fetched.
    [[nodiscard]] std::size_t not_fetched() const { return commands_.not_fetched(); }
    /// The command accepted under `tag` (32: non-queued) and not answered, or null. For reports.
    [[nodiscard]] const hal::HostCommand* command(std::uint8_t tag) const {
        return commands_.table().at(tag);
    }
    /// Slots that firmware or device still hold, aborted commands included.
    [[nodiscard]] std::size_t slots_in_use() const { return commands_.table().slots_in_use(); }
    [[nodiscard]] bool halted() const { return commands_.halted(); }
    /// True if a command's data move, or wait for the link or the DRAM.
    [[nodiscard]] bool in_data_phase() const { return data_path_.in_data_phase(); }

    /// COMRESET: aborts all outstanding commands, and sends the signature when the link is free. (The link's
    /// signals do this, too, but send the signature with PHY ready.)
    void comreset() {
        commands_.comreset();
        commands_.send_signature();
    }
    /// Power is lost: no command is outstanding any longer, and the device does not call firmware. The caller
    /// cuts the link's power, too.
    void power_cut();
    /// Data frames begin on `wire` at once, where that is possible. It shares the device's agenda and
    /// outlives it. Call before the simulation starts.
    void join(SataLink& wire) { data_path_.join(wire); }
    /// Sends the signature, as at the start of simulation. REQUIRES: firmware has called on_arrival() again.
    void power_on() { commands_.power_on(); }

  private:
    static constexpr const char* kReport = "/ssd/sata";
    static constexpr std::uint64_t kToHost = 0x100;  ///< in the word of frame_sent()
    static constexpr unsigned kHeldShift = 9;

    // LinkEnd
    void frame_came(const SataFrame& frame, Ps at, bool alone) override;
    void frame_gone(const SataFrame& frame, bool alone) override;
    void signalled(LinkSignal signal) override;

    void start_of_simulation() override { power_on(); }

    // Work of the agenda
    void take_received();
    void take_signal(std::uint64_t signal);
    void frame_sent(std::uint64_t frame);
    void transfer_asked(Slot* slot);
    void completed(Slot* slot);

    void received(const SataFrame& frame);
    void sent(FisType type, bool to_host, Ps held);

    const SataConfig config_;
    FrameSender sender_{link};
    DataPath data_path_;
    CommandProtocol commands_;

    Ring<SataFrame> received_{ata::kMostFrames};
};

}  // namespace solidtlm::hw
