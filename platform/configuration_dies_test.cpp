// SPDX-License-Identifier: Apache-2.0
//
// Dies that differ: how they are written, and refused combinations.
#include <gtest/gtest.h>

#include "fw/needs.h"
#include "platform/configuration.h"
#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using Blocks = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

/// 2 channels of 2 dies, 2 planes of 16 blocks.
Configuration with_dies(const std::string& die_blocks, const std::vector<std::string>& settings = {}) {
    return parse_configuration("preset = \"tiny\"\nnand.geometry.die_blocks = \"" + die_blocks + "\"\n",
                               "my.toml", settings);
}

Texts dies_issues(const std::string& lines) {
    return issues_in("preset = \"tiny\"\n" + lines);
}

TEST(DiesConfiguration, AListIsForAChannelOrForTheDrive) {
    EXPECT_EQ(with_dies("").firmware.flash.die_blocks, Blocks{});
    EXPECT_EQ(with_dies("16,8").firmware.flash.die_blocks, (Blocks{16, 8, 16, 8}));
    const Configuration drive = with_dies(" 16, 12 ,0, 16");
    EXPECT_EQ(drive.firmware.flash.die_blocks, (Blocks{16, 12, 0, 16}));
    EXPECT_EQ(drive.firmware.flash.total_dies(), 3U);
    EXPECT_EQ(drive.nand.geometry.total_blocks(), 2U * (16 + 12 + 16));
    EXPECT_EQ(drive.raw_bytes(), drive.nand.geometry.total_blocks() * drive.nand.geometry.block_bytes());
    EXPECT_EQ(to_toml(parse_configuration(to_toml(drive), "again.toml")), to_toml(drive));
}

// A list that says what blocks says, too, makes the same drive.
TEST(DiesConfiguration, EqualDiesExportAsMuchWithAList) {
    EXPECT_EQ(with_dies("16,16").exported_bytes(), with_dies("").exported_bytes());
    EXPECT_EQ(fw::max_exported_units(with_dies("16,16").firmware),
              fw::max_exported_units(with_dies("").firmware));
}

TEST(DiesConfiguration, MistakesNameTheKey) {
    const std::string kKey = "my.toml:2: nand.geometry.die_blocks: ";
    EXPECT_EQ(dies_issues("nand.geometry.die_blocks = \"16,x\"\n").front(),
              kKey +
                  "found \"16,x\"; allowed: integers from 0 to 65536, by comma, or nothing, such as "
                  "\"256, 256, 128, 0\"");
    EXPECT_EQ(dies_issues("nand.geometry.die_blocks = \"16,8,8\"\n").front(),
              kKey +
                  "found 3 numbers; allowed: 2, one for each die of a channel, or 4, one for each die of the "
                  "drive");
    EXPECT_EQ(dies_issues("nand.geometry.die_blocks = \"17,8\"\n").front(),
              kKey +
                  "found a die of 17 blocks per plane as the largest; allowed: 1 to 16 "
                  "(nand.geometry.blocks)");
    EXPECT_EQ(dies_issues("nand.geometry.die_blocks = \"0,0\"\n").size(), 1U) << "no flash at all";
    EXPECT_NE(dies_issues("nand.geometry.die_blocks = \"16,3\"\n").front().find("found 3 blocks per plane"),
              std::string::npos)
        << "the smallest die needs the reserve, too";
    EXPECT_EQ(
        dies_issues("nand.geometry.die_blocks = \"16,8\"\nfirmware.allocation.mode = \"static\"\n").size(),
        1U);
    EXPECT_EQ(dies_issues("nand.geometry.die_blocks = \"16,0\"\nfirmware.allocation.mode = \"static\"\n"),
              Texts{})
        << "those that exist are equal";
    EXPECT_EQ(dies_issues("nand.geometry.die_blocks = \"16,8\"\nfirmware.translation = \"fast\"\n").size(),
              1U);
    EXPECT_EQ(
        dies_issues("nand.geometry.die_blocks = \"16,8\"\nfirmware.reliability.parity_dies = 2\n").size(),
        1U);
}

}  // namespace
}  // namespace solidtlm::platform
