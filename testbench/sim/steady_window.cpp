// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/steady_window.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "hw/tlm/time.h"
#include "testbench/sim/telemetry.h"

namespace solidtlm::testbench {

bool SteadyWindow::warm_up_ends(std::uint64_t sequence) const {
    if (warm_up_commands_ != kUntilSteady) {
        return sequence >= warm_up_commands_;
    }
    const auto size = source_.size();
    return steady_ || warm_up_.rounds().size() == kMostWarmUpRounds ||
           (size && source_.requests() > (*size + 1) / 2);
}

void SteadyWindow::issued(Command& command) {
    if (warm_up_commands_ == 0 || state_ != State::before || command.retries > 0) {
        return;
    }
    warmed_up_by_ = command.sequence;
    if (!warm_up_ends(command.sequence)) {
        return;
    }
    state_ = State::open;
    measured_.begin();
    begin_ = Snapshot{hw::now(), collect_()};
    metrics_.begin_window(begin_.at);
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
        (void)measured_.completed(command);
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
    section["measured"] = measured_state().to_json();
    return section;
}

/// How many commands it takes if the flash goes on to program as much for each.
std::string SteadyWindow::too_short_text() const {
    const std::string text = "too short to tell whether the drive is steady";
    const double rounds = measured_.so_far();
    if (rounds == 0.0) {
        return text + ": the flash programmed nothing";
    }
    const double commands = static_cast<double>(metrics_.completed()) * kSteadyRounds / rounds;
    const double step = std::pow(10.0, std::floor(std::log10(commands)) - 1.0);
    return fmt::format("{}: {} commands were measured, and it takes about {:.0f}", text, metrics_.completed(),
                       std::ceil(commands / step) * step);
}

std::vector<std::string> SteadyWindow::warnings(bool stationary) const {
    std::vector<std::string> warnings;
    if (warm_up_commands_ == kUntilSteady && !steady_) {
        warnings.emplace_back("the drive was not known to be steady when the warm-up ended");
    }
    const SteadyState measured = measured_state();
    if (stationary && measured.verdict() == SteadyState::Verdict::drifting && measured.writes()) {
        warnings.push_back(fmt::format(
            "not steady while it was measured: over five parts of that time, {}; at most {:.0f} % "
            "(slope {:.0f} %) would be",
            measured.drift_text(), 100 * kMostExcursion, 100 * kMostSlope));
    }
    if (stationary && measured.verdict() == SteadyState::Verdict::too_short &&
        metrics_[Operation::write].bytes > 0) {
        warnings.push_back(too_short_text());
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
