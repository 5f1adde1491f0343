// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/change_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace solidtlm::testbench {
namespace {

using hal::Ps;

/// The queue's output as text: "time signal=value".
struct Told {
    std::string text;
    ChangeQueue::Sink sink() {
        return [this](Ps at, ChangeQueue::SignalIndex signal, std::uint64_t value) {
            text += std::to_string(at.count()) + " " + std::to_string(signal) + "=" + std::to_string(value) +
                    "\n";
        };
    }
};

TEST(ChangeQueue, ReportsChangesOfAllSignalsInTimeOrder) {
    ChangeQueue queue;
    const auto a = queue.add(0);
    const auto b = queue.add(0);
    queue.set_between(a, Ps{10}, Ps{30}, 1, 0);
    queue.set_between(b, Ps{5}, Ps{20}, 2, 0);
    Told told;
    queue.settle(Ps{20}, told.sink());
    EXPECT_EQ(told.text, "5 1=2\n10 0=1\n") << "changes at 20 are not final yet";
    queue.settle(Ps{31}, told.sink());
    EXPECT_EQ(told.text, "5 1=2\n10 0=1\n20 1=0\n30 0=0\n");
}

TEST(ChangeQueue, ALaterAnnouncementHoldsFromItsOwnBeginning) {
    ChangeQueue queue;
    const auto a = queue.add(0);
    Told told;
    queue.set_between(a, Ps{10}, Ps{100}, 1, 0);
    queue.set_between(a, Ps{40}, Ps{50}, 2, 0);  // a suspend cuts the first interval short
    queue.settle(Ps{1000}, told.sink());
    EXPECT_EQ(told.text, "10 0=1\n40 0=2\n50 0=0\n");
}

TEST(ChangeQueue, AdjacentIntervalsOfOneValueAreMerged) {
    ChangeQueue queue;
    const auto a = queue.add(0);
    Told told;
    queue.set_between(a, Ps{10}, Ps{20}, 1, 0);
    queue.set_between(a, Ps{20}, Ps{30}, 1, 0);
    queue.set_between(a, Ps{30}, Ps{30}, 1, 0);  // an empty interval
    queue.settle(Ps{1000}, told.sink());
    EXPECT_EQ(told.text, "10 0=1\n30 0=0\n");
}

// Compares with a model of each signal as a plain function of time, which announcements overwrite from their
// beginning on.
TEST(ChangeQueue, AgreesWithAFunctionOfTime) {
    constexpr std::size_t kEnd = 3000;
    std::mt19937_64 random(7);
    ChangeQueue queue;
    const auto signal = queue.add(0);
    std::vector<std::uint64_t> expected(kEnd, 0);
    std::vector<std::uint64_t> found(kEnd, 0);
    const auto sink = [&found](Ps at, ChangeQueue::SignalIndex, std::uint64_t value) {
        const auto from = static_cast<std::size_t>(at.count());
        EXPECT_NE(found[from], value);
        std::fill(found.begin() + static_cast<std::ptrdiff_t>(from), found.end(), value);
    };
    for (std::size_t now = 0; now + 100 < kEnd; now += random() % 20) {
        queue.settle(Ps{static_cast<std::int64_t>(now)}, sink);
        const std::size_t begin = now + random() % 40;
        const std::size_t end = begin + random() % 50;
        const std::uint64_t value = 1 + random() % 3;
        queue.set_between(signal, Ps{static_cast<std::int64_t>(begin)}, Ps{static_cast<std::int64_t>(end)},
                          value, 0);
        std::fill(expected.begin() + static_cast<std::ptrdiff_t>(begin),
                  expected.begin() + static_cast<std::ptrdiff_t>(end), value);
        std::fill(expected.begin() + static_cast<std::ptrdiff_t>(end), expected.end(), 0);
    }
    queue.settle(Ps{kEnd}, sink);
    EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace solidtlm::testbench
