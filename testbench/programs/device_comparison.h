// SPDX-License-Identifier: Apache-2.0
//
// tb_replay --compare: the same requests on several devices, each in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "testbench/programs/cli/command_line.h"

namespace solidtlm::testbench {

constexpr const char* kReplay = "tb_replay";

/// What --compare and --compare-set ask for.
struct ComparisonRequest {
    std::vector<std::string> files;     ///< one device per TOML file, on top of the device options
    std::vector<std::string> settings;  ///< one device per "key=value; key=value", on top of the files

    [[nodiscard]] bool wanted() const { return !files.empty() || !settings.empty(); }
};

struct ComparedDevice {
    std::string name;  ///< unique name
    platform::Configuration configuration;
};

/// The devices in the order of the table: that of the device options ("base") if fewer than two files are
/// given, then the files by name, then the settings. Throws ConfigurationError.
[[nodiscard]] std::vector<ComparedDevice> compared_devices(const CommandLine& line,
                                                           const ComparisonRequest& request);

/// Runs the devices, writes the results, prints the comparison and returns the exit code. Throws InputError
/// if the requests do not fit one of the devices, before anything is simulated.
[[nodiscard]] int compare_devices(const CommandLine& line, const std::vector<ComparedDevice>& devices);

}  // namespace solidtlm::testbench
