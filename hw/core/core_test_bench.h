// SPDX-License-Identifier: Apache-2.0
//
// Scripted programs and fake targets for the tests of the firmware core.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>

#include "hw/core/firmware_core.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/test_actions.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw {

/// Runs its script entry by entry; idle when none is left.
struct ScriptedProgram : hal::Program {
    hal::Slice step() override {
        stepped_at.push_back(now());
        if (script.empty()) {
            return hal::Slice{};
        }
        const auto entry = script.front();
        script.pop_front();
        return entry();
    }
    void on_work(hal::Completion completion) override { kick = completion; }

    void busy(std::uint64_t cycles, Ps stall = Ps{0}, hal::Cause cause = hal::Cause::host) {
        script.emplace_back([=] { return hal::Slice{false, cycles, stall, cause}; });
    }
    /// Of a turn, while others are ready.
    void contended(bool begins_turn, std::uint64_t cycles, Ps stall = Ps{0}) {
        script.emplace_back(
            [=] { return hal::Slice{false, cycles, stall, hal::Cause::host, begins_turn, true}; });
    }
    void idle() {
        script.emplace_back([] { return hal::Slice{}; });
    }

    std::deque<std::function<hal::Slice()>> script;
    std::vector<Ps> stepped_at;
    hal::Completion kick;
};

/// A flash controller that finishes operations when the test tells it to.
struct FakeFlash : sc_core::sc_module {
    FlashTargetSocket<FakeFlash> core_target{"core_target"};

    explicit FakeFlash(const sc_core::sc_module_name& name) : sc_module(name) {
        core_target.register_nb_transport_fw(this, &FakeFlash::nb_transport_fw);
    }
    tlm::tlm_sync_enum nb_transport_fw(hal::FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay) {
        EXPECT_EQ(phase, FlashPhase::submit);
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        ops.push_back(&op);
        return tlm::TLM_ACCEPTED;
    }
    /// Finishes the operation at position `index`.
    void finish(std::size_t index, Ps delay = Ps{0}) {
        hal::FlashOp& op = *ops[index];
        ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(index));
        FlashPhase phase = FlashPhase::done;
        sc_core::sc_time annotated = to_sc_time(delay);
        EXPECT_EQ(core_target->nb_transport_bw(op, phase, annotated), tlm::TLM_COMPLETED);
    }
    std::vector<hal::FlashOp*> ops;
};

/// A DRAM in which every core access waits and transfers for fixed times.
struct FakeDram : sc_core::sc_module {
    tlm_utils::passthrough_target_socket<FakeDram> core_target{"core_target"};

    explicit FakeDram(const sc_core::sc_module_name& name) : sc_module(name) {
        core_target.register_nb_transport_fw(this, &FakeDram::nb_transport_fw);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& delay) {
        last_offset = to_ps(delay);
        last_command = payload.get_command();
        last_address = payload.get_address();
        auto& extension = *payload.get_extension<DramExtension>();
        extension.wait = wait;
        extension.transfer = transfer;
        delay += to_sc_time(wait + transfer);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    Ps wait{30'000};
    Ps transfer{12'500};
    Ps last_offset{0};
    tlm::tlm_command last_command{};
    std::uint64_t last_address = 0;
};

/// A core with two flash channels of four dies. Actions run at given instants.
struct CoreBench : TestActions {
    explicit CoreBench(const sc_core::sc_module_name& name, double mhz = 500.0)
        : TestActions(name), core("core", CoreConfig{mhz}, DramConfig{}, 2, 4) {
        core.flash_init[0].bind(flash0.core_target);
        core.flash_init[1].bind(flash1.core_target);
        checkers.join(core.dram_init, dram.core_target);
    }
    FirmwareCore core;
    FakeFlash flash0{"flash0"};
    FakeFlash flash1{"flash1"};
    FakeDram dram{"dram"};
    ProtocolCheckers checkers;
};

}  // namespace solidtlm::hw
