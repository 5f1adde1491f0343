// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/doubts.h"

#include <gtest/gtest.h>

#include <deque>

#include "testbench/sim/verify/verifier_test_bench.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kPlace = 800;
constexpr std::uint32_t kLength = 8;

/// Fails writes, 32 at a time on the same sectors: the first of each queue fails, and all others are sent
/// again. The device keeps its old contents.
void fail_queues(VerifierBench& bench, int queues) {
    std::deque<std::unique_ptr<Command>> queue;
    for (int i = 0; i < queues; ++i) {
        while (queue.size() < 32) {
            queue.push_back(bench.issue(Operation::write, kPlace, kLength));
        }
        bench.finish(*queue.front(), CommandStatus::failed);
        queue.pop_front();
        for (const auto& command : queue) {
            ++command->retries;
            bench.verifier.issued(*command);
        }
    }
    for (; !queue.empty(); queue.pop_front()) {
        bench.finish(*queue.front(), CommandStatus::failed);
    }
}

TEST(Doubts, StayBoundedWhereWritesKeepFailing) {
    VerifierBench bench;
    bench.write(kPlace, kLength);
    fail_queues(bench, 20'000);
    EXPECT_LT(bench.verifier.doubts().weight(), 2 * Doubts::kAtEase) << "states of 16 bytes";
    bench.read(kPlace, kLength);
    EXPECT_TRUE(bench.verifier.passed());
}

TEST(Doubts, AreForgottenWhenTheSectorsAreWritten) {
    VerifierConfig config{hal::ContentMode::tags, 1U << 20U};
    config.doubts_kept = 0;
    VerifierBench bench(config);
    fail_queues(bench, 10);
    const std::size_t once = bench.verifier.doubts().weight();
    EXPECT_GT(once, 0U);
    for (int i = 0; i < 50; ++i) {
        bench.write(kPlace, kLength);
        fail_queues(bench, 10);
    }
    EXPECT_LT(bench.verifier.doubts().weight(), 3 * once);
}

/// As long as no more writes in a row fail than are told apart, the sector must hold the data of one of them
/// or the older content. After one more failure any content is accepted, until a write succeeds.
TEST(Doubts, GiveASectorUpOnlyWhenTooManyWritesFail) {
    for (const std::uint32_t failures : {Doubts::kMostFailures, Doubts::kMostFailures + 1}) {
        VerifierBench bench;
        bench.write(kPlace, kLength);
        for (std::uint32_t i = 0; i < failures; ++i) {
            const auto write = bench.issue(Operation::write, kPlace, kLength);
            bench.finish(*write, CommandStatus::failed);
        }
        bench.read(kPlace, kLength);
        EXPECT_TRUE(bench.verifier.passed()) << "the older content";
        bench.device.put(kPlace, 0xBAD);
        bench.read(kPlace, kLength);
        EXPECT_EQ(bench.verifier.counts().mismatches, failures > Doubts::kMostFailures ? 0U : 1U);
        const std::uint64_t mismatches = bench.verifier.counts().mismatches;
        bench.write(kPlace, kLength);
        bench.device.put(kPlace, 0xBAD);
        bench.read(kPlace, kLength);
        EXPECT_EQ(bench.verifier.counts().mismatches, mismatches + 1);
    }
}

/// The read was sent before the sectors were successfully written, and may be answered afterwards.
TEST(Doubts, SeenByAReadStayUntilItHasEnded) {
    VerifierConfig config{hal::ContentMode::tags, 1U << 20U};
    config.doubts_kept = 0;
    VerifierBench bench(config);
    bench.write(kPlace, kLength);
    const auto lost = bench.issue(Operation::write, kPlace, kLength);
    bench.finish(*lost, CommandStatus::failed);
    const auto read = bench.issue(Operation::read, kPlace, kLength);
    bench.device.execute(*read);
    bench.write(kPlace, kLength);
    bench.write(kPlace + 100, kLength);
    bench.finish(*read);
    EXPECT_TRUE(bench.verifier.passed());
}

}  // namespace
}  // namespace solidtlm::testbench
