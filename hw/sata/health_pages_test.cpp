// SPDX-License-Identifier: Apache-2.0
//
// Tests SMART data and the Device Statistics log byte by byte, as ACS-3 lays them out.
#include "hw/sata/health_pages.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "hw/sata/ata.h"
#include "hw/sata/identify.h"
#include "hw/sata/page_numbers.h"

namespace solidtlm::hw {
namespace {

using test::Numbers;
using test::numbers_of;

hal::HealthReport worn_drive() {
    hal::HealthReport report;
    report.read_commands = 0x21;
    report.write_commands = 0x010203;
    report.sectors_read = 0x0000'1122'3344'5566;
    report.sectors_written = 0x0000'0000'ABCD'EF01;
    report.uncorrectable_errors = 3;
    report.powered = hal::Ps{2 * 3'600'000'000'000'000 + 3'599'000'000'000'000};
    report.retired_blocks = 0x0204;
    report.power_on_resets = 1;
    report.reserve_percent = 40;
    report.percentage_used = 27;
    return report;
}

/// The 12 bytes of each attribute, by number.
std::map<unsigned, Numbers> attributes(const LogPage& page) {
    std::map<unsigned, Numbers> found;
    for (std::size_t at = 2; at < 362; at += 12) {
        if (page[at] != std::byte{0}) {
            found[std::to_integer<unsigned>(page[at])] = numbers_of(page, at, 12);
        }
    }
    return found;
}

TEST(SmartData, AttributesByHand) {
    const LogPage page = smart_data(worn_drive(), {});
    EXPECT_EQ(numbers_of(page, 0, 2), (Numbers{0x10, 0x00})) << "revision";
    const auto found = attributes(page);
    ASSERT_EQ(found.size(), 7U);
    EXPECT_EQ(found.at(5), (Numbers{5, 0x13, 0, 40, 40, 0x04, 0x02, 0, 0, 0, 0, 0})) << "pre-failure";
    EXPECT_EQ(found.at(9), (Numbers{9, 0x12, 0, 100, 100, 2, 0, 0, 0, 0, 0, 0})) << "hours are full ones";
    EXPECT_EQ(found.at(12), (Numbers{12, 0x12, 0, 100, 100, 1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(found.at(187), (Numbers{187, 0x12, 0, 97, 97, 3, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(found.at(231), (Numbers{231, 0x02, 0, 73, 73, 73, 0, 0, 0, 0, 0, 0})) << "percent of life left";
    EXPECT_EQ(found.at(241), (Numbers{241, 0x12, 0, 100, 100, 0x01, 0xEF, 0xCD, 0xAB, 0, 0, 0}));
    EXPECT_EQ(found.at(242), (Numbers{242, 0x12, 0, 100, 100, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0}));
}

// ACS-3 7.48.7: status of off-line routine and test, seconds of the routine, capabilities, minutes of the
// tests.
TEST(SmartData, OffLineRoutineAndSelfTestsByHand) {
    const LogPage page =
        smart_data(worn_drive(), {.off_line_status = 2, .execution_status = 0xF4, .extended_minutes = 254});
    EXPECT_EQ(numbers_of(page, 362, 4), (Numbers{2, 0xF4, 0, 0}));
    EXPECT_EQ(numbers_of(page, 367, 1), Numbers{0x11}) << "EXECUTE OFF-LINE IMMEDIATE, self-tests";
    EXPECT_EQ(numbers_of(page, 368, 2), (Numbers{2, 0}))
        << "autosave can be asked for; power loss loses data";
    EXPECT_EQ(numbers_of(page, 370, 1), Numbers{1}) << "error logging";
    EXPECT_EQ(numbers_of(page, 372, 5), (Numbers{1, 254, 0, 0, 0}));
    EXPECT_EQ(numbers_of(page, 377, 134), Numbers(134, 0));
    EXPECT_EQ(byte_sum(page), 0) << "byte 511 is the checksum";
    EXPECT_NE(page[511], std::byte{0});
    const LogPage large = smart_data(worn_drive(), {.extended_minutes = 0x1234});
    EXPECT_EQ(numbers_of(large, 372, 5), (Numbers{1, 0xFF, 0, 0x34, 0x12}));
}

TEST(SmartThresholds, NameTheAttributesInTheOrderOfSmartData) {
    for (const bool known : {true, false}) {
        hal::HealthReport report = worn_drive();
        if (!known) {
            report.power_on_resets.reset();
        }
        const LogPage data = smart_data(report, {});
        const LogPage page = smart_thresholds(report);
        EXPECT_EQ(numbers_of(page, 0, 2), (Numbers{0x10, 0x00}));
        for (std::size_t at = 2; at < 362; at += 12) {
            EXPECT_EQ(page[at], data[at]);
            EXPECT_EQ(page[at + 1], data[at] == std::byte{5} ? std::byte{10} : std::byte{0});
            EXPECT_EQ(numbers_of(page, at + 2, 10), Numbers(10, 0));
        }
        EXPECT_EQ(numbers_of(page, 362, 149), Numbers(149, 0));
        EXPECT_EQ(byte_sum(page), 0);
    }
}

TEST(SmartData, ValuesStayBetweenOneAndAHundred) {
    hal::HealthReport report = worn_drive();
    report.percentage_used = 250;
    report.uncorrectable_errors = 1000;
    report.reserve_percent = 0;
    report.power_on_resets.reset();
    const auto found = attributes(smart_data(report, {}));
    EXPECT_EQ(found.at(231)[3], 1U);
    EXPECT_EQ(found.at(187)[3], 1U);
    EXPECT_EQ(found.at(5)[3], 1U);
    EXPECT_FALSE(found.contains(12)) << "the count is unknown";
}

TEST(SmartStatus, TheReserveOrWriteProtectionDecides) {
    hal::HealthReport report;
    EXPECT_FALSE(threshold_exceeded(report));
    report.reserve_percent = 11;
    report.percentage_used = 255;
    EXPECT_FALSE(threshold_exceeded(report)) << "wear alone is no failure";
    report.reserve_percent = 10;
    EXPECT_TRUE(threshold_exceeded(report));
    report.reserve_percent = 100;
    report.read_only = true;
    EXPECT_TRUE(threshold_exceeded(report));
}

TEST(DeviceStatistics, ListOfPages) {
    const LogPage page = statistics_page(0, worn_drive());
    EXPECT_EQ(numbers_of(page, 0, 14), (Numbers{1, 0, 0, 0, 0, 0, 0, 0, 4, 0x00, 0x01, 0x04, 0x07, 0}));
}

TEST(DeviceStatistics, GeneralStatisticsByHand) {
    const LogPage page = statistics_page(1, worn_drive());
    EXPECT_EQ(numbers_of(page, 0, 8), (Numbers{2, 0, 1, 0, 0, 0, 0, 0})) << "revision, page";
    EXPECT_EQ(numbers_of(page, 8, 8), (Numbers{1, 0, 0, 0, 0, 0, 0, 0xC0}))
        << "power-on resets: supported, valid";
    EXPECT_EQ(numbers_of(page, 16, 8), (Numbers{2, 0, 0, 0, 0, 0, 0, 0xC0})) << "hours";
    EXPECT_EQ(numbers_of(page, 24, 8), (Numbers{0x01, 0xEF, 0xCD, 0xAB, 0, 0, 0, 0xC0})) << "sectors written";
    EXPECT_EQ(numbers_of(page, 32, 8), (Numbers{3, 2, 1, 0, 0, 0, 0, 0xC0})) << "write commands";
    EXPECT_EQ(numbers_of(page, 40, 8), (Numbers{0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0xC0}))
        << "sectors read";
    EXPECT_EQ(numbers_of(page, 48, 8), (Numbers{0x21, 0, 0, 0, 0, 0, 0, 0xC0})) << "read commands";
    EXPECT_EQ(numbers_of(page, 56, 456), Numbers(456, 0)) << "not supported";
}

TEST(DeviceStatistics, ErrorsAndWearByHand) {
    const LogPage errors = statistics_page(4, worn_drive());
    EXPECT_EQ(numbers_of(errors, 0, 16), (Numbers{1, 0, 4, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0xC0}));
    EXPECT_EQ(numbers_of(errors, 16, 496), Numbers(496, 0));
    hal::HealthReport report = worn_drive();
    EXPECT_EQ(numbers_of(statistics_page(7, report), 0, 16),
              (Numbers{1, 0, 7, 0, 0, 0, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0xE0}))
        << "supported, valid, normalized";
    report.percentage_used = 256;
    EXPECT_EQ(numbers_of(statistics_page(7, report), 8, 2), (Numbers{255, 0})) << "255 stands for more";
}

TEST(DeviceStatistics, CountsLostWithPowerAreNotValid) {
    hal::HealthReport report = worn_drive();
    report.power_on_resets.reset();
    const LogPage general = statistics_page(1, report);
    for (std::size_t at = 8; at <= 48; at += 8) {
        EXPECT_EQ(general[at + 7], std::byte{0x80}) << "supported, statistic at " << at;
    }
    EXPECT_EQ(statistics_page(4, report)[15], std::byte{0x80});
    EXPECT_EQ(statistics_page(7, report)[15], std::byte{0xE0}) << "erase counts come back";
}

TEST(DeviceStatistics, OtherPagesAreEmpty) {
    for (const std::uint32_t page : {2U, 3U, 5U, 6U}) {
        EXPECT_EQ(statistics_page(page, worn_drive()), LogPage{});
    }
}

TEST(Identify, AnnouncesHealthCommandsAndNoOthers) {
    SataConfig config;
    config.exported_sectors = 1000;
    IdentifyState state;
    const auto word = [&](std::size_t index) {
        const LogPage page = identify_data(config, state);
        return std::to_integer<unsigned>(page[2 * index]) | std::to_integer<unsigned>(page[2 * index + 1])
                                                                << 8U;
    };
    EXPECT_EQ(word(82), 0x0029U) << "SMART, power management, write cache";
    EXPECT_EQ(word(84), 0x4163U) << "SMART error log, self-test, general purpose logs, FUA, world wide name";
    EXPECT_EQ(word(85) & 1U, 1U);
    EXPECT_EQ(word(87), 0x4163U);
    EXPECT_EQ(word(119), 0x400CU) << "WRITE UNCORRECTABLE EXT, READ LOG DMA EXT";
    EXPECT_EQ(word(120), 0x400CU);
    state.smart = false;
    EXPECT_EQ(word(82) & 1U, 1U) << "still supported";
    EXPECT_EQ(word(85) & 1U, 0U);
}

}  // namespace
}  // namespace solidtlm::hw
