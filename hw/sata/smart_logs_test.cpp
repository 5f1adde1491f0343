// SPDX-License-Identifier: Apache-2.0
//
// Tests SMART error logging and self-tests byte by byte, as ACS-3 annex A lays the logs out.
#include <gtest/gtest.h>

#include <vector>

#include "hw/sata/ata.h"
#include "hw/sata/error_log.h"
#include "hw/sata/log_pages.h"
#include "hw/sata/page_numbers.h"
#include "hw/sata/self_test.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using hal::Ps;
using test::Numbers;
using test::numbers_of;

RegisterH2d command(std::uint8_t opcode, std::uint64_t lba) {
    RegisterH2d fis;
    fis.command = opcode;
    fis.features = 0xABCD;
    fis.count = 0x1234;
    fis.lba = hal::Lba{lba};
    fis.device = 0x40;
    fis.control = 0x08;
    return fis;
}

const RegisterD2h kUnreadable{true, 0x51, 0x40, hal::Lba{0x665544332211}, 0x40, 0};

TEST(ErrorLog, EmptyLogsHaveOnlyAVersion) {
    const ErrorLog log;
    for (const LogPage& page : {log.summary(), log.comprehensive(0), log.comprehensive(1)}) {
        EXPECT_EQ(page[0], std::byte{1});
        EXPECT_EQ(numbers_of(page, 1, 510), Numbers(510, 0));
        EXPECT_EQ(byte_sum(page), 0);
    }
}

TEST(ErrorLog, SummaryByHand) {
    ErrorLog log;
    log.power_on(1s);
    log.command(command(0x25, 7), 1s + 5ms);
    log.command(command(0x60, 0x0807060504), 3s);
    log.error(log.latest(), kUnreadable, 2h + 59min);
    const LogPage page = log.summary();
    EXPECT_EQ(numbers_of(page, 0, 2), (Numbers{1, 1})) << "version, the newest is the first";
    EXPECT_EQ(numbers_of(page, 2, 36), Numbers(36, 0)) << "three commands that were never given";
    EXPECT_EQ(numbers_of(page, 38, 12), (Numbers{0x08, 0xCD, 0x34, 7, 0, 0, 0x40, 0x25, 5, 0, 0, 0}));
    EXPECT_EQ(numbers_of(page, 50, 12),
              (Numbers{0x08, 0xCD, 0x34, 0x04, 0x05, 0x06, 0x40, 0x60, 0xD0, 0x07, 0, 0}))
        << "2,000 ms after power-on";
    EXPECT_EQ(numbers_of(page, 62, 8), (Numbers{0, 0x40, 0, 0x11, 0x22, 0x33, 0x40, 0x51}));
    EXPECT_EQ(numbers_of(page, 89, 3), (Numbers{3, 2, 0})) << "executing a command; full hours";
    EXPECT_EQ(numbers_of(page, 452, 2), (Numbers{1, 0})) << "errors so far";
    EXPECT_EQ(byte_sum(page), 0);
}

TEST(ErrorLog, ComprehensiveByHand) {
    ErrorLog log;
    log.command(command(0x60, 0x0A0908070605), 3s);
    log.error(log.latest(), kUnreadable, 0s);
    const LogPage page = log.comprehensive(0);
    EXPECT_EQ(numbers_of(page, 0, 4), (Numbers{1, 0, 1, 0}));
    EXPECT_EQ(numbers_of(page, 4, 72), Numbers(72, 0));
    EXPECT_EQ(numbers_of(page, 76, 18), (Numbers{0x08, 0xCD, 0xAB, 0x34, 0x12, 0x05, 0x08, 0x06, 0x09, 0x07,
                                                 0x0A, 0x40, 0x60, 0, 0xB8, 0x0B, 0, 0}));
    EXPECT_EQ(numbers_of(page, 94, 12),
              (Numbers{0, 0x40, 0, 0, 0x11, 0x44, 0x22, 0x55, 0x33, 0x66, 0x40, 0x51}));
    EXPECT_EQ(numbers_of(page, 125, 3), (Numbers{3, 0, 0}));
    EXPECT_EQ(numbers_of(page, 500, 2), (Numbers{1, 0}));
    EXPECT_EQ(byte_sum(page), 0);
}

