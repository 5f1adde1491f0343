// SPDX-License-Identifier: Apache-2.0
//
// The sockets by which an end is bound to the link. A plug that knows the link's side calls it; otherwise it
// sends payloads (hw/sata/link.h).
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/sata/link_side.h"

namespace solidtlm::hw {

class LinkPlug {
  public:
    tlm_utils::passthrough_target_socket<LinkPlug> target{"link_target"};  ///< from the link
    tlm_utils::simple_initiator_socket<LinkPlug> init{"link_init"};        ///< to the link

    /// `end` has at most `most` frames in the link at once.
    LinkPlug(LinkEnd& end, std::size_t most);

    /// Both directions use calls from now on. The sockets stay bound.
    void call(LinkSide& side) {
        side_ = &side;
        side.call(end_);
    }
    void send(const SataFrame& frame) {
        if (side_ != nullptr) {
            side_->send(frame);
        } else {
            send_payload(frame);
        }
    }

  private:
    void send_payload(const SataFrame& frame);
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);

    LinkEnd& end_;
    LinkSide* side_ = nullptr;
    PayloadPool<FisExtension> payloads_;
};

}  // namespace solidtlm::hw
