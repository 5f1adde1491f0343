// SPDX-License-Identifier: Apache-2.0
//
// How long a capacitor must last. Bus cycles take 25 ns; a page is 4,096 bytes and 24 of metadata, without
// parity, after six cycles of command and address, and one cycle confirms it: 4,127 cycles are 103.175 us.
#include "hw/nand/capacitor_flash.h"

#include <gtest/gtest.h>

#include <array>

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;

constexpr hal::Ps kTransfer = 103'175ns;

NandConfig two_channels() {
    NandConfig config;
    config.geometry = NandGeometry{2, 2, 1, 1, 4, 8, 4096, 128};
    config.bus = NandBusConfig{NandInterface::byte_time, 0, 25ns};
    config.timing.program = {200us, 800us};  // even and odd pages
    config.ecc.codeword_bytes = 0;
    return config;
}

hal::FlashAddress page(std::uint16_t channel, std::uint16_t die, std::uint32_t number) {
    return {hal::Channel{channel}, hal::Die{die}, hal::Plane{0}, hal::Block{1}, hal::Page{number}};
}

struct CapacitorFlashTest : public ::testing::Test {
    explicit CapacitorFlashTest(const NandConfig& with = two_channels()) : config(with) {
        for (std::uint16_t i = 0; i < 2; ++i) {
            const std::string name = "channel_" + std::to_string(i);
            channels.push_back(std::make_unique<NandChannel>(name.c_str(), config, hal::Channel{i}));
        }
    }
    NandConfig config;
    std::vector<std::unique_ptr<NandChannel>> channels;
    std::array<std::byte, 24> spare{std::byte{7}};
};

/// Lower pages are 0, 1, 3, 5, upper pages 2, 4, 6 and the last one.
NandConfig shifted_mlc() {
    NandConfig config = two_channels();
    config.cell = NandCell::mlc;
    return config;
}
struct CapacitorFlashMlcTest : public CapacitorFlashTest {
    CapacitorFlashMlcTest() : CapacitorFlashTest(shifted_mlc()) {}
};

/// 1,000 cycles make a program half as long again.
NandConfig worn() {
    NandConfig config = two_channels();
    config.faults.cycles = 2000;
    config.timing.program_wear = 0.5;
    return config;
}
struct CapacitorFlashWornTest : public CapacitorFlashTest {
    CapacitorFlashWornTest() : CapacitorFlashTest(worn()) {}
};

TEST_F(CapacitorFlashTest, TakesNothingForNothing) {
    const CapacitorFlash flash(config, channels);
    EXPECT_EQ(flash.use().pages, 0U);
    EXPECT_EQ(flash.use().time, hal::Ps{0});
}

TEST_F(CapacitorFlashTest, ProgramsPagesOfADieOneAfterTheOther) {
    CapacitorFlash flash(config, channels);
    EXPECT_TRUE(flash.program(page(0, 0, 0), spare));
    EXPECT_EQ(flash.use().time, kTransfer + 200us);
    EXPECT_TRUE(flash.program(page(0, 0, 1), spare));
    EXPECT_EQ(flash.use().time, 2 * kTransfer + 1000us);
    EXPECT_EQ(flash.use().pages, 2U);
}

TEST_F(CapacitorFlashMlcTest, TakesTheTimesOfLowerAndUpperPages) {
    CapacitorFlash flash(config, channels);
    EXPECT_TRUE(flash.program(page(0, 0, 0), spare));
    EXPECT_TRUE(flash.program(page(0, 0, 1), spare));
    EXPECT_EQ(flash.use().time, 2 * kTransfer + 400us) << "two lower pages";
    EXPECT_TRUE(flash.program(page(0, 0, 2), spare));
    EXPECT_EQ(flash.use().time, 3 * kTransfer + 1200us) << "and an upper one";
}

TEST_F(CapacitorFlashWornTest, TakesTheTimeOfAWornBlock) {
    CapacitorFlash flash(config, channels);
    EXPECT_TRUE(flash.program(page(0, 0, 0), spare));
    EXPECT_EQ(flash.use().time, kTransfer + 400us);
}

TEST_F(CapacitorFlashTest, ProgramsDiesTogetherWhenTheirChannelHasServedThem) {
    CapacitorFlash flash(config, channels);
    flash.program(page(0, 0, 0), spare);
    flash.program(page(1, 0, 0), spare);
    EXPECT_EQ(flash.use().time, kTransfer + 200us) << "another channel";
    flash.program(page(0, 1, 0), spare);
    EXPECT_EQ(flash.use().time, 2 * kTransfer + 200us) << "the same channel";
}

TEST_F(CapacitorFlashTest, KnowsWhichPagesCanBeProgrammed) {
    CapacitorFlash flash(config, channels);
    channels[0]->array(hal::Die{0}).tear_page(page(0, 0, 0));
    EXPECT_FALSE(flash.erased(page(0, 0, 0)));
    EXPECT_TRUE(flash.erased(page(0, 0, 1)));
    EXPECT_TRUE(flash.program(page(0, 0, 1), spare));
    EXPECT_FALSE(flash.erased(page(0, 0, 1)));
    EXPECT_EQ(channels[0]->array(hal::Die{0}).metadata(page(0, 0, 1))[0], std::byte{7});
    EXPECT_FALSE(flash.program(page(0, 0, 1), spare)) << "not twice";
}

}  // namespace
}  // namespace solidtlm::hw
