// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace solidtlm::testbench {
namespace {

/// A clock that only the test moves, and the text that was written.
struct World {
    double now = 100.0;
    int looks = 0;
    std::string text;

    ProgressSurroundings surroundings(std::size_t width = 100) {
        return {[this](std::string_view part) { text += part; },
                [this] {
                    ++looks;
                    return now;
                },
                width};
    }
};

TEST(Progress, BarShowsShareRateAndRemainingTime) {
    World world;
    Progress progress("requests", 1000, ProgressMode::bar, world.surroundings());
    world.now += 1.0;
    progress.update(250, hal::Ps{2'500'000'000'000});
    // 250 in 1 s: the remaining 750 take 3 s.
    EXPECT_NE(world.text.find("250 of 1,000 requests, 250/s, 2.50 s simulated, 0:03 left"), std::string::npos)
        << world.text;
    EXPECT_NE(world.text.find(" 25 %"), std::string::npos) << world.text;
    EXPECT_EQ(world.text.find('\n'), std::string::npos);
}

TEST(Progress, BarIsRedrawnAtMostTenTimesASecondAndFitsTheTerminal) {
    World world;
    Progress progress("requests", 1000, ProgressMode::bar, world.surroundings(80));
    for (std::uint64_t i = 0; i < 100; ++i) {
        world.now += 0.01;
        progress.update(i);
    }
    EXPECT_LE(std::count(world.text.begin(), world.text.end(), '\r'), 10);
    EXPECT_GE(std::count(world.text.begin(), world.text.end(), '\r'), 8);
    const std::size_t last = world.text.rfind('\r');
    EXPECT_LE(world.text.size() - last, 1U + 79U + 3U)
        << "carriage return, text, erase to the end of the line";
}

TEST(Progress, FinishTakesTheBarAway) {
    World world;
    Progress progress("points", 4, ProgressMode::bar, world.surroundings());
    world.now += 1.0;
    progress.update(1);
    progress.finish();
    const std::string erase = "\r\033[K";
    EXPECT_EQ(world.text.substr(world.text.size() - erase.size()), erase);
    const std::size_t length = world.text.size();
    progress.finish();
    progress.update(2);
    EXPECT_EQ(world.text.size(), length) << "nothing comes after the end";
}

TEST(Progress, LinesComeRarelyAndShortRunsPrintNothing) {
    World world;
    Progress progress("requests", std::nullopt, ProgressMode::lines, world.surroundings());
    world.now += 9.0;
    progress.update(900);
    EXPECT_EQ(world.text, "");
    world.now += 1.0;
    progress.update(1000);
    EXPECT_EQ(world.text, "1,000 requests, 100/s, 0:10 so far\n");
}

TEST(Progress, OffWritesNothing) {
    World world;
    Progress progress("requests", 10, ProgressMode::off, world.surroundings());
    world.now += 100.0;
    progress.update(5);
    progress.finish();
    EXPECT_EQ(world.text, "");
    EXPECT_EQ(progress_mode(true), ProgressMode::off);
}

TEST(Progress, RateFollowsWithinSecondsAndDurationsHaveHours) {
    World world;
    Progress progress("requests", 1'000'000, ProgressMode::bar, world.surroundings());
    std::uint64_t done = 0;
    for (int i = 0; i < 10; ++i) {
        world.now += 1.0;
        progress.update(done += 1000);
    }
    EXPECT_NEAR(progress.rate(), 1000.0, 1e-6);
    for (int i = 0; i < 50; ++i) {  // ten time constants: 1000 * e^-10 of the old rate remains
        world.now += 1.0;
        progress.update(done += 100);
    }
    EXPECT_NEAR(progress.rate(), 100.0, 0.1);
    // 985,000 left at 100 per second: 2:44:10.
    EXPECT_NE(world.text.rfind("2:44:"), std::string::npos) << world.text.substr(world.text.rfind('\r'));
}

// Points of a study take seconds each. For a while none may end, so the remaining time is computed from the
// mean rate.
TEST(Progress, FewUnitsGoByTheMean) {
    World world;
    Progress progress("points", 100, ProgressMode::lines, world.surroundings());
    for (std::uint64_t done = 1; done <= 20; ++done) {
        world.now += 10.0;
        progress.update(done);
    }
    EXPECT_NEAR(progress.rate(), 0.1, 1e-9);
    world.now += 200.0;
    progress.update(20);
    EXPECT_NEAR(progress.rate(), 0.05, 1e-9);
    EXPECT_NE(world.text.find("20 of 100 points, 0.1/s, 26:40 left"), std::string::npos) << world.text;
}

struct Endless : RequestSource {
    bool next(Request& request) override {
        request.clear();
        return true;
    }
};

TEST(ProgressObserver, LooksAtTheClockOnceInManyCommandsAndCountsWhatIsDone) {
    World world;
    Endless inner;
    CountedSource source(inner);
    Progress progress("requests", 2048, ProgressMode::bar, world.surroundings());
    ProgressObserver observer(progress, source);
    const int looks_before = world.looks;
    Request request;
    Command command;
    // One command stays outstanding all the time.
    source.next(request);
    observer.issued(command);
    for (int i = 0; i < 1024; ++i) {
        source.next(request);
        observer.issued(command);
        world.now += 0.001;
        observer.completed(command);
    }
    EXPECT_EQ(world.looks - looks_before, 2);
    EXPECT_NE(world.text.find("512 of 2,048"), std::string::npos) << world.text;
    EXPECT_NE(world.text.find("1,024 of 2,048"), std::string::npos) << world.text;
}

}  // namespace
}  // namespace solidtlm::testbench
