// SPDX-License-Identifier: Apache-2.0
//
// Runs many cases, each in a process of its own, and shrinks failing ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/torture/coverage.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/run_case.h"

namespace solidtlm::testbench {

struct CampaignSettings {
    std::uint64_t first_seed = 1;
    std::uint64_t last_seed = 100;
    std::optional<double> minutes;                ///< wall time after which no new seeds begin
    std::vector<Family> families{Family::small};  ///< each seed has one case per family
    std::string preset = "tiny";                  ///< for the small family
    std::string real_preset;                      ///< for the real family; empty: any
    std::vector<std::string> pinned;              ///< settings that every case has
    std::uint32_t jobs = 1;
    bool quiet = false;
    std::size_t most_shrinking = 400;  ///< most cases tried to shrink one fault
    std::filesystem::path out;         ///< folder for cases and waveforms
    CaseLimits limits;
    CaseRunner run = run_case;
};

struct FoundFault {
    std::uint64_t seed = 0;
    Family family = Family::small;
    std::vector<std::string> faults;
    std::string signature;
};

/// Costs of the cases of a preset.
struct PresetCost {
    std::uint64_t cases = 0;
    double seconds = 0;  ///< wall time
    double longest_s = 0;
    std::uint64_t most_memory_bytes = 0;  ///< largest resident set
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct CampaignReport {
    std::uint64_t seeds = 0;                  ///< seeds that were run
    std::vector<FoundFault> out_of_memory;    ///< cases that could not run for lack of memory
    std::map<std::string, PresetCost> costs;  ///< by preset, for the real family
    std::vector<FoundFault> found;
    Json coverage;
    double wall_time_s = 0;
};

/// The case of a seed in a family.
[[nodiscard]] DrawnCase draw_case_of(const CampaignSettings& settings, Family family, std::uint64_t seed);

/// Prints faults to stdout as they are found: the seed and the fault and, for the first fault of each kind,
/// the shrunk case, the command that runs it again, and the path of its waveform.
[[nodiscard]] CampaignReport run_campaign(const CampaignSettings& settings);

/// Shrinks a case that fails in this way, writes `OUT/NAME.toml` and the waveform of its last millisecond
/// `OUT/NAME.vcd`, and returns lines of text that name them. Throws OutputError.
[[nodiscard]] std::string explain(const CampaignSettings& settings, const std::string& name,
                                  const TortureCase& torture, const std::vector<std::string>& faults);

}  // namespace solidtlm::testbench
