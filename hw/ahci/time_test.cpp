// SPDX-License-Identifier: Apache-2.0
//
// The adapter's work takes the sum of the times of its parts, worked by hand. A frame of n dwords takes ((n +
// 3) * 256 / 254 + 95) * 6.667 ns (hw/sata/frame_timing.h).
#include <algorithm>

#include "hw/ahci/test_bench.h"

namespace solidtlm::hw::ahci::test {
namespace {

using R = PortRegister;
using ata::Opcode;
using namespace std::chrono_literals;

class AhciTime : public AhciTest {
  protected:
    /// An access of `dwords` dwords: 50 ns of the adapter, 10 ns per dword, 100 ns of the memory.
    static Ps access(std::int64_t dwords) { return 150ns + 10ns * dwords; }

    void measure(const RegisterH2d& fis, const std::vector<Prd>& prds, Ps expected) {
        AhciConfig config;
        config.register_access = 20ns;
        config.dma_access = 50ns;
        config.dma_dword = 10ns;
        build(config, 1);
        memory->time = 100ns;
        go([&] {
            store(Global::ghc, kGhcIe);
            start(0, kDhrs | kPss);
            prepare(0, 0, fis, prds);
            pause(1ms);
            issue(0, 1);
            const Ps issued = kernel_now();
            sc_core::wait(line.posedge_event());
            EXPECT_EQ(kernel_now() - issued, expected);
        });
    }
    static Ps frame(std::uint64_t dwords) { return FrameTiming(SataConfig{}).frame_time(dwords * 4); }
    [[nodiscard]] const AhciStatistics::Dma& dma(DmaKind kind) const {
        return hba->statistics().dma[static_cast<std::size_t>(kind)];
    }
};

// Header (8 dwords) and command FIS (5) are fetched, the FIS is sent, and the answer comes and is posted.
TEST_F(AhciTime, ACommandWithoutData) {
    measure(command(Opcode::flush_cache_ext), {}, access(8) + access(5) + 2 * frame(5) + access(5));
    EXPECT_EQ(dma(DmaKind::command_header).time, access(8));
    EXPECT_EQ(dma(DmaKind::command_header).bytes, 32U);
    EXPECT_EQ(dma(DmaKind::command_fis).time, access(5));
    EXPECT_EQ(dma(DmaKind::received_fis).accesses, 2U) << "the signature, too";
}

// PIO Setup is posted while the Data FIS arrives. Then a PRD (4 dwords), 128 dwords of data, and PRDBC.
TEST_F(AhciTime, IdentifyDevice) {
    measure(command(Opcode::identify_device), {{buffer(0), 512, false}},
            access(8) + access(5) + 2 * frame(5) + frame(129) + access(4) + access(128) + access(1));
    EXPECT_EQ(dma(DmaKind::prd).time, access(4));
    EXPECT_EQ(dma(DmaKind::data).time, access(128));
    EXPECT_EQ(dma(DmaKind::byte_count).time, access(1));
}

// In bursts of 64 bytes, an access at 32 takes 32, seven times 64, and 32 bytes: nine accesses.
TEST_F(AhciTest, BurstsAreSeparateAccesses) {
    AhciConfig config;
    config.dma_burst_bytes = 64;
    config.dma_access = 50ns;
    build(config, 1);
    go([&] {
        start(0);
        prepare(0, 0, command(Opcode::identify_device), {{buffer(0) + 32, 512, false}});
        memory->log.clear();
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1));
    });
    const auto data = std::ranges::count_if(
        memory->log, [](const Memory::Access& access) { return access.address >= buffer(0); });
    EXPECT_EQ(data, 9);
    EXPECT_EQ(hba->statistics().dma[static_cast<std::size_t>(DmaKind::data)].time, 9 * 50ns);
}

}  // namespace
}  // namespace solidtlm::hw::ahci::test
