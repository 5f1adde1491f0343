// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/guest_ram.h"

#include <span>

namespace solidtlm::testbench {

GuestRam::GuestRam(const sc_core::sc_module_name& name, pci_proxy::GuestMemory& guest)
    : sc_module(name), guest_(guest) {
    target.register_b_transport(this, &GuestRam::b_transport);
    target.register_nb_transport_fw(this, &GuestRam::nb_transport_fw);
}

void GuestRam::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    const std::span data(reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length());
    const bool done = payload.is_write() ? guest_.write(payload.get_address(), data)
                                         : guest_.read(payload.get_address(), data);
    payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

tlm::tlm_sync_enum GuestRam::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                             sc_core::sc_time& delay) {
    b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
}

}  // namespace solidtlm::testbench
