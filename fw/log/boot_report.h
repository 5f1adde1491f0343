// SPDX-License-Identifier: Apache-2.0
//
// The steps of a boot after a loss of power, in order, with what each has found and how long it took. The
// code that takes a step names the step and what it counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::fw {

struct Services;

/// A quantity that a step of the boot counts.
struct BootCount {
    std::string_view what;  ///< also the name in result.json; must outlive the report
    std::uint64_t count = 0;
};

struct BootStep {
    std::string_view name;  ///< also the name in result.json and in the timeline; must outlive the report
    hal::Ps begin{0};
    hal::Ps time{0};
    std::vector<BootCount> found;
};

class BootReport {
  public:
    /// Ends the previous step, begins this one, and reports it to the probe.
    void begin_step(const Services& services, std::string_view name);
    /// Adds a count to the step that began last.
    void found(std::string_view what, std::uint64_t count);
    /// Ends the last step, if it has not ended.
    void end(const Services& services);

    [[nodiscard]] const std::vector<BootStep>& steps() const { return steps_; }
    [[nodiscard]] hal::Ps total() const;
    /// Time of the step; 0 if there is no such step.
    [[nodiscard]] hal::Ps time(std::string_view step) const;
    /// Sum over all steps.
    [[nodiscard]] std::uint64_t count(std::string_view what) const;

  private:
    std::vector<BootStep> steps_;
    bool open_ = false;  ///< the last step has not ended
};

}  // namespace solidtlm::fw
