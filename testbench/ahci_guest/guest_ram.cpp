// SPDX-License-Identifier: Apache-2.0
#include "testbench/ahci_guest/guest_ram.h"

#include <algorithm>

namespace solidtlm::testbench {

GuestRam::GuestRam(const sc_core::sc_module_name& name, pci_proxy::GuestMemory& guest, std::size_t own_bytes)
    : sc_module(name), guest_(guest), own_(own_bytes) {
    target.register_b_transport(this, &GuestRam::b_transport);
}

void GuestRam::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    const std::span data(reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length());
    payload.set_response_status(access(payload.is_write(), payload.get_address(), data)
                                    ? tlm::TLM_OK_RESPONSE
                                    : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool GuestRam::access(bool write, std::uint64_t address, std::span<std::byte> data) {
    if (address < kOwnAddress) {
        return write ? guest_.write(address, data) : guest_.read(address, data);
    }
    const std::uint64_t at = address - kOwnAddress;
    if (at > own_.size() || data.size() > own_.size() - at) {
        return false;
    }
    const std::span<std::byte> place = own().subspan(at, data.size());
    if (write) {
        std::ranges::copy(data, place.begin());
    } else {
        std::ranges::copy(place, data.begin());
    }
    return true;
}

}  // namespace solidtlm::testbench
