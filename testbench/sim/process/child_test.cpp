// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/process/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

namespace solidtlm::testbench {
namespace {

TEST(Child, ReportsHowItEnded) {
    Child child;
    child.start({"/bin/sh", "-c", "exit 3"}, {}, {});
    EXPECT_TRUE(child.running());
    EXPECT_EQ(child.wait(), "exit code 3");
    EXPECT_FALSE(child.running());
    EXPECT_FALSE(child.succeeded());
    child.start({"/no/such/program"}, {}, {});
    EXPECT_EQ(child.wait(), "exit code " + std::to_string(kNotFound));
    child.start({"/bin/sh", "-c", "kill -KILL $$"}, {}, {});
    EXPECT_EQ(child.wait(), "killed by signal 9 (Killed)");
    EXPECT_TRUE(child.killed());
}

TEST(Child, InheritsOnlyNamedDescriptors) {
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
    const Descriptor reader(pipe_ends[0]);
    Descriptor writer(pipe_ends[1]);
    const std::string command = "echo -n $word >/proc/self/fd/" + std::to_string(writer.get());
    Child child;
    child.start({"/bin/sh", "-c", command}, {}, {"word=lost"});
    (void)child.wait();
    EXPECT_FALSE(child.succeeded());
    child.start({"/bin/sh", "-c", command}, {writer.get()}, {"word=found"});
    (void)child.wait();
    EXPECT_TRUE(child.succeeded());
    writer.reset();
    std::array<char, 16> buffer{};
    ASSERT_EQ(read(reader.get(), buffer.data(), buffer.size()), 5);
    EXPECT_STREQ(buffer.data(), "found");
}

/// Signals that this process blocks are not blocked in the child.
TEST(Child, EndsWhenAskedTo) {
    sigset_t set;
    sigset_t before;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &before);
    Child child;
    child.start({"/bin/sleep", "60"}, {}, {});
    child.end();
    EXPECT_TRUE(child.killed());
    EXPECT_EQ(child.wait(), "killed by signal 15 (Terminated)");
    sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace solidtlm::testbench
