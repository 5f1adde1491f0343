// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_dedup.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/dedup/load.h"

namespace solidtlm::testbench::dedup {

struct Options {
    std::vector<std::string> parts{"systems", "power", "sensitivity"};
    std::vector<std::string> systems{"none", "online", "offline", "offline_separated", "offline_crc32"};
    std::vector<std::string> workloads;  ///< of the study; empty: all that are there
    std::string trace_folder = "../shared/traces";
    double scale = 1.0;  ///< of the requests of generated workloads
    double used = 1.0;
    std::string protection = "none";
    std::vector<std::uint32_t> duplicates{10, 30, 60};  ///< percent
    std::vector<std::string> idles{"3ms", "10ms", "31ms", "100ms"};
    std::vector<double> speeds{0.1, 0.3, 1.0};
    std::vector<std::uint32_t> md5_us{25, 50, 100, 200};
    std::vector<std::string> byte_times{"1ns", "5ns", "25ns"};
    std::vector<std::string> tables{"64k", "256k", "1m", "4m"};

    void add_to(CLI::App& app);
    /// Returns what is wrong.
    [[nodiscard]] std::vector<std::string> check(const CommandLine& line);

    [[nodiscard]] bool has(const std::string& part) const;
    /// What the systems are given. REQUIRES: check() has found nothing.
    [[nodiscard]] const std::vector<LoadSpec>& loads() const { return loads_; }
    /// Traces of the study that are not there.
    [[nodiscard]] const std::vector<std::string>& absent() const { return absent_; }
    /// A share of a generated workload of the study, and `more` added to its description.
    [[nodiscard]] LoadSpec varied(const std::string& workload, double share, const std::string& more) const;

  private:
    void add_study_loads(std::vector<std::string>& errors);
    void add_given_loads(const CommandLine& line, std::vector<std::string>& errors);

    std::vector<LoadSpec> loads_;
    std::vector<std::string> absent_;
};

}  // namespace solidtlm::testbench::dedup
