// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "testbench/sim/process/descriptor.h"

namespace solidtlm::testbench {

constexpr int kNotFound = 127;  ///< exit code of a program that could not be started; shells use the same

/// A started program. The kernel ends it when this process ends.
class Child {
  public:
    Child() = default;
    ~Child() { end(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// `inherited`: descriptors that stay open in the child. `output`: its standard output; -1: that of this
    /// process. The child starts with no signal blocked. Throws std::runtime_error.
    void start(const std::vector<std::string>& arguments, const std::vector<int>& inherited,
               const std::vector<std::string>& environment, int output = -1);
    [[nodiscard]] bool running() const { return process_ > 0; }
    /// A descriptor that becomes readable when the child has ended; -1: no child was started.
    [[nodiscard]] int descriptor() const { return handle_.get(); }
    /// Waits until the child ends and returns how it ended: "exit code 1", "killed by signal 9 (Killed)".
    std::string wait();
    /// After wait(): the child ended with exit code 0.
    [[nodiscard]] bool succeeded() const { return status_ == 0; }
    /// After wait(): a signal ended the child.
    [[nodiscard]] bool killed() const;
    /// Asks the child to end, and kills it if it does not.
    void end();
    /// Kills the child at once.
    void kill();

  private:
    pid_t process_ = -1;
    Descriptor handle_;
    int status_ = 0;
};

}  // namespace solidtlm::testbench
