// SPDX-License-Identifier: Apache-2.0
//
// A small board around a host bus adapter: memory from address 0, and a bus on which the processor finds the
// memory and the adapter's registers. Every access is carried out by b_transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <systemc>
#include <tlm>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

/// Memory that reads zeros until written; only the used part occupies memory of the program. Accesses beyond
/// its end are refused.
class Ram : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket_optional<Ram> target{"target"};  ///< from the bus
    tlm_utils::simple_target_socket<Ram> dma_target{"dma_target"};   ///< from the adapter

    /// `access_time`: time per access of any length.
    Ram(const sc_core::sc_module_name& name, std::uint64_t bytes, hal::Ps access_time);

    /// Reads memory in zero simulated time. Empty if part of the range is not memory.
    [[nodiscard]] std::span<std::byte> at(std::uint64_t address, std::uint64_t bytes);

  private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    /// Used by adapters that cannot wait, such as the drive's NVMe controller: the access completes within
    /// the call.
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);

    const std::uint64_t bytes_;
    const hal::Ps access_time_;
    std::unique_ptr<std::byte, decltype(&std::free)> data_;
};

/// Routes the processor's accesses: to the registers inside their window, to memory elsewhere.
class Bus : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<Bus> processor_target{"processor_target"};
    tlm_utils::simple_initiator_socket<Bus> memory_init{"memory_init"};
    tlm_utils::simple_initiator_socket<Bus> register_init{"register_init"};

    /// The registers begin at `registers` and take `register_bytes`.
    Bus(const sc_core::sc_module_name& name, std::uint64_t registers, std::uint64_t register_bytes);

  private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    const std::uint64_t registers_;
    const std::uint64_t register_bytes_;
};

}  // namespace solidtlm::testbench
