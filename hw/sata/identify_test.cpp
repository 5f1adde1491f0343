// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/identify.h"

#include <gtest/gtest.h>

#include "hw/sata/ata.h"

namespace solidtlm::hw {
namespace {

unsigned word(const LogPage& page, std::size_t index) {
    return std::to_integer<unsigned>(page[2 * index]) | std::to_integer<unsigned>(page[2 * index + 1]) << 8U;
}

SataConfig small_drive() {
    SataConfig config;
    config.exported_sectors = 0x123456789A;
    config.serial = "AB1";
    return config;
}

TEST(Identify, WordsOfTheStandard) {
    const LogPage page = identify_data(small_drive(), IdentifyState{});
    EXPECT_EQ(word(page, 10), 0x4142U) << "'AB', the first character in the high byte";
    EXPECT_EQ(word(page, 11), 0x3120U) << "'1' and a space";
    EXPECT_EQ(word(page, 60) | word(page, 61) << 16U, 0x0FFFFFFFU) << "28-bit capacity saturates";
    EXPECT_EQ(word(page, 100), 0x789AU);
    EXPECT_EQ(word(page, 101), 0x3456U);
    EXPECT_EQ(word(page, 102), 0x0012U);
    EXPECT_EQ(word(page, 69), 0x4020U) << "DRAT bit 14, RZAT bit 5";
    EXPECT_EQ(word(page, 75), 31U);
    EXPECT_EQ(word(page, 49), 0x2F00U) << "DMA, LBA, IORDY, Standby timer of the standard";
    EXPECT_EQ(word(page, 76), 0x050EU) << "Gen1, Gen2, Gen3, NCQ, PHY event counters";
    EXPECT_EQ(word(page, 168), 3U) << "2.5 inches";
    EXPECT_EQ(word(page, 77) >> 1U & 7U, 3U);
    EXPECT_EQ(word(page, 78) & 4U, 4U);
    EXPECT_EQ(word(page, 79) & 4U, 4U);
    EXPECT_EQ(word(page, 83), 0x7400U);
    EXPECT_EQ(word(page, 84) & 0x40U, 0x40U);
    EXPECT_EQ(word(page, 85) & 0x20U, 0x20U);
    EXPECT_EQ(word(page, 105), 8U);
    EXPECT_EQ(word(page, 106), 0x6003U) << "eight logical sectors a physical one";
    EXPECT_EQ(word(page, 169), 1U);
    EXPECT_EQ(word(page, 206), 1U) << "SCT, none of its commands";
    EXPECT_EQ(word(page, 217), 1U);
    EXPECT_EQ(word(page, 255) & 0xFFU, 0xA5U);
    EXPECT_EQ(byte_sum(page), 0U);
}

TEST(Identify, FollowsConfigurationAndState) {
    SataConfig config = small_drive();
    config.generation = SataGeneration::gen2;
    config.queue_depth = 8;
    config.auto_activate = false;
    config.deterministic_after_trim = config.zeros_after_trim = false;
    config.physical_sector_bytes = 512;
    const LogPage page = identify_data(config, IdentifyState{false, false});
    EXPECT_EQ(word(page, 75), 7U);
    EXPECT_EQ(word(page, 76), 0x0506U);
    EXPECT_EQ(word(page, 78) & 4U, 0U);
    EXPECT_EQ(word(page, 69), 0U);
    EXPECT_EQ(word(page, 85) & 0x20U, 0U);
    EXPECT_EQ(word(page, 106), 0x4000U);
}

// ACS-3 7.12.7.49: word 108 has the NAA and the highest bits of the OUI.
TEST(Identify, WorldWideNamesDifferWithTheSerialNumber) {
    SataConfig config = small_drive();
    const LogPage page = identify_data(config, IdentifyState{});
    EXPECT_EQ(word(page, 108), 0x5020U) << "NAA 5, OUI 020000h: locally administered";
    EXPECT_EQ(word(page, 109) & 0xFFF0U, 0U);
    config.serial = "AB2";
    const LogPage other = identify_data(config, IdentifyState{});
    EXPECT_FALSE(word(page, 109) == word(other, 109) && word(page, 110) == word(other, 110) &&
                 word(page, 111) == word(other, 111));
}

TEST(Identify, AnIdealLinkIsOneOfSixGigabits) {
    SataConfig config = small_drive();
    const LogPage usual = identify_data(config, IdentifyState{});
    config.generation = SataGeneration::ideal;
    EXPECT_EQ(identify_data(config, IdentifyState{}), usual);
}

TEST(Identify, AHostReadsBackWhatTheDeviceSays) {
    const SataConfig config = small_drive();
    LogPage page = identify_data(config, IdentifyState{});
    IdentifyFacts facts;
    ASSERT_TRUE(parse_identify(page, facts));
    EXPECT_EQ(facts.capacity_sectors, config.exported_sectors);
    EXPECT_EQ(facts.serial, config.serial);
    EXPECT_EQ(facts.model, config.model);
    EXPECT_EQ(facts.firmware_revision, config.firmware_revision);
    EXPECT_EQ(facts.queue_depth, 32U);
    EXPECT_EQ(facts.max_dsm_blocks, 8U);
    page[100] ^= std::byte{1};
    EXPECT_FALSE(parse_identify(page, facts)) << "the checksum is wrong";
}

TEST(LogPages, NcqErrorByHand) {
    NcqError error;
    error.tag = 9;
    error.status = 0x51;
    error.error = 0x40;
    error.lba = hal::Lba{0x665544332211};
    error.device = 0x40;
    error.count = 0x1234;
    const LogPage page = ncq_error_log(error);
    const std::vector<unsigned> expected{9,    0,    0x51, 0x40, 0x11, 0x22, 0x33,
                                         0x40, 0x44, 0x55, 0x66, 0,    0x34, 0x12};
    unsigned sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(std::to_integer<unsigned>(page[i]), expected[i]) << "byte " << i;
        sum += expected[i];
    }
    EXPECT_EQ(std::to_integer<unsigned>(page[511]), (256U - (sum & 0xFFU)) & 0xFFU);
    error.non_queued = true;
    EXPECT_EQ(ncq_error_log(error)[0], std::byte{0x80});
    const auto parsed = parse_ncq_error_log(page);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->tag, 9);
    EXPECT_EQ(parsed->lba, error.lba);
    LogPage broken = page;
    broken[7] = std::byte{0};
    EXPECT_FALSE(parse_ncq_error_log(broken));
    EXPECT_EQ(byte_sum(ncq_error_log(std::nullopt)), 0U);
}

TEST(LogPages, DirectoryListsTheLogs) {
    const LogPage identify = identify_data(small_drive(), IdentifyState{});
    const LogPage directory = general_log(ata::kLogDirectory, 0, identify);
    EXPECT_EQ(word(directory, 0), 1U) << "version";
    EXPECT_EQ(word(directory, 0x04), 8U);
    EXPECT_EQ(word(directory, 0x10), 1U);
    EXPECT_EQ(word(directory, 0x13), 1U);
    EXPECT_EQ(word(directory, 0x30), 2U);
    EXPECT_EQ(word(directory, 0x11), 1U);
    EXPECT_EQ(word(directory, 0x06), 0U) << "only SMART READ LOG has it";
    EXPECT_EQ(general_log(ata::kLogIdentify, 1, identify), identify);
    EXPECT_EQ(general_log(ata::kLogSendReceive, 0, identify)[4], std::byte{1});
}

}  // namespace
}  // namespace solidtlm::hw
