// SPDX-License-Identifier: Apache-2.0
//
// One side of the link: an end that is called and calls, or sockets that speak the protocol of
// hw/sata/link.h.
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/sata/ata.h"
#include "hw/sata/link_end.h"
#include "hw/tlm/payload_pool.h"

namespace solidtlm::hw {

class SataLink;

class LinkSide {
  public:
    tlm_utils::passthrough_target_socket<LinkSide> target;  ///< the end sends here
    tlm_utils::simple_initiator_socket<LinkSide> init;      ///< to the end

    enum class Of : std::uint8_t { host, device };
    LinkSide(SataLink& link, Of of);

    /// The end is called from now on. The sockets stay bound.
    void call(LinkEnd& end) { end_ = &end; }
    /// From an end that calls, at `at`.
    void send(const SataFrame& frame, Ps at);

    // From the link
    /// False: the end has taken the frame but is not ready for another: SataLink::ready().
    bool deliver(const SataFrame& frame, Ps at, bool alone);
    [[nodiscard]] bool holds() const { return held_ != nullptr; }
    /// A frame of this end has gone, or is lost.
    void end_frame(const SataFrame& frame, Ps at, bool alone, bool lost);
    /// The same, without telling the end.
    static void forget(const SataFrame& frame);
    void signal(LinkSignal signal);
    /// The end does not share the link's agenda.
    void set_border() { border_ = true; }
    [[nodiscard]] bool border() const { return border_; }
    void power_cut();

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void frame_comes(tlm::tlm_generic_payload* payload);
    /// `transport(phase, delay)` to the end, with the delay that belongs there.
    template <class Transport>
    tlm::tlm_sync_enum transport(tlm::tlm_phase phase, Transport transport);

    SataLink& link_;
    const Of of_;
    LinkEnd* end_ = nullptr;
    bool border_ = false;
    std::vector<tlm::tlm_generic_payload*> announced_;      ///< by the end, for later
    tlm::tlm_generic_payload* held_ = nullptr;              ///< that the end has taken and not answered
    PayloadPool<FisExtension> payloads_{ata::kMostFrames};  ///< to the end, which may keep them for a while
};

}  // namespace solidtlm::hw
