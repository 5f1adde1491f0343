// SPDX-License-Identifier: Apache-2.0
//
// Cuts a run into rounds by the amount of work instead of time: a round ends when the flash has programmed,
// or the host has moved, a given number of bytes. Memory stays bounded: at kMostRounds, rounds are merged in
// pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "testbench/show/steady_state.h"
#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

/// Work of the flash since the run began.
struct FlashWork {
    std::uint64_t programmed_bytes = 0;
    std::uint64_t erased_bytes = 0;
};

/// Length of a round in bytes; the limit that is reached first ends the round.
struct RoundLength {
    std::uint64_t programmed = 0;  ///< at least 1
    std::uint64_t moved = std::numeric_limits<std::uint64_t>::max();
};

class RoundLog {
  public:
    static constexpr std::size_t kMostRounds = 256;
    using Probe = std::function<FlashWork()>;

    RoundLog(RoundLength length, Probe flash);

    /// Begins the first round now instead of at the start of the run.
    void begin();
    /// True: this command has ended a round.
    bool completed(const Command& command);
    /// The rounds that have ended.
    [[nodiscard]] std::span<const RoundWork> rounds() const { return rounds_; }

    /// Rounds that have ended, and of the present one the share that the flash has programmed.
    [[nodiscard]] double so_far() const;

  private:
    RoundLength length_;
    Probe flash_;
    std::uint64_t look_every_;  // bytes moved between two checks, because a check takes time
    std::uint64_t look_at_;
    std::uint64_t moved_ = 0;  // bytes moved in this round
    FlashWork before_;         // the flash's work when this round began
    RoundWork now_;
    std::vector<RoundWork> rounds_;
};

}  // namespace solidtlm::testbench
