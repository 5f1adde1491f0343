// SPDX-License-Identifier: Apache-2.0
//
// A port that speaks FISes over the SATA link itself: an adapter that costs nothing. The next command FIS
// follows the drive's Register FIS that accepts the one before.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/sata/ata.h"
#include "hw/sata/fis.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/stretch.h"
#include "testbench/host/port/device_port.h"

namespace solidtlm::testbench {

class LinkPort final : public hw::AgendaModule, public DevicePort, public hw::StretchHost {
  public:
    tlm_utils::passthrough_target_socket<LinkPort> link_target{"link_target"};  ///< from the link
    tlm_utils::simple_initiator_socket<LinkPort> link_init{"link_init"};        ///< to the link

    /// `agenda`: the drive's, if it is to be shared; otherwise it has its own.
    explicit LinkPort(const sc_core::sc_module_name& name, hw::Agenda* agenda = nullptr);

    void set_user(PortUser& user) override { user_ = &user; }
    bool busy() const override { return awaiting_accept_; }
    bool keeps_order() const override { return true; }
    void begin(PortCommand& command) override;
    void forget_queued() override;
    void power_cut() override;

    // hw::StretchHost
    std::byte* next_data(std::uint32_t bytes) override;
    void send_data() override;

  private:
    // TLM callbacks
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);

    // Work of the agenda
    void frame_arrived(tlm::tlm_generic_payload* payload);

    void frame_received(const hw::FisExtension& fis);
    void register_received(const hw::RegisterD2h& fis);
    void bits_received(const hw::SetDeviceBits& fis);
    void end(const hw::RegisterD2h& answer);
    void take_data(const tlm::tlm_generic_payload& payload);
    void send(const hw::FisHeader& header, hal::Ledger* ledger, std::byte* content, std::uint32_t bytes);

    PortUser* user_ = nullptr;
    std::array<PortCommand*, hw::ata::kTags + 1> commands_{};  // by tag
    std::uint8_t data_tag_ = hw::ata::kNoTag;                  // of the open data phase
    std::uint8_t pio_end_status_ = 0;
    bool drive_there_ = false;
    bool awaiting_accept_ = false;
    std::uint32_t arriving_ = 0;  // frames that the link has delivered and nobody has looked at
    std::uint32_t lost_ = 0;      // of these, those of before the last power cut
    hw::PayloadPool<hw::FisExtension> fis_pool_{1024};  // a few frames for each command
};

}  // namespace solidtlm::testbench
