// SPDX-License-Identifier: Apache-2.0
//
// One side of the link. It reaches its end by calls, or by sockets that speak the protocol of hw/sata/link.h.
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

    /// The link calls `end` from now on. The sockets stay bound.
    void call(LinkEnd& end) { end_ = &end; }
    [[nodiscard]] bool called() const { return end_ != nullptr; }
    /// Takes a frame from an end that calls.
    void send(const SataFrame& frame);

    // From the link
    /// Delivers a frame to the end. False: the end has taken the frame, but is not ready for another until it
    /// calls SataLink::ready().
    bool deliver(const SataFrame& frame, bool alone) {
        if (end_ == nullptr) {
            return deliver_payload(frame);
        }
        end_->frame_came(frame, now(), alone);
        return true;
    }
    [[nodiscard]] bool holds() const { return state_.held != nullptr; }
    /// Tells the end that its frame has gone, or is lost.
    void end_frame(const SataFrame& frame, bool alone, bool lost) {
        if (frame.payload != nullptr) {
            end_payload(frame, lost);
        } else {
            end_->frame_gone(frame, alone);
        }
    }
    /// Releases a frame without telling the end.
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
    bool deliver_payload(const SataFrame& frame);
    void end_payload(const SataFrame& frame, bool lost);
    /// Calls `transport(phase, delay)` with the delay that the end is to see.
    template <class Transport>
    tlm::tlm_sync_enum transport(tlm::tlm_phase phase, Transport transport);

    SataLink& link_;
    const Of of_;
    LinkEnd* end_ = nullptr;
    bool border_ = false;
    struct Volatile {
        std::vector<tlm::tlm_generic_payload*> announced;  ///< frames that the end sends later
        tlm::tlm_generic_payload* held = nullptr;          ///< a frame that the end has taken, not answered
    } state_;
    PayloadPool<FisExtension> payloads_{ata::kMostFrames};  ///< to the end, which may keep them for a while
};

}  // namespace solidtlm::hw
