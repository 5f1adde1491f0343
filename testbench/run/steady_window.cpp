// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/steady_window.h"

#include "hw/tlm/time.h"
#include "testbench/run/telemetry.h"

namespace solidtlm::testbench {

void SteadyWindow::issued(Command& command) {
    if (warm_up_commands_ == 0 || state_ != State::before || command.sequence < warm_up_commands_) {
        return;
    }
    state_ = State::open;
    begin_ = Snapshot{hw::now(), collect_telemetry(ssd_)};
    metrics_.begin_window(begin_.at);
}

void SteadyWindow::completed(Command& /*command*/) {
    if (state_ == State::open && source_.exhausted()) {
        state_ = State::closed;
        end_ = Snapshot{hw::now(), collect_telemetry(ssd_)};
        metrics_.end_window();
    }
}

DeviceTelemetry SteadyWindow::telemetry() const {
    DeviceTelemetry last = collect_telemetry(ssd_);
    if (state_ != State::closed) {
        return last;
    }
    DeviceTelemetry measured = telemetry_between(begin_.telemetry, begin_.at, end_.telemetry, end_.at);
    measured.violations = std::move(last.violations);
    measured.firmware = std::move(last.firmware);
    return measured;
}

}  // namespace solidtlm::testbench
