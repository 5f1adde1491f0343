// SPDX-License-Identifier: Apache-2.0
//
// Tests the checker between an initiator and a target: those of one group break one rule each, the others
// none.
#include "hw/tlm/protocol_checker.h"

#include <gtest/gtest.h>

#include <functional>

#include "hw/tlm/extensions.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/report_guard.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw {
namespace {

using Payload = tlm::tlm_generic_payload;
using Answer = tlm::tlm_sync_enum;
using Time = sc_core::sc_time;
using tlm::BEGIN_REQ;
using tlm::BEGIN_RESP;
using tlm::END_REQ;
using tlm::END_RESP;
using namespace std::chrono_literals;

/// An initiator and a target whose calls the test chooses, and the checker between them.
struct CheckerBench : sc_core::sc_module {
    SC_HAS_PROCESS(CheckerBench);
    using Transport = std::function<Answer(Payload&, tlm::tlm_phase&, Time&)>;

    explicit CheckerBench(const sc_core::sc_module_name& name, TimeOrder order = TimeOrder::socket,
                          PowerOf power = PowerOf::both_sides)
        : sc_module(name) {
        init.register_nb_transport_bw(this, &CheckerBench::nb_transport_bw);
        target.register_nb_transport_fw(this, &CheckerBench::nb_transport_fw);
        target.register_b_transport(this, &CheckerBench::b_transport);
        checkers.join(init, target, order, power);
        SC_METHOD(process_method);
        sensitive << start;
        dont_initialize();
    }
    Answer nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, Time& delay) {
        return at_target(payload, phase, delay);
    }
    Answer nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, Time& delay) {
        return at_initiator(payload, phase, delay);
    }
    void b_transport(Payload& payload, Time& delay) { at_blocking_target(payload, delay); }
    void process_method() { in_process(); }

    Payload& take(std::uint32_t bytes = 512) { return pool.take(tlm::TLM_READ_COMMAND, 4096, data, bytes); }
    Answer send(Payload& payload, tlm::tlm_phase phase = BEGIN_REQ, Ps delay = Ps{0}) {
        Time annotated = to_sc_time(delay);
        return init->nb_transport_fw(payload, phase, annotated);
    }
    Answer answer(Payload& payload, tlm::tlm_phase phase, Ps delay = Ps{0}) {
        Time annotated = to_sc_time(delay);
        payload.set_response_status(phase == BEGIN_RESP ? tlm::TLM_OK_RESPONSE
                                                        : payload.get_response_status());
        return target->nb_transport_bw(payload, phase, annotated);
    }
    void block(Payload& payload, Ps delay = Ps{0}) {
        Time annotated = to_sc_time(delay);
        init->b_transport(payload, annotated);
    }

    static Answer accept(Payload& /*payload*/, tlm::tlm_phase& /*phase*/, Time& /*delay*/) {
        return tlm::TLM_ACCEPTED;
    }
    static Answer end_request(Payload& /*payload*/, tlm::tlm_phase& phase, Time& /*delay*/) {
        phase = END_REQ;
        return tlm::TLM_UPDATED;
    }
    static Answer complete(Payload& payload, tlm::tlm_phase& /*phase*/, Time& /*delay*/) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    PayloadPool<DramExtension> pool{1U << 20U};
    unsigned char data[512]{};
    Transport at_target = accept;
    Transport at_initiator = accept;
    std::function<void(Payload&, Time&)> at_blocking_target = [](Payload& payload, Time& /*delay*/) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    std::function<void()> in_process;
    sc_core::sc_event start{"start_event"};
    tlm_utils::simple_initiator_socket<CheckerBench> init{"init"};
    tlm_utils::passthrough_target_socket<CheckerBench> target{"target"};
    ProtocolCheckers checkers;
};

struct Fault {
    const char* name;
    const char* report;  ///< part of the expected report
    std::function<void(CheckerBench&)> act;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << fault.name;
}

