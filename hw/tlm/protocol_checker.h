// SPDX-License-Identifier: Apache-2.0
//
// A checker between an initiator and a target socket of the TLM-2.0 base protocol. It reports every breach of
// the protocol's rules (IEEE 1666-2011 clauses 11, 14 and 15) as SC_ERROR "/tlm/protocol", with the clause.
// It adds no time and no event, so a run gives the same results with and without checkers.
//
// What it checks in each transaction on its hop:
//   payload      memory manager and reference (14.5); length, streaming width and byte enables that make
//                sense (14.12, 14.14, 14.15); DMI hint and response status as an initiator leaves them
//                (14.16, 14.17); not used again before its end (14.5)
//   unchanged    command, address, data pointer, length, byte enables, streaming width until the end (14.7)
//   phases       BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP in their order, each from the side it belongs to;
//                the last three may be left out if the return value says so (15.2.3, 15.2.4)
//   exclusion    no second BEGIN_REQ before the END_REQ of the first, no second BEGIN_RESP before the
//                END_RESP of the first (15.2.6)
//   time         now + delay never goes back within a transaction (15.2.7) nor, stricter than the standard
//                unless TimeOrder says otherwise, from one BEGIN_REQ, or one BEGIN_RESP, to the next
//   return       TLM_ACCEPTED changes neither phase nor delay (11.1.2); the end has a response status (14.17)
//   b_transport  not from a method process, which cannot wait (11.1.1.4); the delay is not shortened
//
// Not checked: ignorable phases (the model has none; they are reported as phases from the wrong side), and
// that the data pointer is not null (14.11): a payload without content has none (extensions.h).
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/tlm/time.h"

namespace solidtlm::hw {

/// Where annotated times must not go back: over all transactions of a socket, or only within each transaction
/// (for an initiator that makes requests ahead of time in any order).
enum class TimeOrder : std::uint8_t { socket, transaction };

/// What a power cut ends: both sides, or the initiator alone, whose target may answer later.
enum class PowerOf : std::uint8_t { both_sides, initiator };

/// The checker of one initiator and its target.
class ProtocolChecker : public sc_core::sc_module {
  public:
    tlm_utils::passthrough_target_socket<ProtocolChecker> initiator_target{"initiator_target"};
    tlm_utils::simple_initiator_socket<ProtocolChecker> target_init{"target_init"};

    ProtocolChecker(const sc_core::sc_module_name& name, TimeOrder order, PowerOf power);

    /// Binds `initiator` to `target` through this checker. Reports name the initiator's socket.
    template <class Initiator, class Target>
    void join(Initiator& initiator, Target& target) {
        place_ = initiator.name();
        initiator.bind(initiator_target);
        target_init.bind(target);
    }
    /// If both sides lost power, transactions under way end without a response. Otherwise the initiator still
    /// has to end them as the protocol says.
    void power_cut() {
        if (power_ == PowerOf::both_sides) {
            state_ = {};
        }
    }
    /// Reports nothing from now on, because the next transactions break rules on purpose.
    void stop() { stopped_ = true; }

  private:
    using Payload = tlm::tlm_generic_payload;
    /// The fields that must not change until the transaction ends.
    struct Fields {
        explicit Fields(const Payload& payload);
        bool operator==(const Fields&) const = default;
        tlm::tlm_command command;
        sc_dt::uint64 address;
        const unsigned char* data;
        unsigned length;
        const unsigned char* byte_enable;
        unsigned byte_enable_length;
        unsigned streaming_width;
    };
    struct Transaction {
        Fields fields;
        tlm::tlm_phase phase;
        Ps at;  ///< time of its last call or return, delay included
    };

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void b_transport(Payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(Payload& payload) { return target_init->transport_dbg(payload); }
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
        return target_init->get_direct_mem_ptr(payload, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
        initiator_target->invalidate_direct_mem_ptr(start, end);
    }

    void check_call(const Payload& payload);
    void check_new(const Payload& payload);
    void check_response(const Payload& payload);
    void begin_request(const Payload& payload, Ps at);
    /// Checks that a request or a response at `at` is not earlier than the one before it, at `last`.
    void check_order(Ps& last, Ps at, const char* what) const;
    /// Moves the transaction of `payload` on to `phase`; `from_target` says which side sends it.
    void advance(const Payload& payload, tlm::tlm_phase phase, Ps at, bool from_target);
    void check_return(const Payload& payload, tlm::tlm_sync_enum answer, tlm::tlm_phase before,
                      tlm::tlm_phase after, Ps at_before, Ps at_after, bool from_target);
    void end(const Payload& payload);
    void breach(const std::string& rule) const;

    std::string place_;
    TimeOrder order_;
    PowerOf power_;
    bool stopped_ = false;
    struct Volatile {
        std::map<const Payload*, Transaction> open;
        const Payload* request = nullptr;   ///< between BEGIN_REQ and END_REQ
        const Payload* response = nullptr;  ///< between BEGIN_RESP and END_RESP
        Ps last_request{0};
        Ps last_response{0};
    } state_;
};

/// All checkers of a bench or a drive.
class ProtocolCheckers {
  public:
    /// `on`: there are checkers. They change no result.
    explicit ProtocolCheckers(bool on = true) : on_(on) {}
    [[nodiscard]] bool on() const { return on_; }
    /// Binds `initiator` to `target`, through a checker of their own if there are checkers.
    template <class Initiator, class Target>
    void join(Initiator& initiator, Target& target, TimeOrder order = TimeOrder::socket,
              PowerOf power = PowerOf::both_sides) {
        if (!on_) {
            initiator.bind(target);
            return;
        }
        checkers_.push_back(
            std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("protocol_checker"), order, power));
        checkers_.back()->join(initiator, target);
    }
    void power_cut() {
        for (const auto& checker : checkers_) {
            checker->power_cut();
        }
    }
    void stop() {
        for (const auto& checker : checkers_) {
            checker->stop();
        }
    }

  private:
    bool on_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace solidtlm::hw
