// SPDX-License-Identifier: Apache-2.0
//
// Runs in children: order, results of any size, and every way in which a child can end.
#include "testbench/sim/child_runs.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>
#include <set>
#include <stdexcept>

#include "testbench/sim/process/interruption.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

SimulationOutcome value(Json result) {
    SimulationOutcome outcome;
    outcome.result = std::move(result);
    return outcome;
}

std::vector<PointOutcome> run(const std::vector<PointJob>& points, std::uint32_t jobs = 4) {
    return run_points(points, PointPool{jobs, true});
}

/// Children that sleep longer the earlier they come in the list.
std::vector<PointJob> last_ends_first() {
    std::vector<PointJob> points;
    for (int i = 0; i < 6; ++i) {
        points.push_back({"p" + std::to_string(i), [i] {
                              usleep(static_cast<useconds_t>(6 - i) * 20'000);
                              std::cerr << "from " << i << "\n";
                              return value({{"index", i}, {"third", i / 3.0}});
                          }});
    }
    return points;
}

TEST(ChildRuns, OutcomesAreInTheOrderOfTheJobs) {
    for (const std::uint32_t jobs : {1U, 3U, 16U}) {
        ::testing::internal::CaptureStderr();
        const std::vector<PointOutcome> outcomes = run(last_ends_first(), jobs);
        EXPECT_EQ(::testing::internal::GetCapturedStderr(),
                  "p0: from 0\np1: from 1\np2: from 2\np3: from 3\np4: from 4\np5: from 5\n");
        ASSERT_EQ(outcomes.size(), 6U);
        for (int i = 0; i < 6; ++i) {
            EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].outcome.result["index"], i);
            EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].outcome.result["third"], i / 3.0) << "every bit";
            EXPECT_TRUE(outcomes[static_cast<std::size_t>(i)].outcome.faults.empty());
        }
    }
}

TEST(ChildRuns, NothingToDo) {
    EXPECT_TRUE(run({}).empty());
}

