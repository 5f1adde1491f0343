// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/verifier.h"
#include "hw/tlm/test_printing.h"

#include <gtest/gtest.h>

#include <set>

#include "testbench/sim/verify/verifier_test_bench.h"

namespace solidtlm::testbench {
namespace {

using hal::ContentMode;

class VerifierModes : public testing::TestWithParam<ContentMode> {
  protected:
    VerifierBench bench{GetParam()};
    [[nodiscard]] const VerifierCounts& counts() const { return bench.verifier.counts(); }
};
INSTANTIATE_TEST_SUITE_P(Modes, VerifierModes, testing::Values(ContentMode::tags, ContentMode::bytes));

TEST_P(VerifierModes, ReadsBackWrittenDataAndZerosElsewhere) {
    bench.write(100, 16);
    bench.read(90, 40);
    bench.write(104, 4);
    bench.read(100, 16);
    EXPECT_EQ(counts().reads_checked, 2U);
    EXPECT_EQ(counts().sectors_checked, 56U);
    EXPECT_TRUE(bench.verifier.passed());
}

/// The data is read back while the drive is aged.
TEST_P(VerifierModes, ContentsFoundWithoutACommandAreComparedLikeARead) {
    std::vector<std::byte> content(3 * hal::content_stride(GetParam()));
    bench.verifier.preload(1, 0, Lba{100}, content);
    bench.verifier.check(Lba{100}, content);
    EXPECT_EQ(counts().mismatches, 0U);
    EXPECT_EQ(counts().sectors_checked, 3U);
    content[hal::content_stride(GetParam())] ^= std::byte{1};
    bench.verifier.check(Lba{100}, content);
    ASSERT_EQ(counts().mismatches, 1U);
    EXPECT_EQ(bench.verifier.mismatches().front().lba, Lba{101});
    bench.verifier.preload_trim(Lba{100}, 3);
    bench.verifier.check(Lba{100}, content);
    EXPECT_EQ(counts().mismatches, 4U) << "zeros were expected";
}

TEST_P(VerifierModes, CatchesStaleData) {
    bench.write(100, 8);
    const auto lost = bench.issue(Operation::write, 100, 8);  // never executed
    bench.finish(*lost);
    const auto read = bench.read(100, 8);
    EXPECT_EQ(counts().mismatches, 8U);
    const Mismatch& first = bench.verifier.mismatches().at(0);
    EXPECT_EQ(first.lba, Lba{100});
    EXPECT_EQ(first.read, read->sequence);
    EXPECT_EQ(first.written, lost->sequence);
    EXPECT_EQ(first.expected, bench.verifier.state(Lba{100}).identity);
    EXPECT_NE(first.found, first.expected);
}

TEST_P(VerifierModes, CatchesSwappedSectors) {
    bench.write(100, 8);
    std::swap(bench.device.store[102], bench.device.store[105]);
    bench.read(100, 8);
    ASSERT_EQ(counts().mismatches, 2U);
    EXPECT_EQ(bench.verifier.mismatches()[0].lba, Lba{102});
    EXPECT_EQ(bench.verifier.mismatches()[1].lba, Lba{105});
    EXPECT_EQ(bench.verifier.mismatches()[0].found, bench.verifier.mismatches()[1].expected)
        << "the report shows where the content belongs";
}

TEST_P(VerifierModes, CatchesALostTrim) {
    bench.write(100, 8);
    const auto lost = bench.issue(Operation::trim, 102, 3);
    bench.finish(*lost);
    bench.read(100, 8);
    ASSERT_EQ(counts().mismatches, 3U);
    EXPECT_EQ(bench.verifier.mismatches()[0].expected, 0U);
    EXPECT_EQ(bench.verifier.mismatches()[0].written, lost->sequence);
}

TEST_P(VerifierModes, CatchesAMisdirectedWrite) {
    bench.write(0, 64);
    const auto write = bench.issue(Operation::write, 16, 8);
    write->lba = Lba{40};
    bench.device.execute(*write);
    write->lba = Lba{16};
    bench.finish(*write);
    bench.read(40, 8);
    EXPECT_EQ(counts().mismatches, 8U) << "where it should not be";
    bench.read(16, 8);
    EXPECT_EQ(counts().mismatches, 16U) << "where it should be";
}

TEST_P(VerifierModes, CatchesAPartialWrite) {
    const auto write = bench.issue(Operation::write, 100, 16);
    bench.device.write(*write, 0, 11);
    bench.finish(*write);
    bench.read(100, 16);
    EXPECT_EQ(counts().mismatches, 5U);
}

TEST_P(VerifierModes, CatchesDamageThatWasNeverWritten) {
    bench.write(100, 1);
    bench.device.store[100][bench.device.stride - 1] ^= std::byte{0x80};
    bench.read(100, 1);
    EXPECT_EQ(counts().mismatches, 1U);
}

TEST_P(VerifierModes, CatchesTooLittleData) {
    bench.write(100, 4);
    const auto read = bench.issue(Operation::read, 100, 4);
    bench.device.execute(*read);
    read->content.pop_back();
    bench.finish(*read);
    EXPECT_EQ(counts().mismatches, 4U);
}

TEST_P(VerifierModes, KeepsTheFirstTenMismatches) {
    bench.write(0, 30);
    bench.device.store.clear();
    bench.read(0, 30);
    EXPECT_EQ(counts().mismatches, 30U);
    ASSERT_EQ(bench.verifier.mismatches().size(), 10U);
    EXPECT_EQ(bench.verifier.mismatches().back().lba, Lba{9});
}

TEST_P(VerifierModes, AReadSeesTheStateAtItsIssue) {
    bench.write(100, 8);
    const auto read = bench.issue(Operation::read, 100, 8);
    bench.device.execute(*read);
    bench.write(100, 8);  // issued and completed while the read is outstanding
    bench.finish(*read);
    EXPECT_TRUE(bench.verifier.passed());
    const auto early = bench.issue(Operation::read, 100, 8);
    const auto write = bench.issue(Operation::write, 100, 8);
    bench.device.execute(*write);
    bench.device.execute(*early);  // the device let the write overtake the read
    bench.finish(*early);
    EXPECT_EQ(counts().mismatches, 8U);
}

TEST_P(VerifierModes, BlockIdentitiesDecideTheContent) {
    auto first = bench.make(Operation::write, 8, 16);
    first->identities = {77, 0};
    bench.verifier.issued(*first);
    // the last three sectors of one block, five of the next
    auto shifted = bench.make(Operation::write, 1003, 8);
    shifted->identities = {99, 77};
    shifted->identity_layout = {3, 5};
    bench.verifier.issued(*shifted);
    const std::size_t stride = bench.device.stride;
    const auto sector = [stride](const Command& command, std::size_t index) {
        return std::vector<std::byte>(
            command.content.begin() + static_cast<std::ptrdiff_t>(index * stride),
            command.content.begin() + static_cast<std::ptrdiff_t>((index + 1) * stride));
    };
    EXPECT_EQ(sector(*first, 0), sector(*shifted, 3)) << "equal blocks are equal sector by sector";
    EXPECT_EQ(sector(*first, 4), sector(*shifted, 7));
    EXPECT_NE(sector(*first, 5), sector(*shifted, 0)) << "another block";
    EXPECT_EQ(sector(*first, 8), std::vector<std::byte>(stride)) << "identity 0 is zeros";
    std::set<std::vector<std::byte>> distinct;
    for (std::size_t index = 0; index < 8; ++index) {
        distinct.insert(sector(*first, index));
    }
    EXPECT_EQ(distinct.size(), 8U);
    bench.device.execute(*first);
    bench.device.execute(*shifted);
    bench.read(8, 16);
    bench.read(1003, 8);
    EXPECT_TRUE(bench.verifier.passed());
    auto short_write = bench.make(Operation::write, 0, 9);
    short_write->identities = {1};
    EXPECT_THROW(bench.verifier.issued(*short_write), std::logic_error);
}

// A fragment's contents follow from its own hash, whichever sectors of a 4 KiB block it covers. Here the last
// 6 sectors of one block equal the first 6 of another write.
TEST_P(VerifierModes, EqualFragmentsAreEqualSectorBySector) {
    auto tail = bench.make(Operation::write, 1002, 7);  // 6 sectors of one block, 1 of the next
    tail->identities = {31, 32};
    tail->identity_layout = ContentLayout::aligned_to(1002);
    bench.verifier.issued(*tail);
    auto head = bench.make(Operation::write, 2000, 14);  // a block and 6 sectors
    head->identities = {33, 31};
    head->identity_layout = ContentLayout::aligned_to(2000);
    bench.verifier.issued(*head);
    const std::size_t stride = bench.device.stride;
    const auto sectors = [stride](const Command& command, std::size_t first, std::size_t count) {
        return std::vector<std::byte>(
            command.content.begin() + static_cast<std::ptrdiff_t>(first * stride),
            command.content.begin() + static_cast<std::ptrdiff_t>((first + count) * stride));
    };
    EXPECT_EQ(sectors(*tail, 0, 6), sectors(*head, 8, 6));
    EXPECT_NE(sectors(*tail, 6, 1), sectors(*tail, 0, 1));
    // The second half of the fragment is written by a command of its own.
    auto behind = bench.make(Operation::write, 1005, 4);
    behind->identities = {31, 32};
    behind->identity_layout = ContentLayout::aligned_to(1002).behind(3);
    bench.verifier.issued(*behind);
    EXPECT_EQ(sectors(*behind, 0, 4), sectors(*tail, 3, 4));
    bench.device.execute(*tail);
    bench.device.execute(*head);
    bench.device.execute(*behind);
    bench.read(1002, 7);
    bench.read(2000, 14);
    EXPECT_TRUE(bench.verifier.passed());
}

TEST_P(VerifierModes, MadeUpContentNeverRepeats) {
    std::set<std::vector<std::byte>> distinct;
    for (int i = 0; i < 50; ++i) {
        const auto write = bench.write(0, 16);
        for (std::size_t sector = 0; sector < 16; ++sector) {
            const auto begin =
                write->content.begin() + static_cast<std::ptrdiff_t>(sector * bench.device.stride);
            distinct.emplace(begin, begin + static_cast<std::ptrdiff_t>(bench.device.stride));
        }
    }
    EXPECT_EQ(distinct.size(), 50U * 16U);
}

TEST_P(VerifierModes, AFailedWriteLeavesOldOrNewUntilWrittenAgain) {
    bench.write(100, 8);
    const auto failed = bench.issue(Operation::write, 100, 8);
    bench.device.write(*failed, 0, 3);
    bench.finish(*failed, CommandStatus::failed);
    bench.read(100, 8);
    EXPECT_TRUE(bench.verifier.passed());
    EXPECT_EQ(counts().sectors_checked, 8U);
    const auto again = bench.issue(Operation::write, 100, 8);
    bench.device.write(*again, 6, 8);
    bench.finish(*again, CommandStatus::failed);
    bench.read(100, 8);
    EXPECT_TRUE(bench.verifier.passed()) << "one of three versions may be there now";
    bench.device.put(103, 0xDEAD);
    bench.read(100, 8);
    EXPECT_EQ(counts().mismatches, 1U) << "but nothing else";
    bench.write(100, 8);
    bench.device.store[101] = std::vector<std::byte>(
        failed->content.begin(), failed->content.begin() + static_cast<std::ptrdiff_t>(bench.device.stride));
    bench.read(100, 8);
    EXPECT_EQ(counts().mismatches, 2U) << "written again: only the new content";
    EXPECT_EQ(counts().failed_changes, 2U);
}

TEST_P(VerifierModes, AFailedTrimLeavesOldOrZeros) {
    bench.write(1020, 8);  // across the boundary of two pages of the shadow map
    const auto failed = bench.issue(Operation::trim, 1020, 8);
    bench.device.store.erase(1021);
    bench.device.store.erase(1026);
    bench.finish(*failed, CommandStatus::failed);
    bench.read(1020, 8);
    EXPECT_TRUE(bench.verifier.passed());
    bench.device.put(1022, 5);
    bench.read(1020, 8);
    EXPECT_EQ(counts().mismatches, 1U);
}

TEST_P(VerifierModes, AFailedReadIsNotCompared) {
    bench.write(100, 8);
    const auto read = bench.issue(Operation::read, 100, 8);
    bench.finish(*read, CommandStatus::failed);
    EXPECT_EQ(counts().failed_reads, 1U);
    EXPECT_EQ(counts().sectors_checked, 0U);
    EXPECT_TRUE(bench.verifier.passed());
}

// The device has sent the sectors before the one that its error names.
TEST_P(VerifierModes, AFailedReadIsComparedUpToItsError) {
    bench.write(100, 8);
    bench.device.put(102, 5);
    bench.device.put(105, 5);
    for (const std::uint64_t error : {0, 99, 100, 108, 102, 105}) {
        EXPECT_TRUE(bench.verifier.passed());
        const auto read = bench.issue(Operation::read, 100, 8);
        bench.device.execute(*read);
        read->error_lba = Lba{error};
        bench.finish(*read, CommandStatus::failed);
    }
    EXPECT_EQ(counts().sectors_checked, 2U + 5U) << "of the last two";
    EXPECT_EQ(counts().mismatches, 1U) << "102, up to 105";
    EXPECT_EQ(counts().failed_reads, 6U);
}

TEST_P(VerifierModes, ARetriedReadMayMissOrSeeALaterWrite) {
    bench.write(100, 8);
    const auto read = bench.issue(Operation::read, 100, 8);
    const auto write = bench.issue(Operation::write, 104, 8);
    bench.device.execute(*write);  // executed, then an error aborts both
    for (Command* command : {read.get(), write.get()}) {
        command->retries = 1;
        bench.verifier.issued(*command);
    }
    bench.device.execute(*read);
    bench.device.execute(*write);
    bench.finish(*read);
    bench.finish(*write);
    EXPECT_TRUE(bench.verifier.passed());
    EXPECT_EQ(counts().unchecked_retried, 4U);
    EXPECT_EQ(counts().sectors_checked, 4U) << "sectors without overlap are checked";
    bench.read(100, 12);
    EXPECT_TRUE(bench.verifier.passed());
}

TEST_P(VerifierModes, ARetriedWriteMayHaveOverwrittenALaterOne) {
    const auto first = bench.issue(Operation::write, 100, 8);
    const auto second = bench.issue(Operation::write, 104, 8);
    bench.device.execute(*first);
    bench.device.execute(*second);
    bench.finish(*second);
    first->retries = 1;
    const std::vector<std::byte> before = first->content;
    bench.verifier.issued(*first);
    EXPECT_EQ(first->content, before) << "the content of the first time";
    bench.device.execute(*first);
    bench.finish(*first);
    bench.read(100, 12);
    EXPECT_TRUE(bench.verifier.passed());
    bench.device.put(105, 1);
    bench.read(100, 12);
    EXPECT_EQ(counts().mismatches, 1U);
}

// Each pair leaves three paths to the older content: 3^64 in total.
TEST_P(VerifierModes, LooksAtEachStateThatMayBeThereOnce) {
    for (int pair = 0; pair < 64; ++pair) {
        const auto first = bench.issue(Operation::write, 100, 8);
        const auto second = bench.issue(Operation::write, 100, 8);
        for (first->retries = 1; first->retries < 3; ++first->retries) {
            bench.verifier.issued(*first);
        }
        bench.finish(*first, CommandStatus::failed);
        bench.finish(*second, CommandStatus::failed);
    }
    bench.read(100, 8);
    EXPECT_TRUE(bench.verifier.passed()) << "as before the first of them";
    bench.device.put(103, 0xDEAD);
    bench.read(100, 8);
    EXPECT_EQ(counts().mismatches, 1U);
}

// The device refuses the trim, and the sectors within the device may or may not have been trimmed.
TEST(VerifierTrim, ARetriedTrimBeyondTheDeviceEnds) {
    VerifierBench bench(ContentMode::tags, true, true, 4096);
    bench.write(4000, 96);
    const auto trim = bench.issue(Operation::trim, 4090, 8);
    trim->retries = 1;
    bench.verifier.issued(*trim);
    bench.finish(*trim, CommandStatus::failed);
    bench.read(4000, 96);
    EXPECT_TRUE(bench.verifier.passed());
    bench.device.put(4095, 1);
    bench.read(4095, 1);
    EXPECT_EQ(bench.verifier.counts().mismatches, 1U);
}

TEST(VerifierTrim, DeterministicKeepsWhatTheFirstReadReturned) {
    VerifierBench bench(ContentMode::tags, true, false);
    bench.write(100, 8);
    const auto trim = bench.issue(Operation::trim, 100, 8);
    bench.finish(*trim);  // the device keeps the old data: allowed
    const auto first = bench.issue(Operation::read, 100, 4);
    const auto second = bench.issue(Operation::read, 100, 8);  // issued before the first one came back
    bench.device.execute(*first);
    bench.device.execute(*second);
    bench.finish(*first);
    bench.finish(*second);
    EXPECT_TRUE(bench.verifier.passed());
    EXPECT_EQ(bench.verifier.counts().unchecked_trimmed, 8U) << "each sector once";
    EXPECT_EQ(bench.verifier.counts().sectors_checked, 4U);
    bench.device.store.erase(101);  // zeros from now on: not deterministic
    bench.read(100, 8);
    EXPECT_EQ(bench.verifier.counts().mismatches, 1U);
}

TEST(VerifierTrim, ASlowReadFromBeforeAnotherTrimIsNotComparedWithTheNewOne) {
    VerifierBench bench(ContentMode::tags, true, false);
    bench.write(100, 1);
    bench.finish(*bench.issue(Operation::trim, 100, 1));
    const auto slow = bench.issue(Operation::read, 100, 1);
    bench.device.execute(*slow);
    bench.write(100, 1);
    bench.trim(100, 1);
    bench.read(100, 1);  // now zeros
    bench.finish(*slow);
    EXPECT_TRUE(bench.verifier.passed());
}

TEST(VerifierTrim, NeitherMeansAnything) {
    VerifierBench bench(ContentMode::tags, false, false);
    bench.write(100, 8);
    bench.trim(102, 2);
    bench.device.put(102, 1);
    bench.read(100, 8);
    bench.device.put(102, 2);
    bench.read(100, 8);
    EXPECT_TRUE(bench.verifier.passed());
    EXPECT_EQ(bench.verifier.counts().unchecked_trimmed, 4U);
    EXPECT_EQ(bench.verifier.counts().sectors_checked, 12U);
    bench.write(102, 1);
    bench.device.put(102, 3);
    bench.read(102, 1);
    EXPECT_EQ(bench.verifier.counts().mismatches, 1U) << "written again: checked again";
}

TEST(VerifierTrim, HugeTrimOfAnUntouchedTebibyteIsFree) {
    const std::uint64_t sectors = (1ULL << 40U) / 512;
    VerifierBench bench(ContentMode::tags, true, true, sectors);
    auto trim = bench.make(Operation::trim, 0, 0);
    trim->ranges.clear();
    for (std::uint64_t lba = 0; lba + 65535 <= sectors; lba += 65535) {
        trim->ranges.push_back({Lba{lba}, 65535});
    }
    bench.verifier.issued(*trim);
    bench.finish(*trim);
    bench.read(sectors - 8, 8);
    EXPECT_TRUE(bench.verifier.passed());
    EXPECT_EQ(bench.verifier.state(Lba{12345}).writer, 0U);
}

TEST(VerifierTrim, RangesOfOneTrimMayOverlap) {
    VerifierBench bench;
    bench.write(0, 16);
    auto trim = bench.make(Operation::trim, 0, 0);
    trim->ranges = {{Lba{0}, 8}, {Lba{4}, 8}};
    bench.verifier.issued(*trim);
    bench.finish(*trim, CommandStatus::failed);  // the device has trimmed nothing
    bench.read(0, 16);
    EXPECT_TRUE(bench.verifier.passed());
    bench.device.put(5, 42);
    bench.read(0, 16);
    EXPECT_EQ(bench.verifier.counts().mismatches, 1U);
}

TEST(Verifier, WithoutContentNothingIsChecked) {
    VerifierBench bench(ContentMode::none);
    const auto write = bench.write(0, 8);
    EXPECT_TRUE(write->content.empty());
    bench.read(0, 8);
    EXPECT_EQ(bench.verifier.counts().unchecked_reads, 1U);
    EXPECT_EQ(bench.verifier.counts().reads_checked, 0U);
}

TEST(Verifier, CommandsBeyondTheDeviceFailWithoutHarm) {
    VerifierBench bench(ContentMode::tags, true, true, 1000);
    for (const Operation operation : {Operation::write, Operation::read, Operation::trim}) {
        const auto command = bench.issue(operation, 996, 8);
        bench.finish(*command, CommandStatus::failed);
    }
    bench.read(990, 10);
    EXPECT_TRUE(bench.verifier.passed());
}

/// Contents that a write brings along: arbitrary bytes, and a sector of zeros.
struct GivenContents {
    GivenContents() : data(2 * hal::kSectorBytes) {
        for (std::size_t i = 0; i < hal::kSectorBytes; ++i) {
            data[i] = static_cast<std::byte>(i * 37 % 251);
        }
    }
    std::unique_ptr<Command> issue_write() {
        auto command = bench.make(Operation::write, 100, 2);
        command->data = data;
        command->content = data;  // the host provides them
        bench.verifier.issued(*command);
        return command;
    }

    VerifierBench bench{ContentMode::bytes};
    std::vector<std::byte> data;
};

TEST(GivenContentsOfWrites, AreKeptAndReadBack) {
    GivenContents given;
    const auto command = given.issue_write();
    EXPECT_EQ(command->content, given.data);
    EXPECT_EQ(given.bench.verifier.state(Lba{101}).identity, 0U) << "zeros";
    given.bench.device.execute(*command);
    given.bench.finish(*command);
    given.bench.read(100, 2);
    EXPECT_EQ(given.bench.verifier.counts().sectors_checked, 2U);
    EXPECT_TRUE(given.bench.verifier.passed());
}

TEST(GivenContentsOfWrites, AreMissedWhereABitIsWrong) {
    for (const std::size_t bit : {std::size_t{0}, std::size_t{7}, std::size_t{2047}, std::size_t{4095}}) {
        GivenContents given;
        const auto command = given.issue_write();
        given.bench.device.execute(*command);
        given.bench.finish(*command);
        given.bench.device.store[100][bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        given.bench.read(100, 2);
        EXPECT_EQ(given.bench.verifier.counts().mismatches, 1U) << "bit " << bit;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
