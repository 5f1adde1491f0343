// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/link.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hw/sata/test_doubles.h"
#include "hw/tlm/report_guard.h"

namespace solidtlm::hw {
namespace {

using test::ScriptHost;

// A link with two scripted ends: each gets what the other sends.
struct Ends {
    explicit Ends(const SataConfig& config) : link("link", config) {
        checkers.join(host.link_init, link.host.target);
        checkers.join(link.host.init, host.link_target);
        checkers.join(device.link_init, link.device.target);
        checkers.join(link.device.init, device.link_target);
    }
    void power_cut() {
        link.power_cut();
        checkers.power_cut();
    }
    ScriptHost host{"host", hal::ContentMode::none};
    ScriptHost device{"device", hal::ContentMode::none};
    SataLink link;
    ProtocolCheckers checkers;
};

// The formula of the model in floating point: dword times at 37.5, 75 or 150 MHz.
double formula_ps(double dwords, double turnaround, double mhz) {
    return ((dwords + 3.0) * 256.0 / 254.0 + turnaround) * 1e6 / mhz;
}

TEST(FrameTiming, FollowsTheFormulaAtEverySpeed) {
    for (const auto& [generation, mhz] :
         {std::pair{SataGeneration::gen1, 37.5}, std::pair{SataGeneration::gen2, 75.0},
          std::pair{SataGeneration::gen3, 150.0}}) {
        SataConfig config;
        config.generation = generation;
        for (const std::uint32_t turnaround : {0U, 90U, 95U}) {
            for (const std::int64_t beside : {0, 266'001}) {
                config.turnaround_dwords = turnaround;
                config.turnaround_time = Ps{beside};
                const FrameTiming timing(config);
                for (const std::uint32_t dwords : {1U, 2U, 5U, 7U, 1025U, 2049U}) {
                    EXPECT_EQ(timing.frame_time(std::uint64_t{dwords} * 4).count(),
                              beside + std::llround(formula_ps(dwords, turnaround, mhz)));
                }
            }
        }
    }
}

// (1025 + 3) * 256/254 + 95 = 1131.094 dword times of 6.667 ns: worked by hand.
TEST(FrameTiming, FourKibibyteDataFisByHand) {
    EXPECT_EQ(FrameTiming(SataConfig{}).frame_time(4100).count(), 7540630);
}

TEST(FrameTiming, AFrameTakesNoTimeOnAnIdealLink) {
    SataConfig config;
    config.generation = SataGeneration::ideal;
    for (const std::uint32_t turnaround : {0U, 95U, 10'000U}) {
        config.turnaround_dwords = turnaround;
        config.turnaround_time = Ps{turnaround};
        for (const std::uint32_t bytes : {4U, 28U, 8196U}) {
            EXPECT_EQ(FrameTiming(config).frame_time(bytes), Ps{0});
        }
    }
}

TEST(SataLink, OneFrameAtATimeWithExactInstantsAndTheDeviceWinsACollision) {
    Ends ends{SataConfig{}};
    RegisterH2d command;
    hal::Ledger ledger;
    ledger.start(hal::Stage::host_queue, Ps{0});
    ends.host.send(encode(command), nullptr, 0, &ledger);
    ends.device.send(encode(RegisterD2h{}));
    sc_core::sc_start(100, sc_core::SC_US);
    const Ps frame = ends.link.frame_time(20);
    ASSERT_EQ(ends.host.frames.size(), 1U);
    ASSERT_EQ(ends.device.frames.size(), 1U);
    EXPECT_EQ(ends.host.frames[0].at, frame) << "the host backs off";
    EXPECT_EQ(ends.device.frames[0].at, 2 * frame);
    EXPECT_EQ(ledger[hal::Stage::link_wait], frame);
    EXPECT_EQ(ledger[hal::Stage::link_transfer], frame);
    EXPECT_EQ(ends.link.statistics().busy(), 2 * frame);
    EXPECT_EQ(ends.link.pending(), 0U);
}

TEST(SataLink, SidesTakeTurnsAndControlOvertakesData) {
    Ends ends{SataConfig{}};
    for (int i = 0; i < 3; ++i) {
        ends.device.send(encode_data(), nullptr, 4096);
        ends.host.send(encode(RegisterH2d{}));
    }
    ends.device.send(encode(SetDeviceBits{}));
    sc_core::sc_start(1, sc_core::SC_MS);
    EXPECT_EQ(ends.host.types(),
              (std::vector<FisType>{FisType::set_device_bits, FisType::data, FisType::data, FisType::data}));
    // the sides take turns: SDB, H2D, Data, H2D, Data, H2D, Data
    const Ps h2d = ends.link.frame_time(20);
    const Ps bits = ends.link.frame_time(8);
    const Ps data = ends.link.frame_time(4100);
    EXPECT_EQ(ends.device.frames[0].at, bits + h2d);
    EXPECT_EQ(ends.device.frames[2].at, bits + 3 * h2d + 2 * data);
    EXPECT_EQ(ends.host.frames[3].at, bits + 3 * h2d + 3 * data);
    const LinkStatistics& statistics = ends.link.statistics();
    EXPECT_EQ(statistics.to_host.payload_bytes, 3 * 4096U);
    EXPECT_EQ(statistics.to_host.frames[fis_index(0x46)], 3U);
    EXPECT_EQ(statistics.to_device.frames[fis_index(0x27)], 3U);
}

TEST(SataLink, IsBusyForThePartOfAFrameThatHasPassed) {
    Ends ends{SataConfig{}};
    ends.device.send(encode_data(), nullptr, 4096);
    ends.host.send(encode(RegisterH2d{}));
    const Ps data = ends.link.frame_time(4100);
    const Ps command = ends.link.frame_time(20);
    const auto after = [&](Ps at) {
        sc_core::sc_start(to_sc_time(at - now()));
        return ends.link.statistics();
    };
    EXPECT_EQ(after(data / 3).to_host.busy, data / 3);
    EXPECT_EQ(after(data).to_host.busy, data);
    EXPECT_EQ(after(data + command / 2).to_device.busy, command / 2);
    EXPECT_EQ(after(data + 2 * command).busy(), data + command);
}

// Frames that both sides send at one instant go in the same order as on a link that takes time.
TEST(SataLink, AnIdealLinkKeepsTheOrderOfFrames) {
    SataConfig config;
    config.generation = SataGeneration::ideal;
    Ends ends{config};
    hal::Ledger ledger;
    ledger.start(hal::Stage::host_queue, Ps{0});
    for (int i = 0; i < 3; ++i) {
        ends.device.send(encode_data(), nullptr, 4096);
        ends.host.send(encode(RegisterH2d{}), nullptr, 0, i == 0 ? &ledger : nullptr);
    }
    ends.device.send(encode(SetDeviceBits{}));
    sc_core::sc_start(1, sc_core::SC_MS);
    EXPECT_EQ(ends.host.types(),
              (std::vector<FisType>{FisType::set_device_bits, FisType::data, FisType::data, FisType::data}));
    ASSERT_EQ(ends.device.frames.size(), 3U);
    for (const auto& ends_frames : {ends.host.frames, ends.device.frames}) {
        for (const auto& frame : ends_frames) {
            EXPECT_EQ(frame.at, Ps{0});
        }
    }
    EXPECT_EQ(ledger.total(), Ps{0});
    const LinkStatistics& statistics = ends.link.statistics();
    EXPECT_EQ(statistics.busy(), Ps{0});
    EXPECT_EQ(statistics.to_host.payload_bytes, 3 * 4096U);
    EXPECT_EQ(statistics.to_device.frames[fis_index(0x27)], 3U);
    EXPECT_EQ(ends.link.pending(), 0U);
}

TEST(SataLink, APowerCutLosesFramesUnderWay) {
    Ends ends{SataConfig{}};
    ends.device.send(encode_data(), nullptr, 8192);
    ends.device.send(encode_data(), nullptr, 8192);
    sc_core::sc_start(1, sc_core::SC_US);
    ends.power_cut();
    EXPECT_EQ(ends.device.pool.in_use(), 0U);
    sc_core::sc_start(1, sc_core::SC_MS);
    EXPECT_TRUE(ends.host.frames.empty());
    ends.device.send(encode(SetDeviceBits{}));
    sc_core::sc_start(1, sc_core::SC_MS);
    EXPECT_EQ(ends.host.frames.size(), 1U);
}

// A power cut ends a frame of the device. If both sides then want the link, it counts as if no frame had been
// sent: the host backs off, also at the instant at which the lost frame would have ended.
class LinkCut : public testing::TestWithParam<int> {};

TEST_P(LinkCut, ALostFrameDoesNotChangeTheOrderOfTheSides) {
    Ends ends{SataConfig{}};
    ends.device.send(encode_data(), nullptr, 8192);
    const Ps frame = ends.link.frame_time(8196);
    const Ps cut = frame * GetParam() / 4;
    sc_core::sc_start(to_sc_time(cut));
    ends.power_cut();
    EXPECT_EQ(ends.link.statistics().busy(), cut) << "up to the cut";
    sc_core::sc_start(to_sc_time(frame - cut));
    ends.host.send(encode(RegisterH2d{}));
    ends.device.send(encode(SetDeviceBits{}));
    sc_core::sc_start(1, sc_core::SC_MS);
    ASSERT_EQ(ends.host.frames.size(), 1U);
    EXPECT_EQ(ends.host.frames[0].at, frame + ends.link.frame_time(8)) << "the device goes first";
    EXPECT_EQ(ends.device.frames.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Quarters, LinkCut, testing::Values(1, 3, 4));

// R_RDY: the device takes one frame at a time. Frames to it wait; frames that it sends do not.
TEST(SataLink, FramesWaitUntilTheirReceiverIsReady) {
    Ends ends{SataConfig{}};
    ends.device.takes_one = true;
    for (int i = 0; i < 3; ++i) {
        ends.host.send(encode(RegisterH2d{}));
    }
    sc_core::sc_start(100, sc_core::SC_US);
    ASSERT_EQ(ends.device.frames.size(), 1U);
    EXPECT_EQ(ends.host.sent_at.size(), 1U) << "R_OK, for the one that was taken";
    ends.device.send(encode(RegisterD2h{}));
    sc_core::sc_start(100, sc_core::SC_US);
    EXPECT_EQ(ends.host.frames.size(), 1U) << "the other way is free";
    EXPECT_EQ(ends.device.frames.size(), 1U);
    for (std::size_t taken = 2; taken <= 3; ++taken) {
        const Ps ready = now();
        ends.device.ready();
        sc_core::sc_start(100, sc_core::SC_US);
        ASSERT_EQ(ends.device.frames.size(), taken);
        EXPECT_EQ(ends.device.frames.back().at, ready + ends.link.frame_time(20)) << "X_RDY is answered now";
    }
    ends.device.ready();
    EXPECT_EQ(ends.host.pool.in_use(), 0U);
}

TEST(SataLink, AReceiverMayBeReadyAgainWhileAFrameGoesTheOtherWay) {
    Ends ends{SataConfig{}};
    ends.host.takes_one = true;
    ends.device.send(encode(RegisterD2h{}));
    ends.device.send(encode(SetDeviceBits{}));
    ends.host.send(encode(RegisterH2d{}));
    const Ps frame = ends.link.frame_time(20);
    sc_core::sc_start(to_sc_time(frame + frame / 2));
    ASSERT_EQ(ends.host.frames.size(), 1U);
    ends.host.ready();
    sc_core::sc_start(100, sc_core::SC_US);
    ASSERT_EQ(ends.host.frames.size(), 2U);
    EXPECT_EQ(ends.device.frames[0].at, 2 * frame);
    EXPECT_EQ(ends.host.frames[1].at, 2 * frame + ends.link.frame_time(8));
}

// COMRESET with two frames in each direction: in the middle of the first of them, and at its very end.
class LinkReset : public testing::TestWithParam<int> {};

TEST_P(LinkReset, FramesUnderWayAreLostAndTheirSendersNotified) {
    Ends ends{SataConfig{}};
    for (int i = 0; i < 2; ++i) {
        ends.device.send(encode_data(), nullptr, 8192);
        ends.host.send(encode(RegisterH2d{}));
    }
    const Ps frame = ends.link.frame_time(8196);
    const Ps reset = frame * GetParam() / 2;
    sc_core::sc_start(to_sc_time(reset));
    const std::size_t arrived = ends.host.frames.size();
    ends.host.signal(LinkSignal::comreset);
    EXPECT_EQ(ends.device.signals, std::vector{LinkSignal::comreset});
    EXPECT_TRUE(ends.link.down());
    EXPECT_EQ(ends.link.pending(), 0U);
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(ends.device.lost_at, std::vector(2 - arrived, reset));
    EXPECT_EQ(ends.host.lost_at, std::vector(2, reset));
    EXPECT_EQ(ends.link.statistics().busy(), reset) << "up to the reset";
    ends.device.send(encode(SetDeviceBits{}));
    sc_core::sc_start(1, sc_core::SC_MS);
    EXPECT_EQ(ends.device.lost_at.size(), 3 - arrived) << "the link is down";
    EXPECT_EQ(ends.host.frames.size(), arrived);
    EXPECT_EQ(ends.host.signal(LinkSignal::phy_ready), 3) << "6 Gb/s";
    const Ps up = now();
    ends.host.send(encode(RegisterH2d{}));
    ends.device.send(encode(SetDeviceBits{}));
    sc_core::sc_start(1, sc_core::SC_MS);
    ASSERT_EQ(ends.host.frames.size(), arrived + 1);
    EXPECT_EQ(ends.host.frames.back().at, up + ends.link.frame_time(8)) << "the host backs off";
    EXPECT_EQ(ends.device.frames.size(), 1U);
    EXPECT_EQ(ends.device.pool.in_use() + ends.host.pool.in_use(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Halves, LinkReset, testing::Values(1, 2));

TEST(SataLink, RefusesFramesThatAreNotFises) {
    Ends ends{SataConfig{}};
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    ExpectReport expected("/ssd/link");
    FisHeader header = encode_data();
    header.bytes[0] = 0;
    EXPECT_THROW(ends.host.send(header), sc_core::sc_report);
}

}  // namespace
}  // namespace solidtlm::hw
