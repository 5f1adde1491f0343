// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_map_cache.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/map_cache/load.h"
#include "testbench/studies/map_cache/policy.h"

namespace solidtlm::testbench::map_cache {

struct Options {
    std::string timing = "off";
    std::vector<std::string> policies = policy_names();
    std::vector<std::string> sizes{"16k", "32k", "64k", "128k", "256k", "512k"};
    std::vector<std::string> workloads;  ///< as given; empty: see loads()
    bool details = false;

    // What check() makes of them.
    std::vector<Cache> caches;
    std::vector<LoadSpec> loads;

    void add_to(CLI::App& app);
    /// Completes the options. Returns everything that is wrong.
    [[nodiscard]] std::vector<std::string> check(const CommandLine& line);
    [[nodiscard]] bool timed() const { return timing == "full"; }

  private:
    void check_policies_and_sizes(const CommandLine& line, std::vector<std::string>& errors);
    void check_loads(const CommandLine& line, std::vector<std::string>& errors);
};

}  // namespace solidtlm::testbench::map_cache
