// SPDX-License-Identifier: Apache-2.0
//
// Rings, and entries as they lie in memory.
#include "hw/nvme/queues.h"

#include <gtest/gtest.h>

#include "hw/nvme/entries.h"

namespace solidtlm::hw::nvme {
namespace {

Queues one_pair(std::uint32_t size) {
    Queues queues(1, 4);
    queues.create_cq(1, 0x2000, size, 0, true);
    queues.create_sq(1, 0x1000, size, 1, Priority::high);
    return queues;
}

TEST(NvmeQueues, ARingHoldsOneLessThanItsSize) {
    Queues queues = one_pair(4);
    EXPECT_EQ(queues.ring(2, 3), Rung::well);
    EXPECT_EQ(queues.submission[1].waiting(), 3U);
    EXPECT_EQ(queues.ring(2, 0), Rung::impossible);  // a fourth
    EXPECT_EQ(queues.submission[1].take(3), 0x1000U);
    EXPECT_EQ(queues.ring(2, 0), Rung::impossible);  // taken, but the host has not been told
    queues.submission[1].consumed = 3;
    EXPECT_EQ(queues.ring(2, 2), Rung::well);  // 3, 0 and 1
    EXPECT_EQ(queues.submission[1].take(1), 0x1000U + 3 * 64);
    EXPECT_EQ(queues.submission[1].take(2), 0x1000U);
}

TEST(NvmeQueues, SizeTwoHoldsOneAndWrapsWithEverySecond) {
    Queues queues = one_pair(2);
    SubmissionQueue& sq = queues.submission[1];
    CompletionQueue& cq = queues.completion[1];
    for (std::uint32_t i = 0; i < 6; ++i) {
        const std::uint32_t slot = i % 2;
        ASSERT_EQ(queues.ring(2, 1 - slot), Rung::well);
        EXPECT_EQ(queues.ring(2, slot), Rung::impossible);
        EXPECT_EQ(sq.take(1), 0x1000U + slot * 64);
        sq.consumed = 1 - slot;
        EXPECT_EQ(cq.phase, (i / 2) % 2 == 0);
        EXPECT_EQ(cq.take(), 0x2000U + slot * 16);
        EXPECT_TRUE(cq.full());
        EXPECT_EQ(queues.ring(3, 1 - slot), Rung::impossible) << "not in memory yet";
        cq.written = 1 - slot;
        EXPECT_EQ(queues.ring(3, 1 - slot), Rung::well);
        EXPECT_FALSE(cq.full());
    }
}

TEST(NvmeQueues, DoorbellsThatAreNotThere) {
    Queues queues(1, 4);
    EXPECT_EQ(queues.ring(2, 1), Rung::no_queue);
    EXPECT_EQ(queues.ring(3, 1), Rung::no_queue);
    EXPECT_EQ(queues.ring(4, 1), Rung::no_queue);
    queues = one_pair(4);
    EXPECT_EQ(queues.ring(2, 4), Rung::impossible);
    EXPECT_EQ(queues.ring(2, 0), Rung::impossible);
}

TEST(NvmeEntries, ACommandFromItsBytes) {
    std::array<std::byte, kSqeBytes> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes.at(i) = static_cast<std::byte>(i);
    }
    const Command command = decode_command(bytes);
    EXPECT_EQ(command.opcode, 0x00);
    EXPECT_EQ(command.flags, 0x01);
    EXPECT_EQ(command.id, 0x0302);
    EXPECT_EQ(command.nsid, 0x07060504U);
    EXPECT_EQ(command.prp1, 0x1F1E1D1C1B1A1918U);
    EXPECT_EQ(command.prp2, 0x2726252423222120U);
    EXPECT_EQ(command.dword(10), 0x2B2A2928U);
    EXPECT_EQ(command.dword(15), 0x3F3E3D3CU);
    EXPECT_EQ(command.lba(), 0x2F2E2D2C2B2A2928U);
}

TEST(NvmeEntries, ACompletionAsBytes) {
    const auto bytes = encode({0x11223344, 0x5566, 0x7788, 0x99AA, true, Status::queue_id_invalid});
    const std::array<unsigned, 16> expected{0x44, 0x33, 0x22, 0x11, 0,    0,    0,   0, 0x66,
                                            0x55, 0x88, 0x77, 0xAA, 0x99, 0x03, 0x82};  // (4101h << 1) | 1
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_EQ(std::to_integer<unsigned>(bytes.at(i)), expected.at(i)) << i;
    }
}

TEST(NvmeEntries, DnrUnlessARepetitionMayHelp) {
    EXPECT_EQ(status_field(Status::success), 0x0000);
    EXPECT_EQ(status_field(Status::invalid_opcode), 0x4001);
    EXPECT_EQ(status_field(Status::command_id_conflict), 0x4003);
    EXPECT_EQ(status_field(Status::transfer_error), 0x0004);
    EXPECT_EQ(status_field(Status::abort_requested), 0x0007);
    EXPECT_EQ(status_field(Status::lba_out_of_range), 0x4080);
    EXPECT_EQ(status_field(Status::cq_invalid), 0x4100);
    EXPECT_EQ(status_field(Status::unrecovered_read), 0x0281);
}

}  // namespace
}  // namespace solidtlm::hw::nvme
