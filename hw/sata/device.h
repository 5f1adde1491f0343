// SPDX-License-Identifier: Apache-2.0
//
// The device side of SATA: transport and command layer (Serial ATA 3.x clauses 10 and 13.6, ACS-3), and the
// host interface that firmware sees (fw/hal/host.h).
//
// It wires its parts together: the command layer (command_protocol.h, with the rules), the data phases
// (data_path.h), and FISes on their way to the link (frame_sender.h).
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
#include "hw/tlm/stretch.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

class SataDevice : public AgendaModule,
                   public hal::Host,
                   private DataPathPort,
                   private DramClient,
                   private LinkEnd {
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
    /// Null: nobody watches.
    void set_probe(hal::Probe* probe) { commands_.set_probe(probe); }
    /// Commands accepted and not answered.
    [[nodiscard]] std::uint32_t outstanding() const { return commands_.table().outstanding(); }
    /// Of these, commands that firmware has not taken.
    [[nodiscard]] std::size_t not_fetched() const { return commands_.not_fetched(); }
    /// The command accepted under `tag` (32: non-queued) and not answered, or null. For reports.
    [[nodiscard]] const hal::HostCommand* command(std::uint8_t tag) const {
        return commands_.table().at(tag);
    }
    /// Slots that firmware or device still hold, aborted commands included.
    [[nodiscard]] std::size_t slots_in_use() const { return commands_.table().slots_in_use(); }
    [[nodiscard]] bool halted() const { return commands_.halted(); }
    /// A command's data move, or wait for the link or the DRAM.
    [[nodiscard]] bool in_data_phase() const { return data_path_.in_data_phase(); }

    /// COMRESET: everything outstanding is aborted, the signature is sent when the link is free.
    /// (The link's signals do the same, the signature with PHY ready.)
    void comreset() {
        commands_.comreset();
        commands_.send_signature();
    }
    /// Power is gone: nothing is outstanding any more and firmware is not called. Cut the link's power too.
    void power_cut();
    /// Data phases may go in stretches (hw/tlm/stretch.h). Before the start of simulation; all must outlive
    /// the device.
    void allow_stretches(SataLink& wire, StretchDram& dram, StretchHost& host) {
        data_path_.allow_stretches(wire, dram, host);
    }
    /// Ends a stretch at this instant. Before its host forgets what it was sending or receiving.
    void end_stretch() { data_path_.cut_stretch(); }
    /// Sends the signature, as at the start of simulation. Firmware has called on_arrival() again.
    void power_on() { commands_.send_signature(); }

  private:
    static constexpr const char* kReport = "/ssd/sata";
    static constexpr std::uint64_t kToHost = 0x100;  ///< of frame_sent()
    static constexpr unsigned kHeldShift = 9;

    // LinkEnd
    void frame_came(const SataFrame& frame, Ps at) override;
    void frame_gone(const SataFrame& frame) override;
    void signalled(LinkSignal signal) override;

    void start_of_simulation() override { power_on(); }

    // DataPathPort
    void access_dram(bool write, const TransferQueue::Run& run, std::byte* content) override;
    void dram_ends(Ps when, const DramTimes& times) override;
    void stretch_due(Ps when) override;
    void internal_data_arrived(Slot& slot) override { commands_.internal_data_arrived(slot); }

    // DramClient
    void dram_granted(std::uint64_t /*id*/, Ps end, const DramTimes& times) override {
        dram_ends(end, times);
    }

    // Work of the agenda
    void frame_received();
    void take_signal(std::uint64_t signal);
    void frame_sent(std::uint64_t frame);
    void transfer_asked(Slot* slot);
    void completed(Slot* slot);
    void dram_done() { data_path_.dram_done(dram_times_); }
    void stretch_over() { data_path_.stretch_due(); }

    const SataConfig config_;
    FrameSender sender_{link};
    DataPath data_path_;
    CommandProtocol commands_;

    DramTimes dram_times_;  ///< of the access that ends next
    Ring<SataFrame> received_{ata::kMostFrames};
    WakeUp stretch_over_{*this, kCall<&SataDevice::stretch_over>};
};

}  // namespace solidtlm::hw
