// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/splitter.h"

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
    // sectors 20-39 of the request lie in its 4 KiB blocks 2-4, beginning with the fifth sector of block 2
    EXPECT_EQ(commands[1].identities, (std::vector<std::uint64_t>{3, 4, 5}));
    EXPECT_EQ(commands[1].identity_layout, (ContentLayout{4, 4}));
    EXPECT_EQ(commands[2].identities, (std::vector<std::uint64_t>{6, 7}));
    EXPECT_EQ(commands[2].identity_layout, (ContentLayout{8, 0}));
}

// 50 sectors at 1002 in blocks of the device: 6 sectors, 5 blocks, 4 sectors. Cut every 20 sectors: the first
// command ends 6 sectors into block 2, the second 2 sectors into block 5 (6 + 4 * 8 + 2 = 40).
TEST(Splitter, FragmentsKeepTheirIdentities) {
    Request request;
    request.operation = Operation::write;
    request.lba = Lba{1002};
    request.sectors = 50;
    request.content = {1, 2, 3, 4, 5, 6, 7};
    request.content_layout = ContentLayout::aligned_to(1002);
    const auto commands = split(request, {20, 1});
    ASSERT_EQ(commands.size(), 3U);
    EXPECT_EQ(commands[0].identities, (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(commands[0].identity_layout, (ContentLayout{6, 0}))
        << "a fragment begins with its own sector 0";
    EXPECT_EQ(commands[1].identities, (std::vector<std::uint64_t>{3, 4, 5, 6}));
    EXPECT_EQ(commands[1].identity_layout, (ContentLayout{2, 6}));
    EXPECT_EQ(commands[2].identities, (std::vector<std::uint64_t>{6, 7}));
    EXPECT_EQ(commands[2].identity_layout, (ContentLayout{6, 2}));
}

// 4 of the 6 sectors of a fragment, then the other 2 and a block: the cut is within the fragment.
TEST(Splitter, ACutThroughAFragment) {
    Request request;
    request.operation = Operation::write;
    request.lba = Lba{1002};
    request.sectors = 8;
    request.content = {1, 2};
    request.content_layout = ContentLayout::aligned_to(1002);
    const auto commands = split(request, {4, 1});
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_EQ(commands[0].identities, (std::vector<std::uint64_t>{1}));
    EXPECT_EQ(commands[0].identity_layout, (ContentLayout{6, 0}));
    EXPECT_EQ(commands[1].identities, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(commands[1].identity_layout, (ContentLayout{2, 4}));
}

TEST(ContentLayout, SectorsOfAnUnalignedRequest) {
    constexpr ContentLayout layout = ContentLayout::aligned_to(2097202);  // the address is 2 mod 8
    EXPECT_EQ(layout, (ContentLayout{6, 0}));
    EXPECT_EQ(layout.identities(1), 1U);
    EXPECT_EQ(layout.identities(6), 1U);
    EXPECT_EQ(layout.identities(7), 2U);
    EXPECT_EQ(layout.identities(1024), 129U);
    EXPECT_EQ(layout.place(5).identity, 0U);
    EXPECT_EQ(layout.place(5).index, 5U);
    EXPECT_EQ(layout.place(6).identity, 1U);
    EXPECT_EQ(layout.place(6).index, 0U);
    EXPECT_EQ(layout.place(1023).identity, 128U);
    EXPECT_EQ(layout.place(1023).index, 1U);
    EXPECT_EQ(ContentLayout::aligned_to(2097200), ContentLayout{});
    // Cutting the rest of a cut gives the same layout as cutting the whole.
    for (std::uint64_t first = 0; first < 30; ++first) {
        for (std::uint64_t second = 0; second < 30; ++second) {
            EXPECT_EQ(layout.behind(first).behind(second), layout.behind(first + second));
            EXPECT_EQ(layout.place(first).identity + layout.behind(first).place(second).identity,
                      layout.place(first + second).identity);
        }
    }
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