/// A target that changes the payload with `change` in its answer.
CheckerBench::Transport changing(const std::function<void(Payload&)>& change, bool completes = false) {
    return [=](Payload& payload, tlm::tlm_phase& phase, Time& delay) {
        change(payload);
        return (completes ? CheckerBench::complete : CheckerBench::end_request)(payload, phase, delay);
    };
}

void send_changed(CheckerBench& bench, const std::function<void(Payload&)>& change) {
    Payload& payload = bench.take();
    change(payload);
    bench.send(payload);
}

const std::vector<Fault> kFaults{
    // Payloads
    {"NoMemoryManager", "14.5 i",
     [](CheckerBench& bench) {
         Payload payload;
         payload.set_data_length(512);
         payload.set_streaming_width(512);
         bench.send(payload);
     }},
    {"NoReference", "14.5 t",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         payload.release();
         bench.send(payload);
     }},
    {"NoReferenceAtTheResponse", "14.5 t",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         bench.send(payload);
         payload.release();  // and the target has acquired no reference
         bench.answer(payload, BEGIN_RESP);
     }},
    {"LengthZero", "14.12", [](CheckerBench& bench) { bench.send(bench.take(0)); }},
    {"StreamingWidthZero", "14.15",
     [](CheckerBench& bench) {
         send_changed(bench, [](Payload& payload) { payload.set_streaming_width(0); });
     }},
    {"ByteEnablesOfNoLength", "14.14",
     [](CheckerBench& bench) {
         send_changed(bench, [&](Payload& payload) { payload.set_byte_enable_ptr(bench.data); });
     }},
    {"DmiHintSet", "14.16",
     [](CheckerBench& bench) {
         send_changed(bench, [](Payload& payload) { payload.set_dmi_allowed(true); });
     }},
    {"ResponseSet", "14.17 e",
     [](CheckerBench& bench) {
         send_changed(bench, [](Payload& payload) { payload.set_response_status(tlm::TLM_OK_RESPONSE); });
     }},
    {"UsedAgainBeforeItsEnd", "14.5 x",
     [](CheckerBench& bench) {
         bench.at_target = CheckerBench::end_request;
         Payload& payload = bench.take();
         bench.send(payload);
         bench.send(payload);
     }},
    // Fields
    {"CommandChanged", "14.7",
     [](CheckerBench& bench) {
         bench.at_target = changing([](Payload& payload) { payload.set_write(); });
         bench.send(bench.take());
     }},
    {"AddressChanged", "14.7",
     [](CheckerBench& bench) {
         bench.at_target = changing([](Payload& payload) { payload.set_address(0); });
         bench.send(bench.take());
     }},
    {"DataPointerChanged", "14.7",
     [](CheckerBench& bench) {
         bench.at_target = changing([](Payload& payload) { payload.set_data_ptr(nullptr); });
         bench.send(bench.take());
     }},
    {"StreamingWidthChanged", "14.7",
     [](CheckerBench& bench) {
         bench.at_target = changing([](Payload& payload) { payload.set_streaming_width(8); });
         bench.send(bench.take());
     }},
    {"ByteEnablesChanged", "14.7",
     [](CheckerBench& bench) {
         bench.at_target = changing([&](Payload& payload) { payload.set_byte_enable_ptr(bench.data); });
         bench.send(bench.take());
     }},
    {"ByteEnableLengthChanged", "14.7",
     [](CheckerBench& bench) {
         bench.at_target = changing([](Payload& payload) { payload.set_byte_enable_length(4); });
         bench.send(bench.take());
     }},
    {"LengthChangedAtTheEnd", "14.7",
     [](CheckerBench& bench) {
         bench.at_target = changing([](Payload& payload) { payload.set_data_length(8); }, true);
         bench.send(bench.take());
     }},
    {"LengthChangedAtTheResponse", "14.7",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         bench.send(payload);
         payload.set_data_length(8);
         bench.answer(payload, BEGIN_RESP);
     }},
    // Phases
    {"EndOfRequestFromTheInitiator", "15.2.3 c",
     [](CheckerBench& bench) { bench.send(bench.take(), END_REQ); }},
    {"RequestFromTheTarget", "15.2.3 c", [](CheckerBench& bench) { bench.answer(bench.take(), BEGIN_REQ); }},
    {"RequestReturned", "15.2.3 c",
     [](CheckerBench& bench) {
         bench.at_target = [](Payload&, tlm::tlm_phase&, Time&) { return tlm::TLM_UPDATED; };
         bench.send(bench.take());
     }},
    {"ResponseReturnedByTheInitiator", "15.2.3 c",
     [](CheckerBench& bench) {
         bench.at_initiator = [](Payload&, tlm::tlm_phase&, Time&) { return tlm::TLM_UPDATED; };
         Payload& payload = bench.take();
         bench.send(payload);
         bench.answer(payload, BEGIN_RESP);
     }},
    {"ResponseToNothing", "15.2.4", [](CheckerBench& bench) { bench.answer(bench.take(), BEGIN_RESP); }},
    {"ResponseAfterTheEnd", "15.2.4",
     [](CheckerBench& bench) {
         bench.at_target = CheckerBench::complete;
         Payload& payload = bench.take();
         bench.send(payload);
         bench.answer(payload, BEGIN_RESP);
     }},
    {"TwoEndsOfARequest", "15.2.4",
     [](CheckerBench& bench) {
         bench.at_target = CheckerBench::end_request;
         Payload& payload = bench.take();
         bench.send(payload);
         bench.answer(payload, END_REQ);
     }},
    {"TwoResponses", "15.2.4",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         bench.send(payload);
         bench.answer(payload, BEGIN_RESP);
         bench.answer(payload, BEGIN_RESP);
     }},
    {"EndOfNoResponse", "15.2.4",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         bench.send(payload);
         bench.send(payload, END_RESP);
     }},
    // Exclusion
    {"SecondRequest", "15.2.6 e",
     [](CheckerBench& bench) {
         bench.send(bench.take());
         bench.send(bench.take());
     }},
    {"SecondResponse", "15.2.6 f",
     [](CheckerBench& bench) {
         bench.at_target = CheckerBench::end_request;
         Payload& first = bench.take();
         Payload& second = bench.take();
         bench.send(first);
         bench.send(second);
         bench.answer(first, BEGIN_RESP);
         bench.answer(second, BEGIN_RESP);
     }},
    // Times
    {"EndOfRequestBeforeItsBegin", "15.2.7 c",
     [](CheckerBench& bench) {
         bench.at_target = [](Payload& payload, tlm::tlm_phase& phase, Time& delay) {
             delay -= to_sc_time(1ns);
             return CheckerBench::end_request(payload, phase, delay);
         };
         bench.send(bench.take(), BEGIN_REQ, 10ns);
     }},
    {"EndBeforeTheRequest", "15.2.7 c",
     [](CheckerBench& bench) {
         bench.at_target = [](Payload& payload, tlm::tlm_phase& phase, Time& delay) {
             delay -= to_sc_time(1ns);
             return CheckerBench::complete(payload, phase, delay);
         };
         bench.send(bench.take(), BEGIN_REQ, 10ns);
     }},
    {"ResponseBeforeTheRequest", "15.2.7 c",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         bench.send(payload, BEGIN_REQ, 10ns);
         bench.answer(payload, BEGIN_RESP, 9ns);
     }},
    {"RequestBeforeTheOneBefore", "15.2.7",
     [](CheckerBench& bench) {
         bench.at_target = CheckerBench::end_request;
         bench.send(bench.take(), BEGIN_REQ, 10ns);
         bench.send(bench.take(), BEGIN_REQ, 9ns);
     }},
    {"ResponseBeforeTheOneBefore", "15.2.7",
     [](CheckerBench& bench) {
         bench.at_target = CheckerBench::end_request;
         bench.at_initiator = CheckerBench::complete;
         Payload& first = bench.take();
         Payload& second = bench.take();
         bench.send(first);
         bench.send(second);
         bench.answer(second, BEGIN_RESP, 10ns);
         bench.answer(first, BEGIN_RESP, 9ns);
     }},
    {"EndBeforeTheOneBefore", "15.2.7",
     [](CheckerBench& bench) {
         Ps lasts = 10ns;
         bench.at_target = [&lasts](Payload& payload, tlm::tlm_phase& phase, Time& delay) {
             delay += to_sc_time(lasts);
             lasts -= Ps{1};
             return CheckerBench::complete(payload, phase, delay);
         };
         bench.send(bench.take());
         bench.send(bench.take());
     }},
    // Return values
    {"AcceptedWithAPhase", "11.1.2",
     [](CheckerBench& bench) {
         bench.at_target = [](Payload&, tlm::tlm_phase& phase, Time&) {
             phase = END_REQ;
             return tlm::TLM_ACCEPTED;
         };
         bench.send(bench.take());
     }},
    {"AcceptedWithADelay", "11.1.2",
     [](CheckerBench& bench) {
         bench.at_target = [](Payload&, tlm::tlm_phase&, Time& delay) {
             delay += to_sc_time(1ns);
             return tlm::TLM_ACCEPTED;
         };
         bench.send(bench.take());
     }},
    {"CompletedWithoutAResponse", "14.17",
     [](CheckerBench& bench) {
         bench.at_target = [](Payload&, tlm::tlm_phase&, Time&) { return tlm::TLM_COMPLETED; };
         bench.send(bench.take());
     }},
    {"ResponseWithoutAStatus", "14.17",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         bench.send(payload);
         tlm::tlm_phase phase = BEGIN_RESP;
         Time delay;
         bench.target->nb_transport_bw(payload, phase, delay);
     }},
    // b_transport
    {"BlockingWithoutAResponse", "14.17",
     [](CheckerBench& bench) {
         bench.at_blocking_target = [](Payload&, Time&) {};
         bench.block(bench.take());
     }},
    {"BlockingWithoutAReference", "14.5 t",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         payload.release();
         bench.block(payload);
     }},
    {"BlockingBackInTime", "15.2.7 c",
     [](CheckerBench& bench) {
         bench.at_blocking_target = [](Payload&, Time& delay) { delay = Time(); };
         bench.block(bench.take(), 1ns);
     }},
    {"BlockingWithAChange", "14.7",
     [](CheckerBench& bench) {
         bench.at_blocking_target = [](Payload& payload, Time&) { payload.set_address(1); };
         bench.block(bench.take());
     }},
    {"BlockingWhileUnderWay", "15.2.10",
     [](CheckerBench& bench) {
         Payload& payload = bench.take();
         bench.send(payload);
         bench.block(payload);
     }},
    {"BlockingFromAMethod", "11.1.1.4",
     [](CheckerBench& bench) {
         bench.in_process = [&bench] { bench.block(bench.take()); };
         bench.start.notify();
         run(1ns);
     }},
};

