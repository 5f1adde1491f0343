// SPDX-License-Identifier: Apache-2.0
//
// What the published numbers may depend on that the study does not say: the size of the drive, and how long
// its log lasts. FAST with full striping, counted without time; the drive's shape, the log and the number of
// requests stay while the drive shrinks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/results/terminal.h"
#include "testbench/simulation/child_runs.h"
#include "testbench/studies/fragmentation/figures.h"
#include "testbench/studies/fragmentation/load.h"
#include "testbench/studies/fragmentation/options.h"

namespace solidtlm::testbench::fragmentation {

struct Sensitivity {
    std::string load;
    double drive_gib = 0.0;        ///< exported
    std::uint32_t log_blocks = 0;  ///< NAND blocks
    double wasted_percent = 0.0;   ///< update_wasted of the page writes, with the rule
    double cost_percent = 0.0;     ///< change of what the flash work allows, see cost_of_rule()
    double utilisation = 0.0;      ///< percent, with the rule
};

/// All loads over `--log-sweep`; the PC application also over `--drive-sweep`. Nothing where FAST, full
/// striping or one of the rules is not in the study. What the drive is too small for is left out.
class SensitivityStudy {
  public:
    SensitivityStudy(const Options& options, const platform::Configuration& base,
                     std::span<const NamedProfile> profiles);

    void add_jobs(std::vector<PointJob>& jobs) const;
    /// REQUIRES: the outcomes of the jobs.
    [[nodiscard]] std::vector<Sensitivity> collect(std::span<PointOutcome> outcomes) const;

  private:
    struct Variant {
        Load load;
        Profile profile;
        SystemPoint with;
        SystemPoint without;
        std::uint32_t log_blocks = 0;
    };
    void add(const Load& load, const Profile& profile, const Sweep& sweep,
             const platform::Configuration& base);

    std::vector<Variant> variants_;
};

[[nodiscard]] std::vector<Figure> sensitivity_figures(std::span<const Sensitivity> all);
/// The PC application: drives by logs. Empty when it was not run.
[[nodiscard]] std::string sensitivity_table(std::span<const Sensitivity> all, const TextStyle& style);

}  // namespace solidtlm::testbench::fragmentation
