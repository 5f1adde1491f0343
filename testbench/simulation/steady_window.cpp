// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/steady_window.h"

#include "hw/tlm/time.h"
#include "testbench/simulation/telemetry.h"

namespace solidtlm::testbench {

void SteadyWindow::issued(Command& command) {
    if (warm_up_commands_ == 0 || state_ != State::before || command.sequence < warm_up_commands_) {
        return;
    }
    state_ = State::open;
    begin_ = Snapshot{hw::now(), collect_()};
    metrics_.begin_window(begin_.at);
}

void SteadyWindow::completed(Command& /*command*/) {
    if (source_.exhausted()) {
        close();
    }
}

void SteadyWindow::close() {
    if (state_ == State::open) {
        state_ = State::closed;
        end_ = Snapshot{hw::now(), collect_()};
        metrics_.end_window();
    }
}

DeviceTelemetry SteadyWindow::telemetry() const {
    DeviceTelemetry last = collect_();
    if (state_ != State::closed) {
        return last;
    }
    DeviceTelemetry measured = telemetry_between(begin_.telemetry, begin_.at, end_.telemetry, end_.at);
    measured.violations = std::move(last.violations);
    return measured;
}

}  // namespace solidtlm::testbench