TEST(ChildRuns, NoMoreChildrenAtATimeThanAsked) {
    // Each child leaves a mark while it runs; a child that finds another mark ran in parallel with it.
    const std::string mark = ::testing::TempDir() + "/child_runs_mark_" + std::to_string(getpid());
    std::vector<PointJob> points;
    for (int i = 0; i < 4; ++i) {
        points.push_back({"p", [mark] {
                              const bool alone = mkdir(mark.c_str(), 0700) == 0;
                              usleep(10'000);
                              rmdir(mark.c_str());
                              return value(alone);
                          }});
    }
    for (const PointOutcome& outcome : run(points, 1)) {
        EXPECT_EQ(outcome.outcome.result, true);
    }
}

TEST(ChildRuns, AResultMayBeLarge) {
    const std::string text(20'000'000, 'x');  // a pipe holds 64 KiB
    const std::vector<PointOutcome> outcomes =
        run({{"large", [&] { return value(text); }}, {"small", [] { return value(1); }}}, 1);
    EXPECT_EQ(outcomes[0].outcome.result.get<std::string>(), text);
    EXPECT_EQ(outcomes[1].outcome.result, 1);
}

TEST(ChildRuns, MessagesMayBeLong) {
    ::testing::internal::CaptureStderr();
    const auto outcomes = run({{"loud", [] {
                                    std::cerr << std::string(1'000'000, 'm') << std::endl;
                                    return value(1);
                                }}});
    EXPECT_EQ(::testing::internal::GetCapturedStderr().size(), 1'000'000 + std::string("loud: \n").size());
    EXPECT_EQ(outcomes[0].outcome.result, 1);
}

/// The point with `wrong` fails with `fault`; its neighbours are not affected.
void expect_fault(const std::function<SimulationOutcome()>& wrong, const std::string& fault) {
    const auto good = [] { return value("good"); };
    const std::vector<PointOutcome> outcomes = run({{"a", good}, {"wrong", wrong}, {"b", good}}, 2);
    EXPECT_EQ(outcomes[0].outcome.result, "good");
    EXPECT_EQ(outcomes[2].outcome.result, "good");
    EXPECT_TRUE(outcomes[1].outcome.result.is_null());
    ASSERT_EQ(outcomes[1].outcome.faults.size(), 1U);
    EXPECT_EQ(outcomes[1].outcome.faults.front(), fault);
}

TEST(ChildRuns, AnExceptionIsAFault) {
    expect_fault([]() -> SimulationOutcome { throw std::runtime_error("no such thing"); }, "no such thing");
    expect_fault([]() -> SimulationOutcome { throw 1; }, "an exception of unknown type");
    expect_fault([]() -> SimulationOutcome { throw std::bad_alloc(); }, "out of memory");
    expect_fault([]() -> SimulationOutcome { throw hal::OutOfMemory("map", 3'000'000'000); },
                 "out of memory: map (3.000 GB)");
}

TEST(ChildRuns, ASignalIsAFault) {
    const auto die = [](int signal) {
        return [signal]() -> SimulationOutcome {
            std::signal(signal, SIG_DFL);  // the sanitizers have handlers of their own
            raise(signal);
            return {};
        };
    };
    expect_fault(die(SIGSEGV), "killed by signal 11 (Segmentation fault)");
    expect_fault(die(SIGABRT), "killed by signal 6 (Aborted)");
    expect_fault(die(SIGKILL), "killed by signal 9 (Killed)");
}

TEST(ChildRuns, AnOddExitIsAFault) {
    expect_fault([]() -> SimulationOutcome { _exit(3); }, "ended with exit code 3 and without a result");
    expect_fault([]() -> SimulationOutcome { _exit(0); }, "ended with exit code 0 and without a result");
}

TEST(ChildRuns, NoProcessNoResult) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    const std::vector<PointOutcome> outcomes = run({{"p", [] { return value(1); }}});
    setrlimit(RLIMIT_NOFILE, &before);
    ASSERT_EQ(outcomes[0].outcome.faults.size(), 1U);
    EXPECT_EQ(outcomes[0].outcome.faults.front(), "cannot start a process: Too many open files");
}

TEST(ChildRuns, FaultsComeBack) {
    const auto outcomes = run({{"p", [] {
                                    SimulationOutcome outcome = value(1);
                                    outcome.faults = {"one", "two \xff"};
                                    return outcome;
                                }}});
    EXPECT_EQ(outcomes[0].outcome.faults, (std::vector<std::string>{"one", "two \xEF\xBF\xBD"}));
}

TEST(ChildRuns, TimeAndMemoryAreMeasured) {
    constexpr std::size_t kBytes = 64U << 20U;
    const auto outcomes = run({{"large",
                                [] {
                                    std::vector<char> memory(kBytes, 1);
                                    return value(std::count(memory.begin(), memory.end(), 1));
                                }},
                               {"slow", [] {
                                    usleep(50'000);
                                    return value(1);
                                }}});
    EXPECT_GE(outcomes[0].peak_memory_bytes, kBytes);
    EXPECT_GE(outcomes[1].wall_time_s, 0.05);
}

TEST(ChildRuns, ChildrenDieWithTheirParent) {
    std::array<int, 2> alive{};
    ASSERT_EQ(pipe(alive.data()), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        close(alive[0]);
        (void)run({{"sleeps", []() -> SimulationOutcome {
                        pause();
                        return {};
                    }}});
        _exit(0);
    }
    close(alive[1]);
    usleep(200'000);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    char byte = 0;
    EXPECT_EQ(read(alive[0], &byte, 1), 0) << "the last holder of the other end has ended";
    close(alive[0]);
}

TEST(ChildRuns, EachChildSimulatesADriveOfItsOwn) {
    std::vector<PointJob> points;
    for (const char* channels : {"1", "2", "1"}) {
        points.push_back({channels, [channels] {
                              const auto drive =
                                  preset("tiny", {std::string("nand.geometry.channels=") + channels});
                              return value(without_wall_times(run_workload(drive, "random,count=200")));
                          }});
    }
    const std::vector<PointOutcome> outcomes = run(points, 2);
    EXPECT_EQ(outcomes[0].outcome.result.dump(), outcomes[2].outcome.result.dump());
    EXPECT_EQ(outcomes[1].outcome.result["config"]["nand"]["geometry"]["channels"], 2);
    EXPECT_EQ(outcomes[1].outcome.result["host"]["completed"], 200);
}

/// In a process of its own, because a noted signal stays noted.
TEST(Points, AreNotStartedAfterASignalAndThoseUnderWayAreEnded) {
    const auto good = [] { return value(1); };
    const auto asks_to_end = []() -> SimulationOutcome {
        (void)kill(getppid(), SIGTERM);
        sleep(60);
        return value(2);
    };
    const auto interrupted = [&] {
        const std::vector<PointOutcome> outcomes =
            run({{"ended", good}, {"ends", asks_to_end}, {"later", good}}, 1);
        const bool kept = !outcomes[0].interrupted && outcomes[0].outcome.result == 1;
        const auto cut = [](const PointOutcome& point) {
            return point.interrupted && point.outcome.result.is_null() &&
                   point.outcome.faults == std::vector<std::string>{"interrupted by SIGTERM"};
        };
        std::exit(kept && cut(outcomes[1]) && cut(outcomes[2]) ? Interruption::exit_code() : 1);
    };
    EXPECT_EXIT(interrupted(), ::testing::ExitedWithCode(143), "");
}

RunSpec aged_tiny(std::uint32_t depth, const std::string& precondition) {
    RunSpec settings = run_of(preset("tiny", {}), depth);
    settings.precondition = parse_preconditioning(precondition);
    return settings;
}

SimulationOutcome run_random(const RunSpec& settings, DriveToRun& drive) {
    const auto source = make_workload(
        parse_workload("random,read=0.5,count=300", settings.configuration.firmware.exported_sectors));
    return simulate(settings, *source, ClosedLoop(settings.queue_depth.value()), {}, drive);
}

/// Runs at several depths: first each on its own drive, then all on copies of one drive.
TEST(SharedDrives, RunAsIfEachHadItsOwn) {
    constexpr std::array<std::uint32_t, 3> kDepths{1, 8, 32};
    const auto shared = std::make_shared<DriveToRun>(aged_tiny(1, "fill=1,random=1"));
    std::vector<PointJob> points;
    for (const bool share : {false, true}) {
        for (const std::uint32_t depth : kDepths) {
            const RunSpec settings = aged_tiny(depth, "fill=1,random=1");
            const auto drive = share ? shared : std::make_shared<DriveToRun>(settings);
            points.push_back({std::to_string(depth),
                              [settings, drive, depth] {
                                  std::cerr << "depth " << depth << "\n";
                                  return run_random(settings, *drive);
                              },
                              share ? drive : nullptr});
        }
    }
    ::testing::internal::CaptureStderr();
    const std::vector<PointOutcome> outcomes = run(points, 2);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "1: depth 1\n8: depth 8\n32: depth 32\n1: depth 1\n8: depth 8\n32: depth 32\n");
    std::set<double> ageings;  // that of the shared drive, identical to the last bit
    for (std::size_t i = 0; i < kDepths.size(); ++i) {
        const Json& shares = outcomes[kDepths.size() + i].outcome.result;
        EXPECT_EQ(outcomes[i].outcome.faults, std::vector<std::string>());
        EXPECT_EQ(without_wall_times(outcomes[i].outcome.result), without_wall_times(shares));
        EXPECT_EQ(shares["host"]["completed"], 300);
        EXPECT_GT(outcomes[kDepths.size() + i].peak_memory_bytes, 0U);
        ageings.insert(shares["precondition"]["wall_time_s"].get<double>());
    }
    EXPECT_EQ(ageings.size(), 1U);
}

TEST(SharedDrives, KeepAFaultToItsRun) {
    const RunSpec settings = aged_tiny(4, "fill=1,random=0");
    const auto drive = std::make_shared<DriveToRun>(settings);
    const auto good = [settings, drive] { return run_random(settings, *drive); };
    const std::vector<PointOutcome> outcomes = run({{"first", good, drive},
                                                    {"second",
                                                     []() -> SimulationOutcome {
                                                         (void)raise(SIGKILL);
                                                         return {};
                                                     },
                                                     drive},
                                                    {"third", good, drive}});
    EXPECT_EQ(outcomes[0].outcome.faults, std::vector<std::string>());
    EXPECT_EQ(outcomes[1].outcome.faults, std::vector<std::string>{"killed by signal 9 (Killed)"});
    EXPECT_TRUE(outcomes[1].outcome.result.is_null());
    EXPECT_EQ(without_wall_times(outcomes[0].outcome.result), without_wall_times(outcomes[2].outcome.result));
}

TEST(SharedDrives, ThatCannotBeAgedFailEveryRun) {
    const RunSpec settings = aged_tiny(4, "fill=0.5,random=1,size=32MiB");
    const auto drive = std::make_shared<DriveToRun>(settings);
    const auto good = [settings, drive] { return run_random(settings, *drive); };
    for (const PointOutcome& outcome : run({{"first", good, drive}, {"second", good, drive}})) {
        ASSERT_EQ(outcome.outcome.faults.size(), 1U);
        EXPECT_TRUE(outcome.outcome.faults[0].starts_with("--precondition: found random requests"));
    }
}

}  // namespace
}  // namespace solidtlm::testbench
