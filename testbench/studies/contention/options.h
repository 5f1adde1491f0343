// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_contention.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/contention/load.h"
#include "testbench/studies/contention/sweep.h"

namespace solidtlm::testbench::contention {

struct Options {
    Sweep sweep;
    std::vector<std::string> caches;  ///< as given; check() puts them into `sweep`
    std::uint64_t requests = 6000;    ///< measured at each point
    bool details = false;

    /// Large enough to load the bus, small and scattered enough to miss.
    static constexpr const char* kWorkload = "random,read=1,size=32k,align=32k";
    /// Filled, and a tenth of it written again, which leaves the translation pages on dies at random.
    static constexpr const char* kPrecondition = "fill=1,random=0.1,size=32k";
    static constexpr std::uint64_t kWarmUp = 2000;

    void add_to(CLI::App& app);
    /// Completes the sweep. Returns what is wrong.
    [[nodiscard]] std::vector<std::string> check(const CommandLine& line);
    [[nodiscard]] Load load_of(const CommandLine& line) const;
};

}  // namespace solidtlm::testbench::contention
