// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/protocol_checker.h"

namespace solidtlm::hw {
namespace {

Ps effective(const sc_core::sc_time& delay) {
    return now() + to_ps(delay);
}

std::string name_of(tlm::tlm_phase phase) {
    return phase.get_name();
}

}  // namespace

ProtocolChecker::Fields::Fields(const Payload& payload)
    : command(payload.get_command()),
      address(payload.get_address()),
      data(payload.get_data_ptr()),
      length(payload.get_data_length()),
      byte_enable(payload.get_byte_enable_ptr()),
      byte_enable_length(payload.get_byte_enable_length()),
      streaming_width(payload.get_streaming_width()) {}

ProtocolChecker::ProtocolChecker(const sc_core::sc_module_name& name, TimeOrder order, PowerOf power)
    : sc_module(name), order_(order), power_(power) {
    initiator_target.register_nb_transport_fw(this, &ProtocolChecker::nb_transport_fw);
    initiator_target.register_b_transport(this, &ProtocolChecker::b_transport);
    initiator_target.register_transport_dbg(this, &ProtocolChecker::transport_dbg);
    initiator_target.register_get_direct_mem_ptr(this, &ProtocolChecker::get_direct_mem_ptr);
    target_init.register_nb_transport_bw(this, &ProtocolChecker::nb_transport_bw);
    target_init.register_invalidate_direct_mem_ptr(this, &ProtocolChecker::invalidate_direct_mem_ptr);
}

void ProtocolChecker::breach(const std::string& rule) const {
    if (!stopped_) {
        SC_REPORT_ERROR("/tlm/protocol", (place_ + ": " + rule).c_str());
    }
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    const tlm::tlm_phase before = phase;
    const Ps at = effective(delay);
    check_call(payload);
    if (phase == tlm::BEGIN_REQ) {
        begin_request(payload, at);
    } else {
        advance(payload, phase, at, false);
    }
    const tlm::tlm_sync_enum answer = target_init->nb_transport_fw(payload, phase, delay);
    if (state_.open.contains(&payload)) {  // otherwise the target has ended it within the call
        check_return(payload, answer, before, phase, at, effective(delay), true);
    }
    return answer;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    const tlm::tlm_phase before = phase;
    const Ps at = effective(delay);
    check_call(payload);
    advance(payload, phase, at, true);
    const tlm::tlm_sync_enum answer = initiator_target->nb_transport_bw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED) {
        end(payload);  // without reading it, because it may be in its pool again
    } else if (state_.open.contains(&payload)) {
        check_return(payload, answer, before, phase, at, effective(delay), false);
    }
    return answer;
}

void ProtocolChecker::b_transport(Payload& payload, sc_core::sc_time& delay) {
    if (sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_) {
        breach("b_transport from a method process (11.1.1.4 b)");
    }
    if (payload.has_mm() && payload.get_ref_count() <= 0) {
        breach("the payload has no reference (14.5 t)");
    }
    if (state_.open.contains(&payload)) {
        breach("b_transport of a payload that is under way (15.2.10 c)");
    }
    check_new(payload);
    const Fields fields(payload);
    const Ps at = effective(delay);
    target_init->b_transport(payload, delay);
    if (effective(delay) < at) {
        breach("the target went back in time (15.2.7 c)");
    }
    if (Fields(payload) != fields) {
        breach("a field of the payload was changed (14.7)");
    }
    check_response(payload);
}

void ProtocolChecker::check_call(const Payload& payload) {
    if (!payload.has_mm()) {
        breach("the payload has no memory manager (14.5 i)");
    } else if (payload.get_ref_count() <= 0) {
        breach("the payload has no reference (14.5 t)");
    }
}

/// Checks the fields that an initiator must have set.
void ProtocolChecker::check_new(const Payload& payload) {
    if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
        if (payload.get_data_length() == 0) {
            breach("data length 0 (14.12 d)");
        }
        if (payload.get_streaming_width() == 0) {
            breach("streaming width 0 (14.15 f)");
        }
    }
    if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
        breach("byte enables of length 0 (14.14 f)");
    }
    if (payload.is_dmi_allowed()) {
        breach("the DMI hint is set (14.16)");
    }
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("there is a response status already (14.17 e)");
    }
}

