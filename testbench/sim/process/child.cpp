// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/process/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {  // missing from the header of glibc 2.36
#include <sys/pidfd.h>
}

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace solidtlm::testbench {
namespace {

constexpr int kEndMs = 5000;  ///< for a program to end after it was asked to

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// In the child: never returns.
[[noreturn]] void become(const std::vector<std::string>& arguments, const std::vector<int>& inherited,
                         const std::vector<std::string>& environment, int output, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(1);
    }
    sigset_t set;
    sigfillset(&set);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    if (output >= 0) {
        dup2(output, STDOUT_FILENO);
    }
    for (const int descriptor : inherited) {
        fcntl(descriptor, F_SETFD, 0);
    }
    for (const std::string& variable : environment) {
        putenv(const_cast<char*>(variable.c_str()));
    }
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    _exit(kNotFound);
}

}  // namespace

void Child::start(const std::vector<std::string>& arguments, const std::vector<int>& inherited,
                  const std::vector<std::string>& environment, int output) {
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) {
        fail("cannot start " + arguments.front());
    }
    if (process_ == 0) {
        become(arguments, inherited, environment, output, parent);
    }
    handle_.reset(pidfd_open(process_, 0));
    if (handle_.get() < 0) {
        fail("pidfd_open");
    }
}

std::string Child::wait() {
    if (running()) {
        while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
    }
    return WIFSIGNALED(status_)
               ? fmt::format("killed by signal {} ({})", WTERMSIG(status_), strsignal(WTERMSIG(status_)))
               : fmt::format("exit code {}", WEXITSTATUS(status_));
}

bool Child::killed() const {
    return WIFSIGNALED(status_);
}

void Child::end() {
    if (!running()) {
        return;
    }
    ::kill(process_, SIGTERM);
    pollfd ended{handle_.get(), POLLIN, 0};
    if (poll(&ended, 1, kEndMs) != 1) {
        kill();
    }
    (void)wait();
}

void Child::kill() {
    if (running()) {
        ::kill(process_, SIGKILL);
        (void)wait();
    }
}

}  // namespace solidtlm::testbench
