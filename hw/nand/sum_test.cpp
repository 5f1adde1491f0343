// SPDX-License-Identifier: Apache-2.0
//
// Operations that parity over dies needs: programs that XOR several pages on their way, and reads that XOR
// onto the contents of DRAM. Times come from the tables of the standard (SDR mode 5).
#include <gtest/gtest.h>

#include <algorithm>

#include "hw/nand/test_bench.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr Ps kDramByte = 1ns;
constexpr Ps kPageFromDram = kPage * kDramByte;
constexpr Ps kProgramCycles = 6 * 20ns + 400ns + kPage * 20ns + 20ns + 100ns;  // tADL, data in, 10h, tWB
constexpr Ps kStatusPoll = 20ns + 80ns + 20ns;                                 // 70h, tWHR, one byte
constexpr Ps kSenseCycles = 7 * 20ns + 100ns;
constexpr Ps kPageOut = 20ns + kPage * 20ns;  // tRR

/// Content that differs from byte to byte and page to page.
void fill(FakeDram& dram, std::uint64_t address, unsigned seed) {
    const std::size_t begin = hal::content_bytes(hal::ContentMode::tags, address);
    for (std::size_t i = 0; i < hal::content_bytes(hal::ContentMode::tags, kPage); ++i) {
        dram.memory[begin + i] = static_cast<std::byte>(seed * 37 + i * 11 + i / 7);
    }
}

std::vector<std::byte> content_at(const FakeDram& dram, std::uint64_t address) {
    const auto begin = dram.memory.begin() +
                       static_cast<std::ptrdiff_t>(hal::content_bytes(hal::ContentMode::tags, address));
    return {begin, begin + static_cast<std::ptrdiff_t>(hal::content_bytes(hal::ContentMode::tags, kPage))};
}

std::vector<std::byte> sum(std::vector<std::byte> a, const std::vector<std::byte>& b) {
    std::ranges::transform(a, b, a.begin(), [](std::byte x, std::byte y) { return x ^ y; });
    return a;
}

// Three pages cross the DRAM bus, one crosses the channel bus. The second half of the second page is padding.
TEST(Sums, AProgramXorsItsSources) {
    Bench bench(small_config());
    bench.dram.byte_time = kDramByte;
    for (unsigned run = 0; run < 3; ++run) {
        fill(bench.dram, run * 2 * kPage, run + 1);
    }
    TestOp program(FlashOpcode::program, at(0, 1, 3, 0));
    program.op.xor_sources = 3;
    for (unsigned run = 0; run < 3; ++run) {
        const bool padded = run == 1;
        program.piece(0, kPage / 2, run * 2 * kPage);
        program.piece(kPage / 2, kPage / 2, padded ? FlashPiece::kPadding : run * 2 * kPage + kPage / 2);
    }
    bench.expect_takes(program.op, 5 * kPageFromDram / 2 + kProgramCycles + 200us + kStatusPoll);
    EXPECT_EQ(program.op.status, FlashStatus::ok);
    std::vector<std::byte> second = content_at(bench.dram, 2 * kPage);
    std::fill(second.begin() + static_cast<std::ptrdiff_t>(second.size() / 2), second.end(), std::byte{0});
    std::vector<std::byte> found(second.size());
    bench.channel.array(hal::Die{0}).peek(at(0, 1, 3, 0), 0, found);
    EXPECT_EQ(found, sum(sum(content_at(bench.dram, 0), second), content_at(bench.dram, 4 * kPage)));
}

// The previous contents are read from DRAM first, then the sum is written.
TEST(Sums, AReadXorsOntoTheContentsOfDram) {
    Bench bench(small_config());
    bench.dram.byte_time = kDramByte;
    fill(bench.dram, 0, 1);
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.piece(0, kPage, 0);
    bench.run(program.op);
    const std::vector<std::byte> page = content_at(bench.dram, 0);
    fill(bench.dram, kPage, 2);
    const std::vector<std::byte> before = content_at(bench.dram, kPage);
    for (const bool later : {false, true}) {
        bench.dram.answers_later = later;
        TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
        read.piece(0, kPage, kPage).with_ledger();
        read.op.accumulate = true;
        bench.expect_takes(read.op, kSenseCycles + 25us + kPageOut + 2 * kPageFromDram);
        EXPECT_EQ(content_at(bench.dram, kPage), later ? before : sum(before, page)) << "twice is nothing";
        EXPECT_EQ(read.ledger[Stage::dram_transfer], 2 * kPageFromDram);
        EXPECT_EQ(read.ledger.total(), kSenseCycles + 25us + kPageOut + 2 * kPageFromDram);
    }
}

TEST(Sums, RefusesSourcesThatDoNotMatch) {
    Bench bench(small_config());
    TestOp uneven(FlashOpcode::program, at(0, 0, 0, 0));
    uneven.piece(0, kPage, 0).piece(0, kPage, kPage).piece(0, kPage, 2 * kPage);
    uneven.op.xor_sources = 2;
    bench.run(uneven.op);
    EXPECT_EQ(uneven.op.status, FlashStatus::rule_violation);
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0).piece(0, kPage, kPage);
    read.op.xor_sources = 2;
    bench.run(read.op);
    EXPECT_EQ(read.op.status, FlashStatus::rule_violation);
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.piece(0, kPage, 0);
    program.op.accumulate = true;
    bench.run(program.op);
    EXPECT_EQ(program.op.status, FlashStatus::rule_violation);
    EXPECT_EQ(bench.channel.controller.violations().count(Violation::bad_request), 3U);
}

}  // namespace
}  // namespace solidtlm::hw
