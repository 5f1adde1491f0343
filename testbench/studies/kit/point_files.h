// SPDX-License-Identifier: Apache-2.0
//
// The points of a study as files, so that other machines can run them: run files that each name a point, and
// the outcome of each. docs/python.md explains how to use them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/programs/cli/command_line.h"
#include "testbench/sim/child_runs.h"

namespace solidtlm::testbench {

/// What to do with the points instead of running all of them here. If all fields are empty, they are run.
struct PointFiles {
    std::filesystem::path list;     ///< folder into which run files are written
    std::filesystem::path collect;  ///< folder from which outcomes are read
    std::uint32_t point = 0;        ///< number of the only point to run, from 1; its outcome is written

    /// Adds the options. Only for programs that take run files.
    void add_to(OptionSet& options);
    void check(const CommandLine& line, Errors& errors) const;
};

/// Writes "list/0001.toml" and so on.
void write_run_files(const std::filesystem::path& folder, const CommandLine& line, std::size_t points);

/// The result.json of this single point. `point` counts from 1.
[[nodiscard]] Json point_result(const std::string& scenario, std::size_t point, const std::string& name,
                                const SimulationOutcome& outcome);

/// Reads "folder/0001/result.json" and so on, from `first` on. Throws InputError if a file is missing or
/// belongs to another study.
[[nodiscard]] std::vector<PointOutcome> read_outcomes(const std::filesystem::path& folder,
                                                      const std::string& scenario, std::size_t first,
                                                      std::size_t count);

}  // namespace solidtlm::testbench
