// SPDX-License-Identifier: Apache-2.0
//
// For tests: runs an executable as a user does.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace solidtlm::testbench {

struct Outcome {
    int code = -1;
    std::string output;  ///< stdout and stderr
};

/// Runs a shell command line until it ends.
inline Outcome shell(const std::string& command) {
    Outcome run;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    std::array<char, 4096> buffer{};
    for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        run.output.append(buffer.data(), count);
    }
    const int status = pclose(pipe);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run;
}

}  // namespace solidtlm::testbench
