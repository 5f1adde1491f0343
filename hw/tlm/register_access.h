// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <tlm>

namespace solidtlm::hw {

/// Checks an access to `window` bytes of registers, which must read or write `least` to 8 bytes, a power of
/// two, at a multiple of that size. Returns the reason for a refusal, or TLM_OK_RESPONSE.
[[nodiscard]] inline tlm::tlm_response_status register_refusal(const tlm::tlm_generic_payload& payload,
                                                               unsigned least, std::uint64_t window) {
    const unsigned bytes = payload.get_data_length();
    const sc_dt::uint64 address = payload.get_address();
    if (payload.get_byte_enable_ptr() != nullptr) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    if (bytes < least || bytes > 8 || !std::has_single_bit(bytes) || payload.get_streaming_width() < bytes) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (address % bytes != 0 || address + bytes > window || address + bytes < address) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    return payload.is_read() || payload.is_write() ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE;
}

}  // namespace solidtlm::hw
