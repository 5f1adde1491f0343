// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/steady_window.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "hw/tlm/time.h"
#include "testbench/sim/telemetry.h"

namespace solidtlm::testbench {

bool SteadyWindow::warm_up_ends(std::uint64_t sequence) const {
    if (warm_up_commands_ < kOneRound) {
        return sequence >= warm_up_commands_;
    }
    const auto size = source_.size();
    if (size && source_.requests() > (*size + 1) / 2) {
        return true;
    }
    if (warm_up_commands_ == kOneRound) {
        const std::uint64_t written = metrics_[Operation::write].bytes;
        return written >= round_bytes_ ||
               (written == 0 && metrics_.completed() >= measured_.least_commands());
    }
    return steady_ || warm_up_.rounds().size() == kMostWarmUpRounds;
}

void SteadyWindow::issued(Command& command) {
    if (command.retries > 0) {
        return;
    }
    measured_.issued(command, hw::now());
    if (warm_up_commands_ == 0 || state_ != State::before) {
        return;
    }
    warmed_up_by_ = command.sequence;
    if (!warm_up_ends(command.sequence)) {
        return;
    }
    state_ = State::open;
    begin_ = Snapshot{hw::now(), collect_()};
    metrics_.begin_window(begin_.at);
    measured_.begin(begin_.at);
}

bool SteadyWindow::measures(const Command& command) const {
    switch (state_) {
        case State::before:
            return warm_up_commands_ == 0;
        case State::open:
            return command.completed_at > begin_.at;
        case State::closed:
            return command.completed_at == end_.at;
    }
    return false;
}

void SteadyWindow::completed(Command& command) {
    if (measures(command)) {
        if (measured_.completed(command)) {
            source_.end();
        }
    } else if (warm_up_commands_ == kUntilSteady && state_ == State::before && warm_up_.completed(command)) {
        steady_ = warm_up_state().reached();
    }
    if (source_.exhausted() && command.completed_at > begin_.at) {
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

SteadyState SteadyWindow::warm_up_state() const {
    const auto rounds = warm_up_.rounds();
    return SteadyState(rounds.last(std::min(rounds.size(), kSteadyRounds)));
}

std::string SteadyWindow::warm_up_text() const {
    const SteadyState state = warm_up_state();
    const std::size_t rounds = warm_up_.rounds().size();
    const std::string length = fmt::format("{} commands, {} rounds", warmed_up_by_, rounds);
    if (state.verdict() == SteadyState::Verdict::too_short) {
        return fmt::format("{}: too few to judge, it takes {}", length, kSteadyRounds);
    }
    return fmt::format(
        "{} after {}; over the last {}, {}{}", state.reached() ? "steady" : "not steady", length,
        kSteadyRounds, state.drift_text(),
        state.verdict() == SteadyState::Verdict::filling ? ", and more was programmed than erased" : "");
}

Json SteadyWindow::steady_state() const {
    Json section = Json::object();
    if (warm_up_commands_ == kUntilSteady) {
        Json& warm_up = section["warm_up"] = warm_up_state().to_json();
        warm_up["rounds"] = warm_up_.rounds().size();
        warm_up["commands"] = warmed_up_by_;
        warm_up["text"] = warm_up_text();
    }
    section["measured"] = measured_.steady_state().to_json();
    return section;
}

std::vector<std::string> SteadyWindow::warnings() const {
    std::vector<std::string> warnings;
    if (warm_up_commands_ == kUntilSteady && !steady_) {
        warnings.emplace_back("the drive was not known to be steady when the warm-up ended");
    }
    return warnings;
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
