// SPDX-License-Identifier: Apache-2.0
//
// A port that speaks FISes over the SATA link itself. It acts as an adapter that takes no time, except (if
// configured) for fetching the data of a Data FIS from memory, during which the link is free. The next
// command FIS follows the drive's Register FIS that accepts the previous command.
#pragma once

#include <array>
#include <cstdint>

#include "hw/sata/ata.h"
#include "hw/sata/link_plug.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"
#include "testbench/sim/host/port/device_port.h"

namespace solidtlm::testbench {

class LinkPort final : public hw::AgendaModule, public DevicePort, private hw::LinkEnd {
  public:
    hw::LinkPlug link{*this, kMostFrames};

    /// `agenda`: that of the drive, to share it; otherwise the port has its own.
    explicit LinkPort(const sc_core::sc_module_name& name, hw::Agenda* agenda = nullptr,
                      hw::Ps gather_time = hw::Ps{0});

    void set_user(PortUser& user) override { user_ = &user; }
    bool busy() const override { return awaiting_accept_; }
    bool keeps_order() const override { return true; }
    void begin(PortCommand& command) override;
    void forget_queued() override;
    void power_cut() override;

  private:
    static constexpr std::size_t kMostFrames = 1024;  // a few per command

    // Implements hw::LinkEnd.
    void frame_came(const hw::SataFrame& frame, hw::Ps at, bool alone) override;
    void frame_gone(const hw::SataFrame& /*frame*/, bool /*alone*/) override {}
    void signalled(hw::LinkSignal signal) override;

    // Called by the agenda
    void frame_arrived();

    void frame_received(const hw::FisHeader& fis);
    void dma_received(const hw::FisHeader& fis);
    void activated();
    void register_received(const hw::RegisterD2h& fis);
    void bits_received(const hw::SetDeviceBits& fis);
    void end(const hw::RegisterD2h& answer);
    void take_data(const hw::SataFrame& frame);
    void send_data();

    const hw::Ps gather_time_;
    hw::WakeUp gathered_{*this, hw::kCall<&LinkPort::send_data>};
    PortUser* user_ = nullptr;
    std::array<PortCommand*, hw::ata::kTags + 1> commands_{};  // by tag
    std::uint8_t data_tag_ = hw::ata::kNoTag;                  // tag of the open data phase
    hw::SataFrame data_frame_;                                 // the Data FIS that is sent next
    std::uint8_t pio_end_status_ = 0;
    bool drive_there_ = false;
    bool awaiting_accept_ = false;
    hw::Ring<hw::SataFrame> arriving_{kMostFrames};  // delivered by the link, but not handled yet
    std::size_t lost_ = 0;                           // how many of them are from before the last power cut
};

}  // namespace solidtlm::testbench
