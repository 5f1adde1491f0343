// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "testbench/process/descriptor.h"

namespace solidtlm::testbench {

constexpr int kNotFound = 127;  ///< exit code of a program that could not be started, as of a shell

/// A started program, which ends with this process.
class Child {
  public:
    Child() = default;
    ~Child() { end(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// `inherited`: descriptors that stay open in it. `output`: its standard output; -1: ours. It begins with
    /// no signal blocked. Throws std::runtime_error.
    void start(const std::vector<std::string>& arguments, const std::vector<int>& inherited,
               const std::vector<std::string>& environment, int output = -1);
    [[nodiscard]] bool running() const { return process_ > 0; }
    /// Readable when it has ended; -1: nothing was started.
    [[nodiscard]] int descriptor() const { return handle_.get(); }
    /// Waits for its end and says how it ended: "exit code 1", "killed by signal 9 (Killed)".
    std::string wait();
    /// After wait(): it ended with exit code 0.
    [[nodiscard]] bool succeeded() const { return status_ == 0; }
    /// After wait(): a signal ended it.
    [[nodiscard]] bool killed() const;
    /// Asks it to end, and kills it if it does not.
    void end();
    /// Kills it at once.
    void kill();

  private:
    pid_t process_ = -1;
    Descriptor handle_;
    int status_ = 0;
};

}  // namespace solidtlm::testbench