void ProtocolChecker::check_response(const Payload& payload) {
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("the target set no response status (14.17)");
    }
}

void ProtocolChecker::begin_request(const Payload& payload, Ps at) {
    if (state_.open.contains(&payload)) {
        breach("the payload is used again before its end (14.5 x)");
    }
    if (state_.request != nullptr) {
        breach("BEGIN_REQ before the END_REQ of another (15.2.6 e)");
    }
    check_new(payload);
    check_order(state_.last_request, at, "BEGIN_REQ");
    state_.request = &payload;
    state_.open.insert_or_assign(&payload, Transaction{Fields(payload), tlm::BEGIN_REQ, at});
}

void ProtocolChecker::check_order(Ps& last, Ps at, const char* what) const {
    if (at < last && order_ == TimeOrder::socket) {
        breach(std::string(what) + " at an earlier time than the one before (15.2.7)");
    }
    last = at;
}

void ProtocolChecker::advance(const Payload& payload, tlm::tlm_phase phase, Ps at, bool from_target) {
    if (from_target ? phase != tlm::END_REQ && phase != tlm::BEGIN_RESP : phase != tlm::END_RESP) {
        return breach(name_of(phase) + " from the wrong side (15.2.3 c)");
    }
    const auto found = state_.open.find(&payload);
    if (found == state_.open.end()) {
        return breach(name_of(phase) + " of a transaction that is not under way (15.2.4)");
    }
    Transaction& transaction = found->second;
    const bool in_order = phase == tlm::END_REQ      ? transaction.phase == tlm::BEGIN_REQ
                          : phase == tlm::BEGIN_RESP ? transaction.phase != tlm::BEGIN_RESP
                                                     : transaction.phase == tlm::BEGIN_RESP;
    if (!in_order) {
        breach(name_of(phase) + " after " + name_of(transaction.phase) + " (15.2.4)");
    }
    if (Fields(payload) != transaction.fields) {
        breach("a field of the payload was changed (14.7)");
    }
    if (at < transaction.at) {
        breach(name_of(phase) + " at an earlier time than what came before it (15.2.7 c)");
    }
    transaction.phase = phase;
    transaction.at = at;
    if (state_.request == &payload) {
        state_.request = nullptr;
    }
    if (phase == tlm::BEGIN_RESP) {
        if (state_.response != nullptr) {
            breach("BEGIN_RESP before the END_RESP of another (15.2.6 f)");
        }
        check_order(state_.last_response, at, "BEGIN_RESP");
        check_response(payload);
        state_.response = &payload;
    } else if (phase == tlm::END_RESP) {
        state_.response = nullptr;
    }
}

/// `from_target`: the target answers, otherwise the initiator. REQUIRES: the transaction is under way, and
/// the payload may be looked at.
void ProtocolChecker::check_return(const Payload& payload, tlm::tlm_sync_enum answer, tlm::tlm_phase before,
                                   tlm::tlm_phase after, Ps at_before, Ps at_after, bool from_target) {
    switch (answer) {
        case tlm::TLM_ACCEPTED:
            if (after != before || at_after != at_before) {
                breach("TLM_ACCEPTED with another phase or delay (11.1.2)");
            }
            break;
        case tlm::TLM_UPDATED:
            advance(payload, after, at_after, from_target);
            break;
        case tlm::TLM_COMPLETED:
            if (before == tlm::BEGIN_REQ) {
                if (Fields(payload) != state_.open.at(&payload).fields) {
                    breach("a field of the payload was changed (14.7)");
                }
                if (at_after < at_before) {
                    breach("the target went back in time (15.2.7 c)");
                }
                check_order(state_.last_response, at_after, "a response");
                check_response(payload);
            }
            return end(payload);
    }
    if (before == tlm::END_RESP || after == tlm::END_RESP) {
        end(payload);
    }
}

void ProtocolChecker::end(const Payload& payload) {
    state_.open.erase(&payload);
    state_.request = state_.request == &payload ? nullptr : state_.request;
    state_.response = state_.response == &payload ? nullptr : state_.response;
}

}  // namespace solidtlm::hw
