// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include "testbench/pci_proxy/guest_memory.h"

namespace solidtlm::testbench {

/// What the adapter's DMA reaches: the guest's memory, and a piece of the board's own, far above it, for what
/// is done before the guest begins.
class GuestRam : public sc_core::sc_module {
  public:
    static constexpr std::uint64_t kOwnAddress = std::uint64_t{1} << 48U;

    tlm_utils::simple_target_socket<GuestRam> target{"target"};

    GuestRam(const sc_core::sc_module_name& name, pci_proxy::GuestMemory& guest, std::size_t own_bytes);

    [[nodiscard]] std::span<std::byte> own() { return own_; }

  private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    [[nodiscard]] bool access(bool write, std::uint64_t address, std::span<std::byte> data);

    pci_proxy::GuestMemory& guest_;
    std::vector<std::byte> own_;
};

}  // namespace solidtlm::testbench
