// SPDX-License-Identifier: Apache-2.0
//
// Shared by programs whose requests come from outside, through the registers of an adapter.
#pragma once

#include <string>

#include "testbench/programs/cli/command_line.h"

namespace solidtlm::testbench {

/// Removes the options that such a program cannot use, and allows bytes as the only contents. `driver` names
/// the client in messages.
inline void drive_by_adapter(Program& program, const std::string& driver) {
    static constexpr const char* kBytesBecause = "memory holds bytes";
    const std::string requests = "requests come from a " + driver;
    program.configuration_defaults = "content = \"bytes\"\n";
    program.unused = {{kRequestOptions, requests},
                      {{"--queue-depth"}, requests},
                      {kAgeingOptions, "drives are new"},
                      {{"--host"}, "the host is a " + driver + " behind an adapter"},
                      {{"--content"}, kBytesBecause},
                      {kSavedResultOptions, "there are no results"},
                      {{"--out", "--no-report", "--jobs", "--quiet"},
                       "there are no results, only what the " + driver + " sees"}};
    program.check = [](const CommandLine& line) {
        Errors errors;
        require_bytes(line.configuration, kBytesBecause, errors);
        return errors;
    };
}

}  // namespace solidtlm::testbench
