// SPDX-License-Identifier: Apache-2.0
//
// The board that speaks qtest: a host bus adapter with drives behind some of its ports, memory from address
// 0, and a client that sends lines in place of a processor.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <systemc>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/ahci/hba.h"
#include "hw/tlm/protocol_checker.h"
#include "platform/ssd.h"
#include "testbench/ahci/qtest.h"
#include "testbench/examples/virtual_platform/board.h"

namespace solidtlm::testbench {

struct QtestSettings {
    std::uint64_t abar = 0;
    std::uint64_t ram_bytes = 0;
    std::uint32_t irq = 0;              ///< number in "IRQ raise" and "IRQ lower"
    std::vector<std::uint32_t> drives;  ///< ports that have one
    hw::AhciConfig adapter;
    platform::Configuration configuration;  ///< of each drive
};

/// Simulated time passes during clock_step alone. Events that take no time have happened when a line is
/// answered. Changes of the interrupt line are reported before the answer.
class QtestBoard : public sc_core::sc_module, private QtestMachine {
  public:
    /// Reads lines of `in` until there are no more, which stops the simulation.
    QtestBoard(const sc_core::sc_module_name& name, const QtestSettings& settings, std::istream& in,
               std::ostream& out);

  private:
    void line_thread();
    void interrupt_method();
    void settle();
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::byte* data,
                                    std::size_t bytes);

    bool load(std::uint64_t address, std::span<std::byte> bytes) override;
    bool store(std::uint64_t address, std::span<const std::byte> bytes) override;
    std::uint64_t step(std::optional<std::uint64_t> ns) override;

    const std::uint32_t irq_;
    std::istream& in_;
    std::ostream& out_;
    tlm_utils::simple_initiator_socket<QtestBoard> processor_init_{"processor_init"};
    sc_core::sc_signal<bool> line_{"line"};
    Bus bus_;
    Ram memory_;
    hw::AhciHba hba_;
    std::vector<std::unique_ptr<platform::Ssd>> drives_;
    hw::ProtocolCheckers checkers_;
};

}  // namespace solidtlm::testbench
