// SPDX-License-Identifier: Apache-2.0
//
// For tests of command lines: parses one and stores the outcome.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "testbench/programs/cli/command_line.h"

namespace solidtlm::testbench {

struct Parsed {
    ParsedCommandLine parsed;
    std::string out;
    std::string err;

    [[nodiscard]] const CommandLine& line() const { return parsed.line.value(); }
};

inline Parsed parse_arguments(const Program& program, const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{program.name.c_str()};
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }
    std::ostringstream out;
    std::ostringstream err;
    ParsedCommandLine parsed =
        parse_command_line(static_cast<int>(argv.size()), argv.data(), program, out, err);
    return {std::move(parsed), out.str(), err.str()};
}

/// A program that runs one drive.
inline Program one_run_program() {
    Program program{.name = "tb_test", .summary = "Tests the command line."};
    program.one_run = true;
    return program;
}

}  // namespace solidtlm::testbench
