// SPDX-License-Identifier: Apache-2.0
//
// For tests: memory of the host that answers in the ways that the base protocol allows. What it moves is
// HostSide's; it moves when it responds, and memory that annotates its delay when it is called.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>

#include <gtest/gtest.h>
#include <tlm_utils/passthrough_target_socket.h>

#include "hw/nvme/test_host_side.h"
#include "hw/tlm/test_actions.h"

namespace solidtlm::hw::nvme {

enum class Answers : std::uint8_t {
    at_once,         ///< TLM_COMPLETED
    with_delay,      ///< TLM_COMPLETED, and a delay
    b_with_delay,    ///< b_transport alone, which adds a delay; the socket converts
    b_waits,         ///< b_transport alone, which waits; the socket converts
    b_unconverted,   ///< b_transport alone, which waits; the socket does not convert
    in_phases,       ///< END_REQ later, BEGIN_RESP still later
    early_end,       ///< TLM_UPDATED with END_REQ, BEGIN_RESP later
    early_response,  ///< TLM_UPDATED with BEGIN_RESP and a delay
    response_alone,  ///< BEGIN_RESP later, without an END_REQ
    in_any_order,    ///< as early_end; responses come in another order than requests
    direct,          ///< as at_once, and DMI
    direct_late,     ///< as in_phases, and DMI
};
inline constexpr std::array kAllAnswers{
    Answers::at_once,        Answers::with_delay,   Answers::b_with_delay, Answers::b_waits,
    Answers::b_unconverted,  Answers::in_phases,    Answers::early_end,    Answers::early_response,
    Answers::response_alone, Answers::in_any_order, Answers::direct,       Answers::direct_late};

inline void PrintTo(Answers answers, std::ostream* out) {
    constexpr std::array kNames{"at_once",        "with_delay",   "b_with_delay", "b_waits",
                                "b_unconverted",  "in_phases",    "early_end",    "early_response",
                                "response_alone", "in_any_order", "direct",       "direct_late"};
    *out << kNames.at(static_cast<std::size_t>(answers));
}

struct OtherMemory : TestActions {
    tlm_utils::simple_target_socket_optional<OtherMemory> target{"target"};
    tlm_utils::passthrough_target_socket_optional<OtherMemory> unconverted_target{"unconverted_target"};
    HostSide& host;
    const Answers answers;
    Ps latency{100'000};  ///< of an access; of DMI: none
    Ps dmi_latency{0};    ///< per byte, as the next one
    Ps dmi_write_latency{0};
    Ps keeps{0};  ///< it lets a payload go so long after it has moved the bytes (14.5)
    std::uint64_t dmi_end = ~std::uint64_t{0};
    bool offers_dmi = true;
    std::size_t under_way = 0;
    std::size_t most_under_way = 0;
    std::size_t kept = 0;  ///< payloads that it has kept and let go

    OtherMemory(const sc_core::sc_module_name& name, HostSide& side, Answers how)
        : TestActions(name), host(side), answers(how) {
        if (how == Answers::b_unconverted) {
            unconverted_target.register_b_transport(this, &OtherMemory::b_transport);
            return;
        }
        if (how == Answers::b_with_delay || how == Answers::b_waits) {
            target.register_b_transport(this, &OtherMemory::b_transport);
        } else {
            target.register_nb_transport_fw(this, &OtherMemory::nb_transport_fw);
        }
        target.register_get_direct_mem_ptr(this, &OtherMemory::get_direct_mem_ptr);
    }

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        count(1);
        if (answers == Answers::b_with_delay) {
            delay += to_sc_time(latency);
        } else {
            sc_core::wait(to_sc_time(latency));
        }
        move(payload);
        count(-1);
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            return tlm::TLM_COMPLETED;
        }
        switch (answers) {
            case Answers::with_delay:
                delay += to_sc_time(latency);
                [[fallthrough]];
            case Answers::at_once:
            case Answers::direct:
                move(payload);
                return tlm::TLM_COMPLETED;
            case Answers::early_response:
                move(payload);
                delay += to_sc_time(latency);
                phase = tlm::BEGIN_RESP;
                return tlm::TLM_UPDATED;
            case Answers::early_end:
            case Answers::in_any_order:
                respond_at(now() + latency_of_next(), payload);
                phase = tlm::END_REQ;
                return tlm::TLM_UPDATED;
            case Answers::in_phases:
            case Answers::direct_late:
                at(now() + latency / 4,
                   [this, &payload] { EXPECT_EQ(send(payload, tlm::END_REQ), tlm::TLM_ACCEPTED); });
                [[fallthrough]];
            default:
                respond_at(now() + latency_of_next(), payload);
                return tlm::TLM_ACCEPTED;
        }
    }

    bool get_direct_mem_ptr(tlm::tlm_generic_payload& /*payload*/, tlm::tlm_dmi& region) {
        region.set_start_address(0);
        region.set_end_address(std::min<std::uint64_t>(dmi_end, host.memory.size() - 1));
        region.set_dmi_ptr(reinterpret_cast<unsigned char*>(host.memory.data()));
        region.set_read_latency(to_sc_time(dmi_latency));
        region.set_write_latency(to_sc_time(dmi_write_latency));
        region.allow_read_write();
        return offers_dmi;
    }
    void end_dmi() { target->invalidate_direct_mem_ptr(0, ~std::uint64_t{0}); }

  private:
    /// What memory adds to a payload, and leaves to its initiator to delete (14.21).
    struct Mark : tlm::tlm_extension<Mark> {
        [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new Mark; }
        void copy_from(const tlm::tlm_extension_base& /*other*/) override {}
    };

    void count(int more) {
        under_way += static_cast<std::size_t>(more);
        most_under_way = std::max(most_under_way, under_way);
    }
    void move(tlm::tlm_generic_payload& payload) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        host.nb_transport_fw(payload, phase, delay);
        payload.set_dmi_allowed(answers == Answers::direct || answers == Answers::direct_late);
        EXPECT_EQ(payload.get_extension<Mark>(), nullptr) << "of an earlier access";
        payload.set_auto_extension(new Mark);
        if (keeps > Ps{0}) {
            keep(payload);
        }
    }
    /// The initiator must not use it for another access meanwhile.
    void keep(tlm::tlm_generic_payload& payload) {
        payload.acquire();
        at(now() + keeps, [this, &payload, write = payload.is_write(), address = payload.get_address(),
                           length = payload.get_data_length()] {
            EXPECT_EQ(payload.is_write(), write);
            EXPECT_EQ(payload.get_address(), address);
            EXPECT_EQ(payload.get_data_length(), length);
            EXPECT_TRUE(payload.is_response_ok());
            payload.release();
            ++kept;
        });
    }
    /// Three different latencies in turn, where responses come in any order.
    Ps latency_of_next() {
        turn_ = (turn_ + 1) % 3;
        return answers == Answers::in_any_order ? latency * (3 - turn_) : latency;
    }
    void respond_at(Ps when, tlm::tlm_generic_payload& payload) {
        count(1);
        payload.acquire();
        at(when, [this, &payload] {
            move(payload);
            EXPECT_EQ(send(payload, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
            payload.release();
            count(-1);
        });
    }
    tlm::tlm_sync_enum send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        return target->nb_transport_bw(payload, phase, delay);
    }

    int turn_ = 0;
};

}  // namespace solidtlm::hw::nvme
