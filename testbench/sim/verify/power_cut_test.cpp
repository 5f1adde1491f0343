// SPDX-License-Identifier: Apache-2.0
//
// What the verifier accepts after a power cut: hand-made histories of one sector, each with the contents
// allowed afterwards.
#include <gtest/gtest.h>

#include <array>

#include "testbench/sim/verify/verifier_test_bench.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kLba = 100;

struct PowerBench : VerifierBench {
    explicit PowerBench(TrimDurability trims = TrimDurability::after_flush, bool volatile_cache = true)
        : VerifierBench(
              VerifierConfig{hal::ContentMode::tags, 1U << 20U, true, true, true, volatile_cache, trims}) {}
    /// Writes one sector and returns its identity.
    std::uint64_t put(bool fua = false) {
        auto command = make(Operation::write, kLba, 1);
        command->fua = fua;
        verifier.issued(*command);
        finish(*command);
        return identity_of(*command);
    }
    /// Writes one sector; power goes while the command is outstanding.
    std::uint64_t put_in_vain(Operation operation = Operation::write) {
        auto command = issue(operation, kLba, 1);
        const std::uint64_t identity = operation == Operation::write ? identity_of(*command) : 0;
        finish(*command, CommandStatus::failed);
        return identity;
    }
    void flush() {
        auto command = make(Operation::flush, 0, 0);
        verifier.issued(*command);
        finish(*command);
    }
    void drop() {
        auto command = issue(Operation::trim, kLba, 1);
        finish(*command);
    }
    static std::uint64_t identity_of(const Command& command) {
        std::uint64_t identity = 0;
        std::memcpy(&identity, command.content.data(), sizeof identity);
        return identity;
    }
    /// Number of mismatches when a read returns `identity`.
    std::uint64_t get(std::uint64_t identity) {
        const std::uint64_t before = verifier.counts().mismatches;
        auto command = issue(Operation::read, kLba, 1);
        command->content.resize(8);
        std::memcpy(command->content.data(), &identity, 8);
        finish(*command);
        return verifier.counts().mismatches - before;
    }
};

TEST(PowerCut, FlushedDataMustBeThere) {
    PowerBench bench;
    const std::uint64_t old = bench.put();
    const std::uint64_t flushed = bench.put();
    bench.flush();
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(old), 1U);
    EXPECT_EQ(bench.get(0), 1U);
    EXPECT_EQ(bench.get(flushed), 0U);
}

TEST(PowerCut, UnflushedDataMayBeThereOrAnyOlderVersion) {
    for (int found = 0; found < 3; ++found) {
        PowerBench bench;
        const std::uint64_t before = bench.put();
        const std::uint64_t flushed = bench.put();
        bench.flush();
        const std::uint64_t second = bench.put();
        const std::uint64_t third = bench.put();
        bench.verifier.power_cut();
        const std::array<std::uint64_t, 3> allowed{flushed, second, third};
        EXPECT_EQ(bench.get(before), 1U);
        EXPECT_EQ(bench.get(allowed[found]), 0U);
        for (int other = 0; other < 3; ++other) {
            EXPECT_EQ(bench.get(allowed[other]), other == found ? 0U : 1U) << "found content must stay";
        }
    }
}

TEST(PowerCut, AFlushMakesEarlierCompletionsDurable) {
    PowerBench bench;
    const std::uint64_t first = bench.put();
    auto flush = bench.make(Operation::flush, 0, 0);
    bench.verifier.issued(*flush);
    const std::uint64_t second = bench.put();
    bench.finish(*flush);
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(0), 1U) << "never written would be older than the flush";
    EXPECT_EQ(bench.get(first), 0U);
    EXPECT_EQ(bench.get(second), 1U) << "the other content was found";
}

TEST(PowerCut, AFailedFlushMakesNothingDurable) {
    PowerBench bench;
    bench.put();
    auto flush = bench.make(Operation::flush, 0, 0);
    bench.verifier.issued(*flush);
    bench.finish(*flush, CommandStatus::failed);
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(0), 0U);
}

TEST(PowerCut, FuaAndWriteThroughAreDurableOnCompletion) {
    PowerBench fua;
    const std::uint64_t old = fua.put();
    const std::uint64_t kept = fua.put(true);
    fua.verifier.power_cut();
    EXPECT_EQ(fua.get(old), 1U);
    EXPECT_EQ(fua.get(kept), 0U);
    PowerBench through(TrimDurability::after_flush, false);
    const std::uint64_t first = through.put();
    const std::uint64_t last = through.put();
    through.verifier.power_cut();
    EXPECT_EQ(through.get(first), 1U);
    EXPECT_EQ(through.get(last), 0U);
}

