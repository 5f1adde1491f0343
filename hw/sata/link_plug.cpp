// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/link_plug.h"

namespace solidtlm::hw {
namespace {
constexpr const char* kPlugReport = "/ssd/link_plug";
}

LinkPlug::LinkPlug(LinkEnd& end, std::size_t most) : end_(end), payloads_(most) {
    target.register_nb_transport_fw(this, &LinkPlug::nb_transport_fw);
    init.register_nb_transport_bw(this, &LinkPlug::nb_transport_bw);
}

void LinkPlug::send_payload(const SataFrame& frame) {
    tlm::tlm_generic_payload& payload = take_frame(payloads_, frame);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (init->nb_transport_fw(payload, phase, delay) != tlm::TLM_UPDATED) {
        SC_REPORT_FATAL(kPlugReport, "the link did not take a frame");
    }
    payload.release();
}

tlm::tlm_sync_enum LinkPlug::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_FATAL(kPlugReport, "a frame arrives with BEGIN_REQ");
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (const LinkSignal signal = payload.get_extension<FisExtension>()->signal; signal != LinkSignal::none) {
        end_.signalled(signal);
    } else {
        end_.frame_came(frame_of(payload), now() + to_ps(delay), false);
    }
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum LinkPlug::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& /*delay*/) {
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(kPlugReport, "a frame that was sent ends with BEGIN_RESP");
    }
    end_.frame_gone(frame_of(payload), false);
    return tlm::TLM_COMPLETED;
}

}  // namespace solidtlm::hw
