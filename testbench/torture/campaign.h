// SPDX-License-Identifier: Apache-2.0
//
// Runs many cases, each in a process of its own, and shrinks those that fail.
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
    std::optional<double> minutes;                ///< of wall time: no new seeds after that
    std::vector<Family> families{Family::small};  ///< each seed has a case of each
    std::string preset = "tiny";                  ///< of the small family
    std::string real_preset;                      ///< of the real family; empty: any
    std::vector<std::string> pinned;              ///< settings of every case
    std::uint32_t jobs = 1;
    bool quiet = false;
    std::size_t most_shrinking = 400;  ///< cases tried for one fault
    std::filesystem::path out;         ///< for cases and waveforms
    CaseLimits limits;
    CaseRunner run = run_case;
};

struct FoundFault {
    std::uint64_t seed = 0;
    Family family = Family::small;
    std::vector<std::string> faults;
    std::string signature;
};

/// What the cases of a preset have cost.
struct PresetCost {
    std::uint64_t cases = 0;
    double seconds = 0;  ///< of wall time
    double longest_s = 0;
    std::uint64_t most_memory_bytes = 0;  ///< resident
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct CampaignReport {
    std::uint64_t seeds = 0;                  ///< that were run
    std::vector<FoundFault> out_of_memory;    ///< cases that were not carried out for want of it
    std::map<std::string, PresetCost> costs;  ///< by preset, of the real family
    std::vector<FoundFault> found;
    Json coverage;
    double wall_time_s = 0;
};

/// The case that a seed has in a family.
[[nodiscard]] DrawnCase draw_case_of(const CampaignSettings& settings, Family family, std::uint64_t seed);

/// Prints faults to stdout as they are found: seed, what went wrong, and of the first of each kind the shrunk
/// case, how to run it again, and where its waveform is.
[[nodiscard]] CampaignReport run_campaign(const CampaignSettings& settings);

/// Shrinks a case that fails in this way, writes `OUT/NAME.toml` and the waveform of its last millisecond
/// `OUT/NAME.vcd`, and says so in lines of text. Throws OutputError.
[[nodiscard]] std::string explain(const CampaignSettings& settings, const std::string& name,
                                  const TortureCase& torture, const std::vector<std::string>& faults);

}  // namespace solidtlm::testbench
