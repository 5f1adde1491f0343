// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_fragmentation.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/fragmentation/load.h"
#include "testbench/studies/fragmentation/system.h"

namespace solidtlm::testbench::fragmentation {

struct Options {
    Sweep sweep;
    std::string timing = "full";
    std::vector<std::string> workloads;  ///< as given; empty: both, or those of the line alone
    std::vector<std::uint32_t> log_sweep{128, 256, 512, 1024, 2048, 4096};
    std::vector<double> drive_sweep{1.0, 0.5, 0.25, 0.125};

    // What check() makes of them.
    std::vector<SystemPoint> systems;
    std::vector<Load> loads;
    std::uint32_t depth = 32;

    void add_to(CLI::App& app);
    /// Completes the options. Returns everything that is wrong.
    [[nodiscard]] std::vector<std::string> check(const CommandLine& line);
    [[nodiscard]] bool timed() const { return timing == "full"; }
};

}  // namespace solidtlm::testbench::fragmentation
