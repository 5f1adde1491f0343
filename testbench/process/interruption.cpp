// SPDX-License-Identifier: Apache-2.0
#include "testbench/process/interruption.h"

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

void take(int signal, int flags, struct sigaction& before) {
    struct sigaction action {};
    action.sa_handler = Interruption::note;
    action.sa_flags = flags;
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace

Interruption::Interruption() {
    take(SIGINT, static_cast<int>(SA_RESETHAND), before_int_);
    take(SIGTERM, 0, before_term_);
}

Interruption::~Interruption() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
}

std::string Interruption::in_words() {
    SOLIDTLM_CHECK(signal() != 0, "a signal was noted");
    return std::string("interrupted by ") + (signal() == SIGINT ? "SIGINT" : "SIGTERM");
}

}  // namespace solidtlm::testbench