TEST(ErrorLog, KeepsTheNewestErrorsAndCountsAll) {
    ErrorLog log;
    for (std::uint8_t i = 1; i <= 10; ++i) {
        log.command(command(i, i), Ps{0});
        log.error(log.latest(), kUnreadable, 0s);
    }
    const LogPage summary = log.summary();
    EXPECT_EQ(summary[1], std::byte{5}) << "the newest of five";
    EXPECT_EQ(summary[452], std::byte{10});
    EXPECT_EQ(summary[2 + 4 * 90 + 48 + 7], std::byte{10}) << "opcode of the newest";
    EXPECT_EQ(summary[2 + 48 + 7], std::byte{6});
    const LogPage page = log.comprehensive(0);
    EXPECT_EQ(page[2], std::byte{8}) << "the newest of eight, on the second page";
    EXPECT_EQ(page[4 + 72 + 12], std::byte{3});
    EXPECT_EQ(log.comprehensive(1)[4 + 3 * 124 + 72 + 12], std::byte{10});
}

// A queued command may fail after others have come; those before it in time are listed before it.
TEST(ErrorLog, TheFailedCommandIsTheLastOne) {
    ErrorLog log;
    log.command(command(1, 0), Ps{0});
    log.command(command(2, 0), Ps{0});
    const CommandSeen failed = log.latest();
    log.command(command(3, 0), Ps{0});
    log.error(failed, kUnreadable, 0s);
    LogPage page = log.summary();
    EXPECT_EQ(page[2 + 36 + 7], std::byte{1});
    EXPECT_EQ(page[2 + 48 + 7], std::byte{2});
    for (int i = 0; i < 64; ++i) {
        log.command(command(4, 0), Ps{0});
    }
    log.error(failed, kUnreadable, 0s);
    page = log.summary();
    EXPECT_EQ(page[2 + 90 + 36 + 7], std::byte{0}) << "long forgotten";
    EXPECT_EQ(page[2 + 90 + 48 + 7], std::byte{2});
}

TEST(SelfTest, TheShortOneReadsPlacesFromTheFirstSectorToTheLast) {
    constexpr std::uint64_t kCapacity = 1'000'003;
    SelfTest test;
    test.begin(SelfTest::kShort, kCapacity);
    std::vector<SelfTest::Piece> pieces;
    while (const auto piece = test.next()) {
        pieces.push_back(*piece);
    }
    ASSERT_EQ(pieces.size(), 256U);
    EXPECT_EQ(pieces.front().lba, hal::Lba{0});
    for (const SelfTest::Piece& piece : pieces) {
        EXPECT_EQ(piece.sectors, 8U);
        EXPECT_LE(piece.lba.value + 8, kCapacity);
    }
    EXPECT_GE(pieces.back().lba.value, kCapacity - 8 - 255) << "the division loses less than one per piece";
}

TEST(SelfTest, TheExtendedOneReadsEverythingOnce) {
    for (const std::uint64_t capacity : {1U, 2047U, 2048U, 5000U}) {
        SelfTest test;
        test.begin(SelfTest::kExtended, capacity);
        std::uint64_t next = 0;
        while (const auto piece = test.next()) {
            EXPECT_EQ(piece->lba.value, next);
            next += piece->sectors;
        }
        EXPECT_EQ(next, capacity);
    }
    SelfTest tiny;
    tiny.begin(SelfTest::kShort, 3);
    const auto piece = tiny.next();
    ASSERT_TRUE(piece);
    EXPECT_EQ(piece->sectors, 3U);
    EXPECT_FALSE(tiny.next());
}

