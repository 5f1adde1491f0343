// SPDX-License-Identifier: Apache-2.0
//
// Whether a drive is in its steady state, by the criterion of the Solid State Storage Performance Test
// Specification (SNIA SSS PTS, "Steady State" and "Measurement Window"): over five rounds, the tracked value
// varies by at most 20 % of its mean, and its best-fit straight line changes by at most 10 % of the mean.
// Tracked are write amplification and the mean latency of commands.
//
// The PTS tracks what a host can see. The model also knows the state of the flash: a drive that programs more
// than it erases uses up free blocks. That ends, however steady the drive looks until then.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "testbench/results/result.h"

namespace solidtlm::testbench {

constexpr std::size_t kSteadyRounds = 5;
constexpr double kMostExcursion = 0.2;
constexpr double kMostSlope = 0.1;

/// How a value went from round to round.
struct Drift {
    double mean = 0.0;
    double excursion = 0.0;  ///< from the smallest to the largest, as a share of the mean
    double slope = 0.0;  ///< how far the least-squares line goes from first to last round, as such a share

    /// REQUIRES: none is negative.
    explicit Drift(const std::array<double, kSteadyRounds>& values);
    [[nodiscard]] bool steady() const;
};

/// What happened in a round.
struct RoundWork {
    std::uint64_t commands = 0;  ///< completed without error
    WidePs latency = 0;          ///< of these, in all
    std::uint64_t written_bytes = 0;
    std::uint64_t programmed_bytes = 0;
    std::uint64_t erased_bytes = 0;

    RoundWork& operator+=(const RoundWork& other);
};

class SteadyState {
  public:
    enum class Verdict : std::uint8_t {
        steady,
        drifting,
        filling,    ///< nothing drifts, but the drive lives on free blocks
        unwritten,  ///< latency does not drift, and the host wrote nothing that could make the drive age
        too_short,  ///< fewer than five rounds
    };

    /// Judges `rounds` in five parts, as equal as possible.
    explicit SteadyState(std::span<const RoundWork> rounds);

    [[nodiscard]] Verdict verdict() const { return verdict_; }
    /// The drive will go on like this.
    [[nodiscard]] bool reached() const {
        return verdict_ == Verdict::steady || verdict_ == Verdict::unwritten;
    }
    [[nodiscard]] bool writes() const { return write_amplification_.has_value(); }
    /// docs/result.md explains it.
    [[nodiscard]] Json to_json() const;
    /// "write amplification varies by 31.0 % (slope -12.0 %), mean latency by 2.1 % (slope 0.3 %)".
    /// REQUIRES: it was not too short.
    [[nodiscard]] std::string drift_text() const;

  private:
    Verdict verdict_ = Verdict::too_short;
    std::optional<Drift> write_amplification_;  // none: nothing was written
    std::optional<Drift> latency_us_;
};

[[nodiscard]] std::string_view verdict_name(SteadyState::Verdict verdict);

}  // namespace solidtlm::testbench
