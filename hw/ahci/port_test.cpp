// SPDX-License-Identifier: Apache-2.0
//
// A port on a bus of the test: frames that no link of this project sends, and the port's requests to its bus.
#include "hw/ahci/port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace solidtlm::hw::ahci {
namespace {

using R = PortRegister;

/// Memory is all zeros; accesses wait until the test ends them.
struct TestBus : PortBus {
    void access(std::uint8_t, const DmaAccess& access) override { asked.push_back(access); }
    void send(std::uint8_t, const SataFrame& frame) override { sent.push_back(frame.header.type()); }
    [[nodiscard]] hal::Ledger* ledger(std::uint8_t, std::uint8_t) const override { return nullptr; }
    void take_frames(std::uint8_t) override { ++ready; }
    [[nodiscard]] bool connected(std::uint8_t) const override { return true; }
    void comreset(std::uint8_t) override { ++resets; }
    void begin_phy(std::uint8_t) override { ++phys; }
    void interrupt_changed() override {}

    std::vector<DmaAccess> asked;
    std::vector<FisType> sent;
    int ready = 0;
    int resets = 0;
    int phys = 0;
};

struct PortTest : testing::Test {
    PortTest() {
        port.reset();
        port.phy_ready(3);
        write(R::fb, 0x2000);
        write(R::cmd, kFre);
    }
    void write(R which, Word value) { port.write(which, value, ~Word{0}); }
    bool receive(const FisHeader& fis, std::size_t content = 0) {
        const std::vector<std::byte> bytes(content);
        const bool room = port.take_frame({fis.bytes.data(), fis.length}, bytes);
        port.frame_arrived();
        return room;
    }
    TestBus bus;
    Port port{bus, 0, false};
};

// BIST Activate (58h, three dwords): posted at 60h, and DIAG.F is the interrupt (3.3.5, UFS).
TEST_F(PortTest, AFisOfAnUnknownType) {
    FisHeader fis;
    fis.bytes[0] = 0x58;
    fis.length = 12;
    receive(fis);
    ASSERT_EQ(bus.asked.size(), 1U);
    EXPECT_TRUE(bus.asked[0].write);
    EXPECT_EQ(bus.asked[0].address, 0x2060U);
    EXPECT_EQ(bus.asked[0].bytes.size(), 12U);
    EXPECT_EQ(bus.asked[0].bytes[0], std::byte{0x58});
    EXPECT_EQ(port.read(R::is) & kUfs, 0U);
    port.access_done(DmaResult::ok);
    EXPECT_EQ(port.read(R::serr) & kSerrUnknownFis, kSerrUnknownFis);
    EXPECT_EQ(port.read(R::is) & kUfs, kUfs);
    write(R::is, kUfs);
    EXPECT_EQ(port.read(R::is) & kUfs, kUfs) << "cleared through PxSERR";
    write(R::serr, kSerrUnknownFis);
    EXPECT_EQ(port.read(R::is) & kUfs, 0U);
}

// PxCMD.FR and CR also cover an access under way, not only the bits that started it.
TEST_F(PortTest, FrFallsWhenTheFisIsPosted) {
    receive(encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1}));
    write(R::cmd, 0);
    EXPECT_EQ(port.read(R::cmd) & (kFre | kFr), kFr);
    port.access_done(DmaResult::ok);
    EXPECT_EQ(port.read(R::cmd) & (kFre | kFr), 0U);
    EXPECT_EQ(port.read(R::tfd), 0x150U);
}

TEST_F(PortTest, CrFallsWhenTheAccessHasEnded) {
    receive(encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1}));
    port.access_done(DmaResult::ok);
    write(R::cmd, kFre | kSt);
    write(R::ci, 1);
    ASSERT_EQ(bus.asked.size(), 2U) << "the header";
    write(R::cmd, kFre);
    EXPECT_EQ(port.read(R::cmd) & kCr, kCr);
    EXPECT_EQ(port.read(R::cmd) & kFre, kFre);
    write(R::cmd, 0);
    EXPECT_EQ(port.read(R::cmd) & (kFre | kFr | kCr), kCr) << "GRUB clears FRE before CR has fallen";
    port.access_done(DmaResult::ok);
    EXPECT_EQ(port.read(R::cmd) & kCr, 0U);
    EXPECT_EQ(bus.asked.size(), 2U);
    EXPECT_TRUE(bus.sent.empty());
}

// Two buffers. A reset empties both, except one that an access still reads.
TEST_F(PortTest, BuffersAfterAReset) {
    const FisHeader fis = encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1});
    EXPECT_TRUE(receive(fis));
    EXPECT_FALSE(receive(fis)) << "no room for a third";
    const int resets = bus.resets;
    write(R::sctl, kDetReset);
    EXPECT_EQ(bus.resets, resets + 1);
    EXPECT_EQ(bus.ready, 1);
    write(R::sctl, 0);
    EXPECT_FALSE(receive(fis)) << "the one that is posted, and this";
    port.access_done(DmaResult::ok);
    EXPECT_EQ(bus.ready, 2);
    ASSERT_EQ(bus.asked.size(), 2U);
    EXPECT_EQ(port.read(R::sig), kNoSignature) << "what came before the reset was forgotten";
    port.access_done(DmaResult::ok);
    EXPECT_EQ(port.read(R::sig), 0x101U);
}

// A FIS that was announced before a reset must not arrive after it.
TEST_F(PortTest, AFrameFromBeforeAResetDoesNotArrive) {
    const FisHeader fis = encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1});
    EXPECT_TRUE(port.take_frame({fis.bytes.data(), fis.length}, {}));
    port.reset();
    port.frame_arrived();
    EXPECT_TRUE(bus.asked.empty());
    EXPECT_EQ(port.read(R::sig), kNoSignature);
}

}  // namespace
}  // namespace solidtlm::hw::ahci
