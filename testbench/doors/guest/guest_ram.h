// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include <tlm_utils/simple_target_socket.h>

#include "testbench/doors/pci_proxy/guest_memory.h"

namespace solidtlm::testbench {

/// The guest's memory for DMA. An access completes within the call, through b_transport or nb_transport_fw.
class GuestRam : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<GuestRam> target{"target"};

    GuestRam(const sc_core::sc_module_name& name, pci_proxy::GuestMemory& guest);

  private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);

    pci_proxy::GuestMemory& guest_;
};

}  // namespace solidtlm::testbench