class ProtocolFault : public testing::TestWithParam<Fault> {};

TEST_P(ProtocolFault, IsReportedWithItsClause) {
    CheckerBench bench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const ExpectReport expected("/tlm/protocol");
    std::string report;
    try {
        GetParam().act(bench);
    } catch (const sc_core::sc_report& thrown) {
        report = thrown.get_msg();
    }
    EXPECT_NE(report.find(GetParam().report), std::string::npos) << report;
    EXPECT_TRUE(report.starts_with("bench.init: ")) << report;
}

INSTANTIATE_TEST_SUITE_P(Rules, ProtocolFault, testing::ValuesIn(kFaults),
                         [](const auto& each) { return std::string(each.param.name); });

// Every sequence that the standard allows (15.2.4, tables of permitted transitions). A report would fail the
// test.
TEST(ProtocolChecker, AcceptsEverySequenceThatIsAllowed) {
    CheckerBench bench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& payload = bench.take();
    const auto again = [&payload] { payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE); };
    // four phases, by calls
    bench.send(payload);
    bench.answer(payload, END_REQ, 1ns);
    bench.answer(payload, BEGIN_RESP, 2ns);
    bench.send(payload, END_RESP, 3ns);
    again();
    // END_REQ left out, END_RESP returned
    bench.at_initiator = [](Payload&, tlm::tlm_phase& phase, Time&) {
        phase = END_RESP;
        return tlm::TLM_UPDATED;
    };
    bench.send(payload);
    bench.answer(payload, BEGIN_RESP, 2ns);
    again();
    // BEGIN_RESP returned at once
    bench.at_target = [](Payload& at_target, tlm::tlm_phase& phase, Time& delay) {
        if (phase == END_RESP) {
            return tlm::TLM_COMPLETED;
        }
        at_target.set_response_status(tlm::TLM_OK_RESPONSE);
        phase = BEGIN_RESP;
        delay += to_sc_time(5ns);
        return tlm::TLM_UPDATED;
    };
    bench.send(payload);
    bench.send(payload, END_RESP, 6ns);
    again();
    // one transaction is answered within the call that begins another
    bench.at_target = CheckerBench::end_request;
    bench.at_initiator = CheckerBench::complete;
    bench.send(payload);
    Payload& other = bench.take();
    bench.at_target = [&](Payload&, tlm::tlm_phase&, Time&) {
        bench.answer(payload, BEGIN_RESP, 6ns);
        return tlm::TLM_ACCEPTED;
    };
    bench.send(other);
    bench.answer(other, BEGIN_RESP, 7ns);
    again();
    // completed at once, by either call
    bench.at_target = CheckerBench::complete;
    run(1us);
    EXPECT_EQ(bench.send(payload, BEGIN_REQ, 1ns), tlm::TLM_COMPLETED);
    again();
    bench.block(payload);
    // no data: TLM_IGNORE_COMMAND with length 0
    EXPECT_EQ(bench.send(bench.pool.take(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0), BEGIN_REQ, 1ns),
              tlm::TLM_COMPLETED);
}

