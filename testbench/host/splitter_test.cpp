// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/splitter.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

std::vector<Command> split(const Request& request, Splitter::Limits limits) {
    Splitter splitter;
    splitter.begin(request, limits);
    std::vector<Command> commands;
    while (!splitter.done()) {
        splitter.next(commands.emplace_back());
    }
    return commands;
}

TEST(Splitter, TransfersOfAtMostMaxSectorsWithTheirIdentities) {
    Request request;
    request.operation = Operation::write;
    request.lba = Lba{1000};
    request.sectors = 50;
    request.content = {1, 2, 3, 4, 5, 6, 7};
    const auto commands = split(request, {20, 1});
    ASSERT_EQ(commands.size(), 3U);
    EXPECT_EQ(commands[1].lba, Lba{1020});
    EXPECT_EQ(commands[1].sectors, 20U);
    EXPECT_EQ(commands[2].sectors, 10U);
    // sectors 20-39 of the request lie in its 4 KiB blocks 2-4, from the fifth sector of block 2 on
    EXPECT_EQ(commands[1].identities, (std::vector<std::uint64_t>{3, 4, 5}));
    EXPECT_EQ(commands[1].identity_offset_sectors, 4U);
    EXPECT_EQ(commands[2].identities, (std::vector<std::uint64_t>{6, 7}));
    EXPECT_EQ(commands[2].identity_offset_sectors, 0U);
}

TEST(Splitter, OneContiguousDiscardAsLibataSendsIt) {
    Request request;
    request.operation = Operation::trim;
    request.ranges = {{Lba{7}, 4194240 + 10}};
    const auto commands = split(request, {2560, 8});
    ASSERT_EQ(commands.size(), 2U) << "64 entries of 65,535 sectors are 4,194,240";
    EXPECT_EQ(commands[0].ranges.size(), 64U);
    EXPECT_EQ(commands[0].sectors, 4194240U);
    EXPECT_EQ(commands[0].ranges[1].lba, Lba{7 + 65535});
    ASSERT_EQ(commands[1].ranges.size(), 1U);
    EXPECT_EQ(commands[1].ranges[0].lba, Lba{7 + 4194240});
    EXPECT_EQ(commands[1].ranges[0].sectors, 10U);
}

TEST(Splitter, ScatteredRangesFillTheBlocksTheDriveTakes) {
    Request request;
    request.operation = Operation::trim;
    for (std::uint64_t i = 0; i < 150; ++i) {
        request.ranges.push_back({Lba{i * 100}, 8});
    }
    const auto commands = split(request, {2560, 2});
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_EQ(commands[0].ranges.size(), 128U);
    EXPECT_EQ(commands[1].ranges.size(), 22U);
}

TEST(Splitter, FlushIsOneNonQueuedCommand) {
    Request request;
    request.operation = Operation::flush;
    const auto commands = split(request, {});
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_FALSE(commands[0].queued);
}

}  // namespace
}  // namespace solidtlm::testbench
