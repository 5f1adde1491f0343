// SPDX-License-Identifier: Apache-2.0
//
// Which faults of the flash a run met, how its commands ended, and whether firmware and flash have counted
// the same erases.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "testbench/simulation/simulation.h"

namespace solidtlm::testbench {

class MetFaults : public RunWatcher {
  public:
    void begin(std::function<DeviceTelemetry()> /*collect*/) override {}
    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override;
    /// Receives the drive, which exists until the run has ended.
    void built(const BuiltDrive& drive);
    /// What is wrong with the firmware's counters; empty: nothing.
    [[nodiscard]] const std::string& miscounted() const { return miscounted_; }

    /// Commands by how they ended, without those that a power cut ended.
    [[nodiscard]] Json endings() const;
    /// `result` is that of the run.
    [[nodiscard]] Json faults(const Json& result) const;

  private:
    void compare_erases();

    const platform::Ssd* ssd_ = nullptr;
    std::optional<std::uint64_t> erases_before_;  ///< superblocks, by the firmware's count; not if it boots
    std::string miscounted_;
    std::uint64_t ok_ = 0;
    std::uint64_t uncorrectable_ = 0;
    std::uint64_t write_faults_ = 0;
    std::uint64_t other_ = 0;
    std::uint64_t dead_ = 0;  ///< dies and planes, by the end of the run
    bool read_only_ = false;  ///< at the end of the run
};

}  // namespace solidtlm::testbench
