// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_striping.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/striping/sweep.h"

namespace solidtlm::testbench::striping {

struct Options {
    Sweep sweep;
    std::string study = "sweep";  ///< sweep or jasmine
    std::string size;             ///< as given; check() puts them into `sweep`
    std::string random_size;
    std::uint64_t requests = 0;  ///< measured at each point; 0: kSequentialRequests, kRandomRequests
    bool details = false;

    static constexpr std::uint64_t kSequentialRequests = 1500;
    static constexpr std::uint64_t kRandomRequests = 12000;

    void add_to(CLI::App& app);
    /// Completes the sweep. Returns what is wrong.
    [[nodiscard]] std::vector<std::string> check(const CommandLine& line);
    [[nodiscard]] std::uint64_t requests_for(const Stream& stream) const;
};

}  // namespace solidtlm::testbench::striping
