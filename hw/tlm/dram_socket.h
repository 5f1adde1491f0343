// SPDX-License-Identifier: Apache-2.0
//
// The socket by which a block accesses the DRAM. A block that knows a DramService calls it. Otherwise,
// because a protocol checker or another model of a memory is bound to the socket, it sends payloads of the
// base protocol with a DramExtension: nb_transport_fw(BEGIN_REQ) is answered by TLM_COMPLETED with the delay,
// or later by nb_transport_bw(BEGIN_RESP). Both ways take the same time.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/tlm/dram_service.h"
#include "hw/tlm/extensions.h"
#include "hw/tlm/payload_pool.h"

namespace solidtlm::hw {

class DramSocket final : public tlm_utils::simple_initiator_socket<DramSocket> {
  public:
    /// At most `most` accesses wait at once.
    DramSocket(const char* name, std::size_t most);

    /// Accesses call `service` from now on. The socket stays bound.
    void call(DramService& service) { service_ = &service; }

    /// See DramService.
    std::optional<DramTimes> access(const DramRequest& request, Ps at) {
        return service_ != nullptr ? service_->access(request, at) : send(request, at);
    }

  private:
    std::optional<DramTimes> send(const DramRequest& request, Ps at);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);

    DramService* service_ = nullptr;
    PayloadPool<DramExtension> payloads_;
};

}  // namespace solidtlm::hw
