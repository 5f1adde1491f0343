// SPDX-License-Identifier: Apache-2.0
//
// For tests: a foreign module between a flash controller and a die. It does not use agendas: its instants are
// sc_time_stamp() plus delays, and it has its own process.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "hw/nand/nand_protocol.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw::test {

/// Passes commands on and records them.
class Tap : public sc_core::sc_module {
  public:
    NandTargetSocket<Tap> controller_target{"controller_target"};
    NandInitiatorSocket die_init{"die_init"};

    /// Command, die, block, page, planes, last cycle, R/B# high, status register, and how often the process
    /// has seen R/B# high by then.
    using Seen = std::array<std::int64_t, 9>;

    /// Instants count from `begin`. `seen` may be shared by several taps; it must outlive them.
    Tap(const sc_core::sc_module_name& name, std::vector<Seen>& seen, Ps begin = Ps{0})
        : sc_module(name), seen_(seen), begin_(begin) {
        controller_target.register_b_transport(this, &Tap::b_transport);
        SC_HAS_PROCESS(Tap);
        SC_METHOD(ready_method);
        sensitive << ready_;
        dont_initialize();
    }

  private:
    /// The process checks this long after R/B# has risen, so that no command begins at the same instant.
    static constexpr Ps kLooks{777};

    void b_transport(NandTransaction& command, sc_core::sc_time& delay) {
        const Ps sent = instant(delay);
        die_init->b_transport(command, delay);
        ready_.notify(delay + to_sc_time(kLooks));
        const hal::FlashOp& op = *command.op;
        const hal::FlashAddress& to = op.address[0];
        seen_.push_back({static_cast<std::int64_t>(command.command), to.die.value, to.block.value,
                         to.page.value, op.planes, sent.count(), instant(delay).count(), command.status,
                         times_ready_});
    }
    void ready_method() { ++times_ready_; }
    [[nodiscard]] Ps instant(const sc_core::sc_time& delay) const {
        return to_ps(sc_core::sc_time_stamp() + delay) - begin_;
    }

    std::vector<Seen>& seen_;
    Ps begin_;
    sc_core::sc_event_queue ready_{"ready"};
    std::int64_t times_ready_ = 0;
};

}  // namespace solidtlm::hw::test
