// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/report_guard.h"

#include <gtest/gtest.h>

#include <systemc>
#include <utility>

namespace solidtlm::hw {
namespace {

struct GuardState {
    std::string expected;
    int seen = 0;
};

GuardState& state() {
    static GuardState instance;
    return instance;
}

void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if (report.get_severity() >= sc_core::SC_WARNING) {
        GuardState& guard = state();
        const std::string type = report.get_msg_type();
        if (!guard.expected.empty() && type.find(guard.expected) != std::string::npos) {
            ++guard.seen;
        } else {
            ADD_FAILURE() << "SystemC reported " << type << ": " << report.get_msg();
        }
    }
    sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

}  // namespace

void install_report_guard() {
    sc_core::sc_report_handler::set_handler(handle);
}

ExpectReport::ExpectReport(std::string message_type) {
    state() = GuardState{std::move(message_type), 0};
}

ExpectReport::~ExpectReport() {
    EXPECT_GT(state().seen, 0) << "expected a SystemC report of type " << state().expected;
    state() = GuardState{};
}

int ExpectReport::seen() const {
    return state().seen;
}

}  // namespace solidtlm::hw
