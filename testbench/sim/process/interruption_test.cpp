// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/process/interruption.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace solidtlm::testbench {
namespace {

/// Each body runs in a process of its own, because a recorded signal stays recorded.
TEST(Interruption, NotesASignalAndEndsWithTheConventionalCode) {
    EXPECT_EXIT(
        {
            const Interruption interruption;
            (void)std::raise(SIGINT);
            std::exit(Interruption::in_words() == "interrupted by SIGINT" ? Interruption::exit_code() : 1);
        },
        ::testing::ExitedWithCode(130), "");
    EXPECT_EXIT(
        {
            const Interruption interruption;
            (void)std::raise(SIGTERM);
            (void)std::raise(SIGTERM);  // as timeout(1) does
            std::exit(Interruption::in_words() == "interrupted by SIGTERM" ? Interruption::exit_code() : 1);
        },
        ::testing::ExitedWithCode(143), "");
    EXPECT_EQ(Interruption::signal(), 0);
}

TEST(Interruption, SaysSoWhereItEndsTheProcess) {
    EXPECT_EXIT(
        {
            Interruption::report_sudden_ends();
            (void)std::raise(SIGTERM);
            std::exit(1);
        },
        ::testing::KilledBySignal(SIGTERM),
        "^error: interrupted by SIGTERM before anything was simulated: there is no result\n$");
    EXPECT_EXIT(
        {
            Interruption::report_sudden_ends();
            {
                const Interruption interruption;
                (void)std::raise(SIGINT);
            }
            (void)std::raise(SIGINT);
            std::exit(1);
        },
        ::testing::KilledBySignal(SIGINT),
        "^error: interrupted by SIGINT after the simulation, before all results were written\n$");
    EXPECT_EXIT(
        {
            (void)std::signal(SIGINT, SIG_IGN);
            Interruption::report_sudden_ends();
            (void)std::raise(SIGINT);
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), "^$");
}

TEST(Interruption, EndsAtOnceAtTheSecondCtrlC) {
    EXPECT_EXIT(
        {
            const Interruption interruption;
            (void)std::raise(SIGINT);
            (void)std::raise(SIGINT);
            std::exit(1);
        },
        ::testing::KilledBySignal(SIGINT), "");
}

TEST(Interruption, LeavesSignalsAsTheyWere) {
    EXPECT_EXIT(
        {
            { const Interruption interruption; }
            (void)std::raise(SIGTERM);
            std::exit(1);
        },
        ::testing::KilledBySignal(SIGTERM), "");
    EXPECT_EXIT(
        {
            (void)std::signal(SIGINT, SIG_IGN);  // as in the background of a shell script
            const Interruption interruption;
            (void)std::raise(SIGINT);
            std::exit(Interruption::signal());
        },
        ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace solidtlm::testbench
