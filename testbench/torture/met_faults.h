// SPDX-License-Identifier: Apache-2.0
//
// Records which flash faults a run met, how its commands ended, whether firmware and flash have counted the
// same number of erases, and whether a coroutine kept the core for longer than the configuration allows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "testbench/sim/simulation.h"

namespace solidtlm::testbench {

class MetFaults : public RunWatcher {
  public:
    void begin(std::function<DeviceTelemetry()> /*collect*/) override {}
    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override;
    /// Receives the drive, which exists until the end of the run.
    void built(const BuiltDrive& drive);
    /// The error in the firmware's counters; empty: none.
    [[nodiscard]] const std::string& miscounted() const { return miscounted_; }

    /// What kept the core for too long; empty: nothing did. `marks`: the host marked sectors as
    /// uncorrectable.
    [[nodiscard]] std::string kept_core(const platform::Configuration& configuration, bool marks) const;

    /// Number of commands per way of ending, without those that a power cut ended.
    [[nodiscard]] Json endings() const;
    /// Flash faults that happened. `result`: that of the run.
    [[nodiscard]] Json faults(const Json& result) const;

  private:
    void compare_erases();

    const platform::Ssd* ssd_ = nullptr;
    /// superblock erases by the firmware's count; nothing if the firmware boots
    std::optional<std::uint64_t> erases_before_;
    std::string miscounted_;
    hal::Ps longest_turn_{0};
    std::uint64_t ok_ = 0;
    std::uint64_t uncorrectable_ = 0;
    std::uint64_t write_faults_ = 0;
    std::uint64_t other_ = 0;
    std::uint64_t dead_ = 0;  ///< dead dies and planes at the end of the run
    bool read_only_ = false;  ///< whether the drive was read-only at the end of the run
};

}  // namespace solidtlm::testbench
