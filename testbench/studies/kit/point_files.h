// SPDX-License-Identifier: Apache-2.0
//
// The points of a study as files, so that other machines can run them: run files of the study that each name
// a point, and the outcome of each. docs/python.md explains how to use them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/simulation/child_runs.h"

namespace solidtlm::testbench {

/// What to do with the points instead of running all of them here. If all fields are empty, they are run.
struct PointFiles {
    std::filesystem::path list;     ///< run files are written there
    std::filesystem::path collect;  ///< what has come of them is read there
    std::uint32_t point = 0;        ///< this one alone is run, and written as it is; from 1 on

    /// Where the program takes run files.
    void add_to(OptionSet& options);
    void check(const CommandLine& line, Errors& errors) const;
};

/// "list/0001.toml" and so on.
void write_run_files(const std::filesystem::path& folder, const CommandLine& line, std::size_t points);

/// As a result.json of that point alone. `point` counts from 1.
[[nodiscard]] Json point_result(const std::string& scenario, std::size_t point, const std::string& name,
                                const SimulationOutcome& outcome);

/// Of "folder/0001/result.json" and so on, from `first` on. Throws InputError where one is missing or of
/// another study.
[[nodiscard]] std::vector<PointOutcome> read_outcomes(const std::filesystem::path& folder,
                                                      const std::string& scenario, std::size_t first,
                                                      std::size_t count);

}  // namespace solidtlm::testbench
