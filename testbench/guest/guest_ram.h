// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include <tlm_utils/simple_target_socket.h>

#include "testbench/pci_proxy/guest_memory.h"

namespace solidtlm::testbench {

/// The guest's memory, as DMA reaches it: at once, by b_transport, or by nb_transport_fw that ends there.
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
