// SPDX-License-Identifier: Apache-2.0
//
// A port that speaks FISes over the SATA link itself: an adapter that costs nothing, but for the time in
// which it fetches the data of a Data FIS from memory, if there is one; the link is free meanwhile. The next
// command FIS follows the drive's Register FIS that accepts the one before.
#pragma once

#include <array>
#include <cstdint>

#include "hw/sata/ata.h"
#include "hw/sata/link_plug.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"
#include "testbench/host/port/device_port.h"

namespace solidtlm::testbench {

class LinkPort final : public hw::AgendaModule, public DevicePort, private hw::LinkEnd {
  public:
    hw::LinkPlug link{*this, kMostFrames};

    /// `agenda`: the drive's, if it is to be shared; otherwise it has its own. With a `gather_time`
    /// it must not be told late (SataFrontEnd::bind_host()).
    explicit LinkPort(const sc_core::sc_module_name& name, hw::Agenda* agenda = nullptr,
                      hw::Ps gather_time = hw::Ps{0});

    void set_user(PortUser& user) override { user_ = &user; }
    bool busy() const override { return awaiting_accept_; }
    bool keeps_order() const override { return true; }
    void begin(PortCommand& command) override;
    void forget_queued() override;
    void power_cut() override;

  private:
    static constexpr std::size_t kMostFrames = 1024;  // a few for each command

    // hw::LinkEnd
    void frame_came(const hw::SataFrame& frame, hw::Ps at, bool alone) override;
    void frame_gone(const hw::SataFrame& /*frame*/, hw::Ps /*at*/, bool /*alone*/) override {}
    void signalled(hw::LinkSignal signal) override;

    // Work of the agenda
    void frame_arrived();
    void gathered();

    void frame_received(const hw::FisHeader& fis, hw::Ps at);
    void dma_received(const hw::FisHeader& fis, hw::Ps at);
    void activated(hw::Ps at);
    void register_received(const hw::RegisterD2h& fis);
    void bits_received(const hw::SetDeviceBits& fis);
    void end(const hw::RegisterD2h& answer);
    void take_data(const hw::SataFrame& frame);
    void send_data(hw::Ps at);

    const hw::Ps gather_time_;
    hw::WakeUp gathered_{*this, hw::kCall<&LinkPort::gathered>};
    PortUser* user_ = nullptr;
    std::array<PortCommand*, hw::ata::kTags + 1> commands_{};  // by tag
    std::uint8_t data_tag_ = hw::ata::kNoTag;                  // of the open data phase
    std::uint8_t pio_end_status_ = 0;
    bool drive_there_ = false;
    bool awaiting_accept_ = false;
    hw::Ring<hw::SataFrame> arriving_{kMostFrames};  // delivered by the link, not handled yet
    std::size_t lost_ = 0;                           // of these, those of before the last power cut
};

}  // namespace solidtlm::testbench
