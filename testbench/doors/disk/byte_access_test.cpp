// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/byte_access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace solidtlm::testbench::disk {
namespace {

constexpr std::uint32_t kMost = 4 * kSector;

/// A drive in memory. Each command is one indivisible step, as on a real drive.
struct MemoryDrive : SectorAccess {
    [[nodiscard]] std::uint32_t most_bytes() const override { return kMost; }
    int read(std::uint64_t offset, std::uint32_t bytes, const Take& take) override {
        const std::lock_guard lock(mutex);
        note(offset, bytes);
        EXPECT_LE(bytes, kMost);
        take(content.data() + offset);
        return error;
    }
    int write(std::uint64_t offset, std::uint32_t bytes, bool /*fua*/, const Put& put) override {
        const std::lock_guard lock(mutex);
        note(offset, bytes);
        EXPECT_LE(bytes, kMost);
        if (error == 0) {
            put(content.data() + offset);
        }
        return error;
    }
    int trim(std::uint64_t offset, std::uint32_t bytes, bool /*fua*/) override {
        const std::lock_guard lock(mutex);
        note(offset, bytes);
        std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(offset), bytes, std::byte{0xEE});
        return error;
    }
    int zero(std::uint64_t offset, std::uint32_t bytes, bool /*fua*/, bool /*may_trim*/) override {
        const std::lock_guard lock(mutex);
        note(offset, bytes);
        std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(offset), bytes, std::byte{0});
        return error;
    }
    void note(std::uint64_t offset, std::uint32_t bytes) {
        ++commands;
        EXPECT_GT(bytes, 0U);
        EXPECT_EQ(offset % kSector, 0U);
        EXPECT_EQ(bytes % kSector, 0U);
        EXPECT_LE(offset + bytes, content.size());
    }

    std::mutex mutex;
    std::vector<std::byte> content = std::vector<std::byte>(std::size_t{32} * kSector, std::byte{1});
    std::uint32_t commands = 0;
    int error = 0;
};

TEST(ByteAccess, BehavesLikeMemory) {
    MemoryDrive drive;
    ByteAccess access(drive);
    std::vector<std::byte> expected = drive.content;
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        const auto offset = static_cast<std::uint32_t>(random() % expected.size());
        const auto most = static_cast<std::uint32_t>(expected.size()) - offset;
        const std::uint32_t count = 1 + static_cast<std::uint32_t>(random()) % std::min(most, 3 * kMost);
        const auto begin = expected.begin() + offset;
        switch (random() % 3) {
            case 0: {
                std::vector<std::byte> data(count);
                std::ranges::generate(data, [&random] { return static_cast<std::byte>(random()); });
                ASSERT_EQ(access.write(data.data(), count, offset, false), 0);
                std::ranges::copy(data, begin);
                break;
            }
            case 1:
                ASSERT_EQ(access.zero(count, offset, false, true), 0);
                std::fill_n(begin, count, std::byte{0});
                break;
            default: {
                std::vector<std::byte> data(count);
                ASSERT_EQ(access.read(data.data(), count, offset), 0);
                ASSERT_TRUE(std::equal(data.begin(), data.end(), begin)) << "round " << round;
                break;
            }
        }
        ASSERT_EQ(drive.content, expected) << "round " << round;
    }
}

TEST(ByteAccess, SendsOneCommandForWholeSectorsAndThreeForTornOnes) {
    MemoryDrive drive;
    ByteAccess access(drive);
    const std::array<std::byte, std::size_t{2} * kSector> data{};
    access.write(data.data(), 2 * kSector, kSector, false);
    EXPECT_EQ(drive.commands, 1U);
    access.write(data.data(), 2 * kSector, kSector + 1, false);
    EXPECT_EQ(drive.commands, 4U) << "two reads and a write";
}

TEST(ByteAccess, TrimsOnlyWholeSectors) {
    MemoryDrive drive;
    ByteAccess access(drive);
    EXPECT_EQ(access.trim(3 * kSector, kSector / 2, false), 0);
    std::vector<std::byte> expected(drive.content.size(), std::byte{1});
    std::fill_n(expected.begin() + kSector, 2 * kSector, std::byte{0xEE});
    EXPECT_EQ(drive.content, expected);
    EXPECT_EQ(access.trim(kSector, 1, false), 0);
    EXPECT_EQ(drive.commands, 1U) << "it covers no whole sector";
}

TEST(ByteAccess, ReportsErrors) {
    MemoryDrive drive;
    ByteAccess access(drive);
    drive.error = 5;
    std::byte data{};
    EXPECT_EQ(access.read(&data, 1, 7), 5);
    EXPECT_EQ(access.write(&data, 1, 7, false), 5);
    EXPECT_EQ(drive.content[7], std::byte{1});
    EXPECT_EQ(access.zero(kSector, 0, false, false), 5);
}

/// Threads each write their own byte of one sector, while others write whole sectors beside it.
TEST(ByteAccess, LosesNoBytesOfOtherClients) {
    MemoryDrive drive;
    ByteAccess access(drive);
    constexpr int kThreads = 8;
    constexpr int kRounds = 500;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&access, thread] {
            const auto offset = static_cast<std::uint64_t>(thread);
            for (int round = 0; round < kRounds; ++round) {
                const auto written = static_cast<std::byte>(round + thread);
                std::byte found{};
                access.write(&written, 1, offset, false);
                access.read(&found, 1, offset);
                EXPECT_EQ(found, written) << "thread " << thread << " round " << round;
                const std::array<std::byte, kSector> whole{};
                access.write(whole.data(), kSector, (offset + 1) * kSector, false);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace solidtlm::testbench::disk
