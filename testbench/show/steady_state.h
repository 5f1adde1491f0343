// SPDX-License-Identifier: Apache-2.0
//
// Whether a drive is in its steady state, by the criterion of the Solid State Storage Performance Test
// Specification (SNIA SSS PTS, "Steady State" and "Measurement Window"): over five rounds, the tracked value
// varies by at most 20 % of its mean, and its best-fit straight line changes by at most 10 % of the mean.
// Write amplification and the mean latency of commands are tracked.
//
// The PTS tracks what a host can see. The model also knows the state of the flash: a drive that programs more
// than it erases uses up free blocks. That must end, however steady the drive looks until then.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "testbench/show/result.h"

namespace solidtlm::testbench {

constexpr std::size_t kSteadyRounds = 5;
constexpr double kMostExcursion = 0.2;
constexpr double kMostSlope = 0.1;

/// How a value changed from round to round.
struct Drift {
    double mean = 0.0;
    double excursion = 0.0;  ///< largest minus smallest value, as a share of the mean
    /// change of the least-squares line from the first to the last round, as a share of the mean
    double slope = 0.0;

    /// REQUIRES: no value is negative, and there are at least two.
    explicit Drift(std::span<const double> values);
    [[nodiscard]] bool steady() const;
};

/// Work in one round.
struct RoundWork {
    std::uint64_t commands = 0;  ///< commands completed without error
    WidePs latency = 0;          ///< sum over these commands
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
        filling,    ///< nothing drifts, but the drive uses up free blocks
        unwritten,  ///< latency does not drift, but the host wrote nothing, so the drive cannot age
        too_short,  ///< too few rounds
    };

    /// Judges `rounds` in five parts that are as equal as possible, or one by one if there are fewer. It
    /// takes `least` rounds.
    explicit SteadyState(std::span<const RoundWork> rounds, std::size_t least = kSteadyRounds);

    [[nodiscard]] Verdict verdict() const { return verdict_; }
    /// The drive has reached a state that will last.
    [[nodiscard]] bool reached() const {
        return verdict_ == Verdict::steady || verdict_ == Verdict::unwritten;
    }
    [[nodiscard]] bool writes() const { return write_amplification_.has_value(); }
    /// The section is explained in docs/result.md.
    [[nodiscard]] Json to_json() const;
    /// "write amplification varies by 31.0 % (slope -12.0 %), mean latency by 2.1 % (slope 0.3 %)". REQUIRES:
    /// the verdict is not too_short.
    [[nodiscard]] std::string drift_text() const;

  private:
    Verdict verdict_ = Verdict::too_short;
    std::optional<Drift> write_amplification_;  // none: no bytes were written
    std::optional<Drift> latency_us_;
};

[[nodiscard]] std::string_view verdict_name(SteadyState::Verdict verdict);

}  // namespace solidtlm::testbench
