// SPDX-License-Identifier: Apache-2.0
//
// The socket to the host's memory, and to what else answers there, such as an interrupt controller. The
// link alone takes time, and the agenda may run in a method process: an access is nb_transport_fw(BEGIN_REQ,
// delay 0) at the instant at which the bytes are at the root, and the target answers TLM_COMPLETED at once.
#pragma once

#include <span>
#include <tlm>

#include <tlm_utils/simple_initiator_socket.h>

#include "fw/hal/check.h"

namespace solidtlm::hw::nvme {

class MemorySocket final : public tlm_utils::simple_initiator_socket<MemorySocket>,
                           private tlm::tlm_mm_interface {
  public:
    explicit MemorySocket(const char* name) : simple_initiator_socket(name) { payload_.set_mm(this); }

    /// False: nothing answers there.
    bool access(bool write, std::uint64_t address, std::span<std::byte> bytes) {
        payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        payload_.set_address(address);
        payload_.set_data_ptr(reinterpret_cast<unsigned char*>(bytes.data()));
        payload_.set_data_length(static_cast<unsigned>(bytes.size()));
        payload_.set_streaming_width(static_cast<unsigned>(bytes.size()));
        payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        payload_.acquire();
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum answer = (*this)->nb_transport_fw(payload_, phase, delay);
        SOLIDTLM_CHECK(answer == tlm::TLM_COMPLETED && delay == sc_core::SC_ZERO_TIME,
                       "memory answers at once, and adds no delay to that of the link");
        const bool ok = payload_.is_response_ok();
        payload_.release();
        return ok;
    }

  private:
    void free(tlm::tlm_generic_payload* /*payload*/) override {}  // it is used again

    tlm::tlm_generic_payload payload_;
};

}  // namespace solidtlm::hw::nvme
