// SPDX-License-Identifier: Apache-2.0
//
// A board that speaks qtest: registers of an adapter or a drive, memory from address 0, an interrupt line,
// and a client that sends lines instead of a processor.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <systemc>

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/tlm/protocol_checker.h"
#include "platform/configuration.h"
#include "testbench/conformance/qtest/qtest.h"
#include "testbench/examples/virtual_platform/board.h"

namespace solidtlm::testbench {

struct QtestSettings {
    std::uint64_t registers = 0;  ///< base address of the registers
    std::uint64_t ram_bytes = 0;
    std::uint32_t irq = 0;                  ///< number in "IRQ raise" and "IRQ lower"
    platform::Configuration configuration;  ///< configuration of each drive
};

/// Simulated time passes only during clock_step and while the target of a register access waits. All events
/// that are due at the present time have run before a line is answered. Changes of the interrupt line are
/// reported before the answer.
class QtestBoard : public sc_core::sc_module, private QtestMachine {
  protected:
    /// Reads lines from `in`; the end of `in` stops the simulation. The derived board binds
    /// bus_.register_init and interrupt_.
    QtestBoard(const sc_core::sc_module_name& name, const QtestSettings& settings,
               std::uint64_t register_bytes, std::istream& in, std::ostream& out);

    Bus bus_;
    Ram memory_;
    sc_core::sc_in<bool> interrupt_{"interrupt"};
    hw::ProtocolCheckers checkers_;

  private:
    void line_thread();
    void interrupt_method();
    void settle();
    bool access(tlm::tlm_command command, std::uint64_t address, std::span<std::byte> bytes);

    bool load(std::uint64_t address, std::span<std::byte> bytes) override;
    bool store(std::uint64_t address, std::span<const std::byte> bytes) override;
    std::optional<std::uint64_t> step(std::optional<std::uint64_t> ns) override;

    const std::uint32_t irq_;
    std::istream& in_;
    std::ostream& out_;
    tlm_utils::simple_initiator_socket<QtestBoard> processor_init_{"processor_init"};
};

}  // namespace solidtlm::testbench
