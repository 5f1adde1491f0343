// SPDX-License-Identifier: Apache-2.0
#include "board.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/tlm/time.h"

namespace solidtlm::testbench {

Ram::Ram(const sc_core::sc_module_name& name, std::uint64_t bytes, hal::Ps access_time)
    : sc_module(name),
      bytes_(bytes),
      access_time_(access_time),
      data_(static_cast<std::byte*>(std::calloc(bytes, 1)), &std::free) {
    SOLIDTLM_CHECK(data_ != nullptr, "the program has enough memory");
    target.register_b_transport(this, &Ram::b_transport);
    dma_target.register_b_transport(this, &Ram::b_transport);
    dma_target.register_nb_transport_fw(this, &Ram::nb_transport_fw);
}

std::span<std::byte> Ram::at(std::uint64_t address, std::uint64_t bytes) {
    if (address > bytes_ || bytes > bytes_ - address) {
        return {};
    }
    return {data_.get() + address, bytes};
}

void Ram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::span<std::byte> place = at(payload.get_address(), payload.get_data_length());
    const bool whole = payload.get_streaming_width() >= payload.get_data_length();
    if (place.empty()) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (!whole) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else {
        auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
        if (payload.is_write()) {
            std::copy_n(data, place.size(), place.begin());
        } else if (payload.is_read()) {
            std::ranges::copy(place, data);
        }
        delay += hw::to_sc_time(access_time_);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
}

tlm::tlm_sync_enum Ram::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                        sc_core::sc_time& delay) {
    b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
}

Bus::Bus(const sc_core::sc_module_name& name, std::uint64_t registers, std::uint64_t register_bytes)
    : sc_module(name), registers_(registers), register_bytes_(register_bytes) {
    processor_target.register_b_transport(this, &Bus::b_transport);
}

void Bus::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    if (address >= registers_ && address - registers_ < register_bytes_) {
        payload.set_address(address - registers_);
        register_init->b_transport(payload, delay);
        payload.set_address(address);
    } else {
        memory_init->b_transport(payload, delay);
    }
}

}  // namespace solidtlm::testbench
