// SPDX-License-Identifier: Apache-2.0
//
// Initiators for the tests of the DRAM: one on each port, which record what they see.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/dram/dram.h"
#include "hw/tlm/extensions.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/test_actions.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw {

constexpr auto kRead = tlm::TLM_READ_COMMAND;

// DDR3-1600 11-11-11 x16: 3.2 GB/s.
constexpr Ps kLatency{13'750};   // CL = tRCD = tRP
constexpr Ps kBurst{5'000};      // 16 bytes
constexpr Ps kRowTime{640'000};  // 2048 bytes

struct DramInitiator : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<DramInitiator> dram_init{"dram_init"};

    struct Result {
        std::uint64_t id = 0;
        Ps issued{0};
        Ps answered{0};  ///< when the DRAM announced the end
        Ps done{0};      ///< when the last data moved
        Ps wait{0};
        Ps transfer{0};
        bool at_once = false;
    };

    explicit DramInitiator(const sc_core::sc_module_name& name) : sc_module(name) {
        dram_init.register_nb_transport_bw(this, &DramInitiator::nb_transport_bw);
    }

    void send(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes, void* data = nullptr) {
        tlm::tlm_generic_payload& payload = pool.take(command, address, data, bytes);
        payload.get_extension<DramExtension>()->id = issued_at.size();
        issued_at.push_back(now());
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (dram_init->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
            note(payload, to_ps(delay), true);
            payload.release();
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        note(payload, to_ps(delay), false);
        payload.release();
        return tlm::TLM_COMPLETED;
    }

    void note(tlm::tlm_generic_payload& payload, Ps delay, bool at_once) {
        const auto& extension = *payload.get_extension<DramExtension>();
        results.push_back({extension.id, issued_at[extension.id], now(), now() + delay, extension.wait,
                           extension.transfer, at_once});
        if (on_result) {
            on_result();
        }
    }

    PayloadPool<DramExtension> pool{1U << 20U};
    std::vector<Ps> issued_at;
    std::vector<Result> results;
    std::function<void()> on_result;
};

/// A DRAM with a host, two flash channels, a hash unit and a core. Actions run at given instants.
struct DramBench : TestActions {
    DramBench(const sc_core::sc_module_name& name, const DramConfig& config)
        : TestActions(name), dram("dram", config, 2) {
        checkers.join(host.dram_init, dram.host_target);
        checkers.join(flash0.dram_init, dram.flash_target[0]);
        checkers.join(flash1.dram_init, dram.flash_target[1]);
        checkers.join(hash.dram_init, dram.hash_target);
        checkers.join(core.dram_init, dram.core_target, TimeOrder::transaction);
    }

    struct CoreResult {
        Ps wait;
        Ps transfer;
        Ps delay;
    };
    CoreResult core_access(std::uint64_t address, std::uint32_t bytes, Ps offset = Ps{0},
                           tlm::tlm_command command = tlm::TLM_READ_COMMAND, void* data = nullptr) {
        tlm::tlm_generic_payload& payload = core.pool.take(command, address, data, bytes);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = to_sc_time(offset);
        EXPECT_EQ(core.dram_init->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        const auto& extension = *payload.get_extension<DramExtension>();
        const CoreResult result{extension.wait, extension.transfer, to_ps(delay)};
        payload.release();
        return result;
    }

    void power_cut() {
        dram.power_cut();
        checkers.power_cut();
    }

    Dram dram;
    ProtocolCheckers checkers;
    DramInitiator host{"host"};
    DramInitiator flash0{"flash0"};
    DramInitiator flash1{"flash1"};
    DramInitiator hash{"hash"};
    DramInitiator core{"core"};
};

}  // namespace solidtlm::hw