TEST(SelfTest, StatusCountsDownInTenths) {
    SelfTest test;
    EXPECT_EQ(test.execution_status(), 0x00) << "never run";
    test.begin(SelfTest::kExtended, 10 * 2048);
    EXPECT_EQ(test.execution_status(), 0xF9);
    for (int i = 0; i < 7; ++i) {
        EXPECT_TRUE(test.next());
    }
    EXPECT_EQ(test.execution_status(), 0xF3) << "30 % remain";
    test.end(SelfTest::Result::read_failed, 0s, hal::Lba{5});
    EXPECT_EQ(test.execution_status(), 0x73);
}

TEST(SelfTest, LogsByHand) {
    SelfTest test;
    test.begin(SelfTest::kShort, 4096);
    test.end(SelfTest::Result::passed, 3h);
    test.begin(SelfTest::kExtended | SelfTest::kCaptive, 4096);
    EXPECT_TRUE(test.next());
    test.end(SelfTest::Result::read_failed, 258h, hal::Lba{0x060504030201});
    const LogPage page = test.log();
    EXPECT_EQ(numbers_of(page, 0, 2), (Numbers{1, 0}));
    EXPECT_EQ(numbers_of(page, 2, 24),
              (Numbers{1, 0, 3, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(numbers_of(page, 26, 9), (Numbers{0x82, 0x75, 2, 1, 0, 1, 2, 3, 4})) << "half remains";
    EXPECT_EQ(page[508], std::byte{2}) << "the newest";
    EXPECT_EQ(byte_sum(page), 0);
    const LogPage extended = test.extended_log();
    EXPECT_EQ(numbers_of(extended, 0, 4), (Numbers{1, 0, 2, 0}));
    EXPECT_EQ(numbers_of(extended, 4, 11), (Numbers{1, 0, 3, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
    EXPECT_EQ(numbers_of(extended, 30, 11), (Numbers{0x82, 0x75, 2, 1, 0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(byte_sum(extended), 0);
}

TEST(SelfTest, LogsKeepTheNewest) {
    SelfTest test;
    for (unsigned i = 1; i <= 23; ++i) {
        test.begin(SelfTest::kShort, 4096);
        test.end(SelfTest::Result::passed, std::chrono::hours(i));
    }
    EXPECT_EQ(test.log()[508], std::byte{21});
    EXPECT_EQ(test.log()[2 + 2], std::byte{3}) << "hours of the oldest";
    EXPECT_EQ(test.log()[2 + 20 * 24 + 2], std::byte{23});
    EXPECT_EQ(test.extended_log()[2], std::byte{19});
    EXPECT_EQ(test.extended_log()[4 + 2], std::byte{5});
    EXPECT_EQ(test.extended_log()[4 + 18 * 26 + 2], std::byte{23});
}

// Serial ATA 3.x 13.8.1.
TEST(SctStatus, ByHand) {
    const LogPage page = sct_status_log(SctDevice::self_test);
    EXPECT_EQ(numbers_of(page, 0, 6), (Numbers{3, 0, 1, 0, 1, 0})) << "format, version, SCT level";
    EXPECT_EQ(numbers_of(page, 6, 8), (Numbers{0, 0, 0, 0, 3, 0, 0, 0})) << "state";
    EXPECT_EQ(numbers_of(page, 14, 186), Numbers(186, 0)) << "no SCT command";
    EXPECT_EQ(numbers_of(page, 200, 5), Numbers(5, 40)) << "degrees Celsius";
    EXPECT_EQ(numbers_of(page, 205, 307), Numbers(307, 0));
}

TEST(PhyEvents, ByHand) {
    const LogPage page = phy_events_log(0x0203);
    EXPECT_EQ(numbers_of(page, 0, 16), (Numbers{0, 0, 0, 0, 0x01, 0x10, 0, 0, 0x0A, 0x10, 3, 2, 0, 0, 0, 0}));
    EXPECT_EQ(byte_sum(page), 0);
}

}  // namespace
}  // namespace solidtlm::hw