TEST(ProtocolChecker, ForgetsTransactionsThatAPowerCutEnds) {
    CheckerBench bench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& payload = bench.take();
    bench.send(payload, BEGIN_REQ, 1us);
    bench.checkers.power_cut();
    bench.send(payload);
    EXPECT_EQ(bench.answer(payload, BEGIN_RESP), tlm::TLM_ACCEPTED);
}

TEST(ProtocolChecker, KeepsTransactionsOfATargetThatHasPower) {
    CheckerBench bench("bench", TimeOrder::socket, PowerOf::initiator);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& payload = bench.take();
    bench.send(payload);
    bench.checkers.power_cut();
    EXPECT_EQ(bench.answer(payload, END_REQ), tlm::TLM_ACCEPTED);
    bench.send(bench.take());
    EXPECT_EQ(bench.answer(payload, BEGIN_RESP), tlm::TLM_ACCEPTED);
}

TEST(ProtocolChecker, LetsAnInitiatorAskAheadOfTimeInAnyOrder) {
    CheckerBench bench("bench", TimeOrder::transaction);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench.at_target = CheckerBench::complete;
    EXPECT_EQ(bench.send(bench.take(), BEGIN_REQ, 10ns), tlm::TLM_COMPLETED);
    EXPECT_EQ(bench.send(bench.take(), BEGIN_REQ, 9ns), tlm::TLM_COMPLETED);
}

TEST(ProtocolChecker, SaysNothingWhenStopped) {
    CheckerBench bench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench.checkers.stop();
    EXPECT_EQ(bench.send(bench.take(), END_REQ), tlm::TLM_ACCEPTED);
}

}  // namespace
}  // namespace solidtlm::hw
