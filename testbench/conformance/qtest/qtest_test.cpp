// SPDX-License-Identifier: Apache-2.0
#include "testbench/conformance/qtest/qtest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace solidtlm::testbench {
namespace {

/// 64 bytes of memory from 0x100.
struct SmallMachine : QtestMachine {
    static constexpr std::uint64_t kBase = 0x100;
    static constexpr std::uint64_t kMostTime = 200;
    bool load(std::uint64_t address, std::span<std::byte> bytes) override {
        if (!holds(address, bytes.size())) {
            return false;
        }
        std::copy_n(memory.begin() + static_cast<long>(address - kBase), bytes.size(), bytes.begin());
        return true;
    }
    bool store(std::uint64_t address, std::span<const std::byte> bytes) override {
        if (!holds(address, bytes.size())) {
            return false;
        }
        std::ranges::copy(bytes, memory.begin() + static_cast<long>(address - kBase));
        return true;
    }
    std::optional<std::uint64_t> step(std::optional<std::uint64_t> ns) override {
        if (time + ns.value_or(7) > kMostTime) {
            return std::nullopt;
        }
        return time += ns.value_or(7);
    }
    [[nodiscard]] bool holds(std::uint64_t address, std::size_t bytes) const {
        return address >= kBase && address - kBase + bytes <= memory.size();
    }
    std::vector<std::byte> memory = std::vector<std::byte>(64);
    std::uint64_t time = 0;
};

struct QtestTest : testing::Test {
    std::string ask(std::string_view line) { return answer_qtest(machine, line); }
    SmallMachine machine;
};

TEST_F(QtestTest, NumbersOfEveryWidth) {
    EXPECT_EQ(ask("writeq 0x100 0x1122334455667788"), "OK");
    EXPECT_EQ(ask("readb 0x100"), "OK 0x0000000000000088");
    EXPECT_EQ(ask("readw 0x102"), "OK 0x0000000000005566");
    EXPECT_EQ(ask("readl 260"), "OK 0x0000000011223344");
    EXPECT_EQ(ask("readq 0400"), "OK 0x1122334455667788") << "octal";
    EXPECT_EQ(ask("writeb 0x100 0x1FF"), "OK");
    EXPECT_EQ(ask("writew 0x102 1"), "OK");
    EXPECT_EQ(ask("writel 0x104 0"), "OK");
    EXPECT_EQ(ask("readq 0x100"), "OK 0x00000000000177ff");
}

TEST_F(QtestTest, BytesInARow) {
    EXPECT_EQ(ask("write 0x110 4 0xdeadBEEF"), "OK");
    EXPECT_EQ(ask("read 0x10f 6"), "OK 0x00deadbeef00");
    EXPECT_EQ(ask("write 0x110 4 0x01"), "OK") << "the rest is 0";
    EXPECT_EQ(ask("read 0x110 4"), "OK 0x01000000");
    EXPECT_EQ(ask("memset 0x111 2 0xA5"), "OK");
    EXPECT_EQ(ask("read 0x110 4"), "OK 0x01a5a500");
}

TEST_F(QtestTest, TimePasses) {
    EXPECT_EQ(ask("clock_step 100"), "OK 100");
    EXPECT_EQ(ask("clock_step"), "OK 107");
    EXPECT_EQ(ask("clock_step 94"), "FAIL a step that ends after 9000000s (104 days)");
    EXPECT_EQ(ask("clock_step 93"), "OK 200");
}

TEST_F(QtestTest, EverythingElseFails) {
    for (const char* line : {"",
                             "  ",
                             "hello",
                             "readx 1",
                             "read",
                             "readl",
                             "readl x",
                             "readl 0x",
                             "readl 1 2",
                             "readl -1",
                             "writel 0x100",
                             "writel 0x100 1 2",
                             "write 0x100 2 01",
                             "write 0x100 2 0x1",
                             "write 0x100 2 0x010203",
                             "write 0x100 2 0xzz",
                             "write 0x100 0 0x",
                             "read 0x100 0",
                             "read 0x100 0xFFFFFFFFFF",
                             "memset 0x100 1",
                             "clock_step x",
                             "clock_step 1 2",
                             "clock_step 3600000000001",
                             "irq_intercept_in ioapic",
                             "outl 0xcf8 1",
                             "readl 0xfe",
                             "readl 0x13d",
                             "write 0x13f 2 0x0000",
                             "readl 0x1FFFFFFFFFFFFFFFF"}) {
        EXPECT_TRUE(ask(line).starts_with("FAIL ")) << line << ": " << ask(line);
    }
    EXPECT_EQ(ask("hello there"), "FAIL unknown command hello");
}

}  // namespace
}  // namespace solidtlm::testbench
