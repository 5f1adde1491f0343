// SPDX-License-Identifier: Apache-2.0
//
// Progress of a long run on stderr: on a terminal a bar with rate and remaining time, otherwise an occasional
// plain line, or nothing. The clock is read only once per many commands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "testbench/show/counted_source.h"
#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

enum class ProgressMode : std::uint8_t {
    off,
    lines,  ///< a line every kLineSeconds; shorter runs print nothing
    bar,    ///< one line, redrawn every kBarSeconds
};

/// `bar` if stderr is a terminal, `lines` if it is not, `off` if `quiet`.
[[nodiscard]] ProgressMode progress_mode(bool quiet);

/// Output of the text, and seconds of wall time; the defaults are stderr and the steady clock.
struct ProgressSurroundings {
    std::function<void(std::string_view)> write;
    std::function<double()> seconds;
    std::size_t width = 0;  ///< columns; 0: ask the terminal before each output
};

class Progress {
  public:
    static constexpr double kBarSeconds = 0.1;
    static constexpr double kLineSeconds = 10.0;

    /// `unit` is a plural ("requests", "points"); `total` is given if it is known.
    Progress(std::string unit, std::optional<std::uint64_t> total, ProgressMode mode,
             ProgressSurroundings surroundings = {});
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Reports that `done` units are done; `simulated` is shown if it is not 0. Reads the clock, so call it
    /// rarely (ProgressObserver).
    void update(std::uint64_t done, hal::Ps simulated = hal::Ps{0});
    /// Removes the bar, so that the next output begins on an empty line.
    void finish();
    /// Units per second of wall time, smoothed over the last seconds.
    [[nodiscard]] double rate() const { return rate_; }

  private:
    [[nodiscard]] std::string facts(std::uint64_t done, hal::Ps simulated) const;
    [[nodiscard]] std::string bar_line(std::uint64_t done, const std::string& text) const;

    std::string unit_;
    std::optional<std::uint64_t> total_;
    ProgressMode mode_;
    ProgressSurroundings surroundings_;
    double began_ = 0.0;
    double drawn_at_ = 0.0;
    double sampled_at_ = 0.0;
    std::uint64_t sampled_done_ = 0;
    double smoothed_ = 0.0;
    double rate_ = 0.0;
    bool shown_ = false;
};

/// Updates a Progress from the host: done is the number of requests taken from the source less those
/// outstanding.
class ProgressObserver : public CommandObserver {
  public:
    ProgressObserver(Progress& progress, const CountedSource& source)
        : progress_(progress), source_(source) {}

    void issued(Command& command) override { outstanding_ += command.retries == 0 ? 1 : 0; }
    void completed(Command& command) override {
        --outstanding_;
        if (--countdown_ == 0) {
            countdown_ = kCommandsBetweenLooks;
            look(command.completed_at);
        }
    }
    void finished() override { progress_.finish(); }

  private:
    /// At a million commands per second, the clock is read every half millisecond; at a thousand, every half
    /// second.
    static constexpr std::uint32_t kCommandsBetweenLooks = 512;

    void look(Ps simulated) {
        const std::uint64_t taken = source_.requests();
        progress_.update(taken > outstanding_ ? taken - outstanding_ : 0, simulated);
    }

    Progress& progress_;
    const CountedSource& source_;
    std::uint64_t outstanding_ = 0;
    std::uint32_t countdown_ = kCommandsBetweenLooks;
};

}  // namespace solidtlm::testbench
