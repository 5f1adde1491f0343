// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/link_side.h"

#include "hw/sata/link.h"

namespace solidtlm::hw {
namespace {

constexpr const char* kSideReport = "/ssd/link";

bool is_fis(const tlm::tlm_generic_payload& payload) {
    const auto* fis = payload.get_extension<FisExtension>();
    return fis != nullptr && fis->header_bytes != 0 &&
           fis->header_bytes == fis_header_bytes(fis->header[0]) &&
           payload.get_data_length() <= kMaxDataFisBytes && payload.get_data_length() % 4 == 0;
}

}  // namespace

LinkSide::LinkSide(SataLink& link, Of of)
    : target(of == Of::host ? "host_target" : "device_target"),
      init(of == Of::host ? "host_init" : "device_init"),
      link_(link),
      of_(of) {
    target.register_nb_transport_fw(this, &LinkSide::nb_transport_fw);
    init.register_nb_transport_bw(this, &LinkSide::nb_transport_bw);
}

void LinkSide::send(const SataFrame& frame) {
    link_.take(of_, frame);
}

tlm::tlm_sync_enum LinkSide::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ || (of_ == Of::device && delay != sc_core::SC_ZERO_TIME)) {
        SC_REPORT_FATAL(kSideReport, "a frame begins with BEGIN_REQ, a device's without delay");
        return tlm::TLM_COMPLETED;
    }
    auto* fis = payload.get_extension<FisExtension>();
    if (fis != nullptr && fis->signal != LinkSignal::none) {
        if (of_ == Of::device || delay != sc_core::SC_ZERO_TIME) {
            SC_REPORT_FATAL(kSideReport, "signals come from the host, without delay");
        }
        fis->speed = link_.signalled(fis->signal);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    if (!is_fis(payload)) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        SC_REPORT_FATAL(kSideReport, "not a FIS");
        return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    if (delay == sc_core::SC_ZERO_TIME) {
        send(frame_of(payload));
    } else {
        state_.announced.push_back(&payload);
        link_.push(now() + to_ps(delay), kCall<&LinkSide::frame_comes>.function(), this,
                   detail::word_of(&payload));
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// A frame comes that the end has announced.
void LinkSide::frame_comes(tlm::tlm_generic_payload* payload) {
    std::erase(state_.announced, payload);
    send(frame_of(*payload));
}

/// The end is ready again.
tlm::tlm_sync_enum LinkSide::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (state_.held != &payload || phase != tlm::BEGIN_RESP || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL(kSideReport,
                        "a receiver answers the frame that it has accepted with BEGIN_RESP, without delay");
        return tlm::TLM_COMPLETED;
    }
    state_.held = nullptr;
    payload.release();
    link_.ready(of_);
    return tlm::TLM_COMPLETED;
}

template <class Transport>
tlm::tlm_sync_enum LinkSide::transport(tlm::tlm_phase phase, Transport transport) {
    if (border_) {
        Agenda::Outside outside(link_.agenda());
        return transport(phase, outside.delay);
    }
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    return transport(phase, delay);
}

bool LinkSide::deliver_payload(const SataFrame& frame) {
    tlm::tlm_generic_payload& payload = take_frame(payloads_, frame);
    const tlm::tlm_sync_enum answer = transport(tlm::BEGIN_REQ, [&](auto& phase, auto& delay) {
        return init->nb_transport_fw(payload, phase, delay);
    });
    if (answer == tlm::TLM_ACCEPTED) {
        state_.held = &payload;
        return false;
    }
    if (answer != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(kSideReport, "a receiver answers TLM_COMPLETED or TLM_ACCEPTED");
    }
    payload.release();
    return true;
}

void LinkSide::end_payload(const SataFrame& frame, bool lost) {
    frame.payload->get_extension<FisExtension>()->held = frame.held;
    frame.payload->set_response_status(lost ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    const tlm::tlm_sync_enum answer = transport(tlm::BEGIN_RESP, [&](auto& phase, auto& delay) {
        return target->nb_transport_bw(*frame.payload, phase, delay);
    });
    if (answer != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(kSideReport, "the sender of a frame answers its end with TLM_COMPLETED");
    }
    forget(frame);
}

void LinkSide::forget(const SataFrame& frame) {
    if (frame.payload != nullptr) {
        frame.payload->release();
    }
}

void LinkSide::signal(LinkSignal signal) {
    if (end_ != nullptr) {
        end_->signalled(signal);
        return;
    }
    tlm::tlm_generic_payload& payload = take_signal(payloads_, signal);
    const tlm::tlm_sync_enum answer = transport(tlm::BEGIN_REQ, [&](auto& phase, auto& delay) {
        return init->nb_transport_fw(payload, phase, delay);
    });
    if (answer != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(kSideReport, "a device answers a signal with TLM_COMPLETED");
    }
    payload.release();
}

void LinkSide::power_cut() {
    for (tlm::tlm_generic_payload* payload : state_.announced) {
        payload->release();
    }
    if (state_.held != nullptr) {
        state_.held->release();
    }
    state_ = {};
}

}  // namespace solidtlm::hw
