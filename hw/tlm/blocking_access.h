// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <systemc>
#include <tlm>

namespace solidtlm::hw {

/// An access by b_transport, as a processor makes it. `delay` is that of the call, and afterwards that of its
/// end.
template <class InitiatorSocket>
tlm::tlm_response_status blocking_access(InitiatorSocket& socket, tlm::tlm_command command,
                                         std::uint64_t address, std::span<std::byte> data,
                                         sc_core::sc_time& delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    socket->b_transport(payload, delay);
    return payload.get_response_status();
}

}  // namespace solidtlm::hw
