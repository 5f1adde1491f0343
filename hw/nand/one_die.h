// SPDX-License-Identifier: Apache-2.0
//
// For tests: a single die, with the test as its initiator.
#pragma once

#include "hw/nand/die.h"
#include "hw/nand/test_bench.h"

namespace solidtlm::hw::test {

struct OneDie : sc_core::sc_module {
    NandInitiatorSocket die_init{"die_init"};
    Die die;
    std::uint8_t status = 0;

    OneDie(const sc_core::sc_module_name& name, const NandConfig& config)
        : sc_module(name), die("die", config, hal::Channel{0}, hal::Die{0}) {
        die_init.bind(die.channel_target);
    }
    /// Confirms a command at `offset` from now; returns how long R/B# stays low after that.
    Ps send(NandCommand command, FlashOp& op, Ps offset = Ps{0}) {
        NandTransaction transaction{command, &op};
        sc_core::sc_time delay = to_sc_time(offset);
        die_init->b_transport(transaction, delay);
        status = transaction.status;
        return to_ps(delay) - offset;
    }
};

}  // namespace solidtlm::hw::test