TEST(PowerCut, AnOutstandingCommandMayHaveBeenCarriedOut) {
    for (const bool done : {false, true}) {
        PowerBench bench;
        const std::uint64_t kept = bench.put(true);
        const std::uint64_t open = bench.put_in_vain();
        bench.verifier.power_cut();
        EXPECT_EQ(bench.get(done ? open : kept), 0U);
        EXPECT_EQ(bench.get(done ? kept : open), 1U);
    }
}

TEST(PowerCut, TrimsAreDurableWhenTheConfigurationSaysSo) {
    PowerBench flushed;
    const std::uint64_t old = flushed.put(true);
    flushed.drop();
    flushed.flush();
    flushed.verifier.power_cut();
    EXPECT_EQ(flushed.get(old), 1U) << "trimmed and flushed";
    EXPECT_EQ(flushed.get(0), 0U);
    PowerBench open;
    const std::uint64_t there = open.put(true);
    open.drop();
    open.verifier.power_cut();
    EXPECT_EQ(open.get(there), 0U) << "not flushed: it may come back";
    EXPECT_EQ(open.get(0), 1U) << "and then stays";
    PowerBench immediate(TrimDurability::on_completion);
    const std::uint64_t gone = immediate.put(true);
    immediate.drop();
    immediate.verifier.power_cut();
    EXPECT_EQ(immediate.get(gone), 1U);
}

TEST(PowerCut, ALazyTrimMayBringBackAnythingButOnlyOnce) {
    PowerBench bench(TrimDurability::never);
    const std::uint64_t oldest = bench.put(true);
    const std::uint64_t newest = bench.put(true);
    bench.drop();
    bench.flush();
    EXPECT_EQ(bench.get(newest), 1U) << "while power lasts, it stays trimmed";
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(oldest), 0U);
    EXPECT_EQ(bench.get(newest), 1U) << "found content must stay";
    const std::uint64_t written = bench.put(true);
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(oldest), 1U) << "until it is written again";
    EXPECT_EQ(bench.get(written), 0U);
}

/// The trim is part of ageing.
TEST(PowerCut, ALazyTrimBeforeTheFirstCommandMayBringBackAnythingButOnlyOnce) {
    PowerBench bench(TrimDurability::never);
    std::array<std::byte, 8> content{};
    bench.verifier.preload(1, 0, Lba{kLba}, content);
    std::uint64_t aged = 0;
    std::memcpy(&aged, content.data(), sizeof aged);
    bench.verifier.preload_trim(Lba{kLba}, 1);
    EXPECT_EQ(bench.get(aged), 1U) << "while power lasts, it stays trimmed";
    bench.put();
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(aged), 0U) << "the write was not durable, nor was the trim";
    EXPECT_EQ(bench.get(0), 1U) << "found content must stay";

    PowerBench durable(TrimDurability::on_completion);
    durable.verifier.preload(1, 0, Lba{kLba}, content);
    durable.verifier.preload_trim(Lba{kLba}, 1);
    durable.verifier.power_cut();
    EXPECT_EQ(durable.get(aged), 1U);
}

TEST(PowerCut, ASecondCutStartsFromTheStateAfterTheFirst) {
    PowerBench bench;
    const std::uint64_t first = bench.put(true);
    const std::uint64_t second = bench.put();
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(first), 0U);
    const std::uint64_t third = bench.put();
    bench.verifier.power_cut();
    EXPECT_EQ(bench.get(second), 1U) << "it was lost at the first cut";
    EXPECT_EQ(bench.get(third), 0U);
}

TEST(PowerCut, AnAuditCountsLikeARead) {
    PowerBench bench;
    const std::uint64_t first = bench.put(true);
    const std::uint64_t second = bench.put();
    bench.verifier.power_cut();
    std::array<std::byte, 8> content{};
    std::memcpy(content.data(), &first, 8);
    bench.verifier.audit(Lba{kLba}, content);
    EXPECT_EQ(bench.verifier.counts().mismatches, 0U);
    EXPECT_EQ(bench.verifier.counts().audited_sectors, 1U);
    EXPECT_EQ(bench.get(second), 1U);
    std::memcpy(content.data(), &second, 8);
    bench.verifier.audit(Lba{kLba}, content);
    EXPECT_EQ(bench.verifier.counts().mismatches, 2U);
}

}  // namespace
}  // namespace solidtlm::testbench
