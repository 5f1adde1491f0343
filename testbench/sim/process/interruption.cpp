// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/process/interruption.h"

#include <unistd.h>

#include <string_view>

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

void take(int signal, void (*handler)(int), int flags, struct sigaction& before) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace

Interruption::Interruption() {
    begun = 1;
    take(SIGINT, note, static_cast<int>(SA_RESETHAND), before_int_);
    take(SIGTERM, note, 0, before_term_);
}

void Interruption::report_sudden_ends() {
    struct sigaction before {};
    take(SIGINT, end_suddenly, static_cast<int>(SA_RESETHAND), before);
    take(SIGTERM, end_suddenly, static_cast<int>(SA_RESETHAND), before);
}

/// Uses only what a signal handler may. SA_RESETHAND: the second signal has its usual effect.
void Interruption::end_suddenly(int signal) {
    const auto say = [](std::string_view text) {
        if (write(STDERR_FILENO, text.data(), text.size()) < 0) {
            return;  // stderr is gone
        }
    };
    say("error: interrupted by ");
    say(signal == SIGINT ? "SIGINT" : "SIGTERM");
    say(begun != 0 ? " after the simulation, before all results were written\n"
                   : " before anything was simulated: there is no result\n");
    raise(signal);
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
