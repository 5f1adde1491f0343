// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "testbench/show/terminal.h"

namespace solidtlm::testbench {
namespace {

constexpr double kSmoothingSeconds = 5.0;  // time constant of the displayed rate
constexpr double kFewPerSecond = 10.0;     // below this rate, as for points of a study, the mean rate is used

double steady_seconds() {
    using std::chrono::steady_clock;
    return std::chrono::duration<double>(steady_clock::now().time_since_epoch()).count();
}

void write_stderr(std::string_view text) {
    // Progress must not end the run if stderr is gone.
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, 359'999.0)));
    return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

ProgressMode progress_mode(bool quiet) {
    if (quiet) {
        return ProgressMode::off;
    }
    return is_terminal(STDERR_FILENO) ? ProgressMode::bar : ProgressMode::lines;
}

Progress::Progress(std::string unit, std::optional<std::uint64_t> total, ProgressMode mode,
                   ProgressSurroundings surroundings)
    : unit_(std::move(unit)), total_(total), mode_(mode), surroundings_(std::move(surroundings)) {
    if (!surroundings_.write) {
        surroundings_.write = write_stderr;
    }
    if (!surroundings_.seconds) {
        surroundings_.seconds = steady_seconds;
    }
    began_ = drawn_at_ = sampled_at_ = surroundings_.seconds();
}

Progress::~Progress() {
    finish();
}

void Progress::update(std::uint64_t done, hal::Ps simulated) {
    if (mode_ == ProgressMode::off) {
        return;
    }
    const double now = surroundings_.seconds();
    if (now - drawn_at_ < (mode_ == ProgressMode::bar ? kBarSeconds : kLineSeconds)) {
        return;
    }
    // Exponential average that starts as the plain mean.
    const double interval = now - sampled_at_;
    const double sample = static_cast<double>(done - std::min(done, sampled_done_)) / interval;
    const double weight = 1.0 - std::exp(-interval / kSmoothingSeconds);
    smoothed_ += (shown_ ? weight : 1.0) * (sample - smoothed_);
    const double mean = static_cast<double>(done) / (now - began_);
    rate_ = mean < kFewPerSecond ? mean : smoothed_;
    sampled_at_ = drawn_at_ = now;
    sampled_done_ = done;
    shown_ = true;
    const std::string text = facts(done, simulated);
    surroundings_.write(mode_ == ProgressMode::bar ? bar_line(done, text) : text + '\n');
}

void Progress::finish() {
    if (mode_ == ProgressMode::bar && shown_) {
        surroundings_.write("\r\033[K");
    }
    mode_ = ProgressMode::off;
}

std::string Progress::facts(std::uint64_t done, hal::Ps simulated) const {
    std::string text = grouped(static_cast<double>(done), 0);
    if (total_) {
        text += fmt::format(" of {}", grouped(static_cast<double>(*total_), 0));
    }
    text += fmt::format(" {}, {}/s", unit_, grouped(rate_, rate_ < 10.0 ? 1 : 0));
    if (simulated > hal::Ps{0}) {
        text +=
            fmt::format(", {:.2f} s simulated", static_cast<double>(simulated.count()) / hal::kPsPerSecond);
    }
    if (total_ && rate_ > 0.0) {
        const std::uint64_t left = *total_ - std::min(done, *total_);
        text += fmt::format(", {} left", duration_text(static_cast<double>(left) / rate_));
    } else {
        text += fmt::format(", {} so far", duration_text(drawn_at_ - began_));
    }
    return text;
}

std::string Progress::bar_line(std::uint64_t done, const std::string& text) const {
    constexpr std::size_t kLongestProgress = 30;
    constexpr std::size_t kShortestBar = 5;
    const TextStyle style = style_for(STDERR_FILENO);
    const std::size_t width = (surroundings_.width != 0 ? surroundings_.width : style.width) - 1;
    std::string line;
    const std::size_t others = columns_of(text) + 3 + 6;  // width of two brackets, a space and the percentage
    if (total_ && *total_ > 0 && width >= others + kShortestBar) {
        const std::size_t columns = std::min(width - others, kLongestProgress);
        const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total_));
        const auto filled = static_cast<std::size_t>(share * static_cast<double>(columns));
        line = fmt::format("[{}{}] {:3.0f} % ", std::string(filled, '='), std::string(columns - filled, ' '),
                           std::floor(share * 100.0));
    }
    line += text;
    return "\r" + line.substr(0, width) + "\033[K";
}

}  // namespace solidtlm::testbench
