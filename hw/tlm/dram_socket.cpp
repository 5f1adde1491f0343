// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/dram_socket.h"

namespace solidtlm::hw {
namespace {

constexpr const char* kDramSocketReport = "/ssd/dram_socket";

/// The times that the DRAM has set for an access.
DramTimes times_of(const tlm::tlm_generic_payload& payload) {
    if (payload.is_response_error()) {
        SC_REPORT_FATAL(kDramSocketReport, "the DRAM refused an access");
    }
    const auto& extension = *payload.get_extension<DramExtension>();
    return {extension.wait, extension.transfer};
}

}  // namespace

DramSocket::DramSocket(const char* name, std::size_t most)
    : tlm_utils::simple_initiator_socket<DramSocket>(name), payloads_(most) {
    register_nb_transport_bw(this, &DramSocket::nb_transport_bw);
}

std::optional<DramTimes> DramSocket::send(const DramRequest& request, Ps at) {
    if (request.count > 1) {
        return one_by_one(request, at, [this](const DramRequest& one, Ps t) { return *send(one, t); });
    }
    tlm::tlm_generic_payload& payload =
        payloads_.take(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, request.address.value,
                       request.content, request.bytes);
    auto& extension = *payload.get_extension<DramExtension>();
    extension.wait = extension.transfer = Ps{0};
    extension.client = request.client;
    extension.id = request.id;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(at - now());
    const tlm::tlm_sync_enum answer = (*this)->nb_transport_fw(payload, phase, delay);
    std::optional<DramTimes> times;
    if (answer == tlm::TLM_COMPLETED) {
        times = times_of(payload);
    } else if (request.client == nullptr || (answer == tlm::TLM_UPDATED && phase != tlm::END_REQ)) {
        SC_REPORT_FATAL(kDramSocketReport,
                        "the DRAM ends an access with TLM_COMPLETED or nb_transport_bw(BEGIN_RESP), and the "
                        "core's at once");
    }
    payload.release();  // a DRAM that has not answered yet holds a reference
    return times;
}

tlm::tlm_sync_enum DramSocket::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(kDramSocketReport, "unknown phase from the DRAM");
    }
    const auto& extension = *payload.get_extension<DramExtension>();
    extension.client->dram_granted(extension.id, now() + to_ps(delay), times_of(payload));
    return tlm::TLM_COMPLETED;
}

}  // namespace solidtlm::hw
