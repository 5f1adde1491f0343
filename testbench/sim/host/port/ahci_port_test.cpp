// SPDX-License-Identifier: Apache-2.0
//
// The costs of a command on a host with an adapter, worked out by hand: 6 Gb/s, 4 KiB, one command at a time;
// firmware and DRAM take no time.
#include "testbench/sim/host/port/ahci_port.h"

#include <gtest/gtest.h>

#include "testbench/sim/host/host_bench.h"
#include "testbench/sim/host/pacing/closed_loop.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;
using hal::Stage;

constexpr Ps kRegister = 500ns;
constexpr Ps kAccess = 200ns;
constexpr Ps kDword = 1ns;

Ps dma(std::int64_t accesses, std::int64_t dwords) {
    return kAccess * accesses + kDword * dwords;
}

struct AdapterCost : testing::Test {
    /// The ledger of a lone command that follows others of its kind.
    hal::Ledger lone(Operation operation, const AhciPortConfig& adapter) {
        SataConfig sata;
        sata.content = hal::ContentMode::bytes;
        bench = std::make_unique<Bench>(sata, pacing, HostConfig{}, adapter);
        for (std::uint64_t i = 0; i < 5; ++i) {
            bench->source.add(operation, i * 8, 8);
        }
        bench->run();
        EXPECT_EQ(bench->shadow.done.size(), 5U);
        return bench->shadow.last;
    }
    static AhciPortConfig costly() {
        AhciPortConfig config;
        config.adapter.register_access = kRegister;
        config.adapter.dma_access = kAccess;
        config.adapter.dma_dword = kDword;
        return config;
    }

    const ClosedLoop pacing{1};
    std::unique_ptr<Bench> bench;
};

// PxSACT and PxCI; then IS, PxIS, PxIS cleared, PxSACT, PxCI. IS is cleared after the command has ended.
constexpr int kAccessesOfADriver = 2 + 5;
// Header and command FIS.
const Ps kFetch = dma(2, 8 + 5);

TEST_F(AdapterCost, Read) {
    const hal::Ledger ledger = lone(Operation::read, costly());
    EXPECT_EQ(ledger[Stage::host_cpu], kRegister * kAccessesOfADriver);
    EXPECT_EQ(ledger[Stage::hba_fetch], kFetch);
    // The posted DMA Setup, header, PRD and data overlap with the frames; the status waits for them.
    const Ps behind = dma(4, 7 + 8 + 4 + 1024) + dma(1, 2);
    EXPECT_LT(ledger[Stage::hba_dma], behind);
    EXPECT_GT(ledger[Stage::hba_dma], dma(1, 2));
    EXPECT_EQ(ledger[Stage::interrupt_wait], Ps{0});
}

TEST_F(AdapterCost, Write) {
    const hal::Ledger ledger = lone(Operation::write, costly());
    EXPECT_EQ(ledger[Stage::host_cpu], kRegister * kAccessesOfADriver);
    EXPECT_EQ(ledger[Stage::hba_fetch], kFetch);
    // The posted DMA Setup, header, PRD and data precede the Data FIS; then comes the status.
    EXPECT_EQ(ledger[Stage::hba_dma], dma(4, 7 + 8 + 4 + 1024) + dma(1, 2));
}

TEST_F(AdapterCost, MemoryInPieces) {
    AhciPortConfig config = costly();
    config.prd_bytes = 1024;
    const hal::Ledger ledger = lone(Operation::write, config);
    EXPECT_EQ(ledger[Stage::hba_dma], dma(2 + 2 * 4, 7 + 8 + 4 * 4 + 1024) + dma(1, 2));
}

TEST_F(AdapterCost, ACommandHasNoMorePrdsThanItsTable) {
    AhciPortConfig config;
    config.prd_bytes = 4096;
    config.max_sectors = 65536;
    EXPECT_EQ(config.sectors(), 168U * 8U);
    config.max_sectors = 256;
    EXPECT_EQ(config.sectors(), 256U);
}

TEST_F(AdapterCost, TheLatencyOfInterruptsIsAStageOfItsOwn) {
    AhciPortConfig config = costly();
    config.interrupt_latency = 30us;
    const hal::Ledger ledger = lone(Operation::write, config);
    EXPECT_EQ(ledger[Stage::interrupt_latency], 30us);
    EXPECT_EQ(ledger[Stage::interrupt_wait], Ps{0});
    EXPECT_EQ(ledger[Stage::host_cpu], kRegister * kAccessesOfADriver);
    EXPECT_EQ(ledger[Stage::hba_dma], dma(4, 7 + 8 + 4 + 1024) + dma(1, 2)) << "as without";
}

TEST_F(AdapterCost, TheLatencyOfInterruptsOccupiesNothing) {
    AhciPortConfig adapter;
    adapter.interrupt_latency = 100us;
    SataConfig sata;
    sata.content = hal::ContentMode::bytes;
    const ClosedLoop eight{8};
    bench = std::make_unique<Bench>(sata, eight, HostConfig{}, adapter);
    for (std::uint64_t i = 0; i < 80; ++i) {
        bench->source.add(Operation::read, i * 8, 8);
    }
    bench->run();
    ASSERT_EQ(bench->shadow.done.size(), 80U);
    const Ps span = bench->shadow.done.back().completed_at - bench->shadow.done.front().arrival;
    EXPECT_LT(span, 40 * 100us) << "eight at a time, and less than another interrupt's time on the link";
    EXPECT_GT(span, 10 * 100us);
}

// Without these costs, a lone command takes as long as on a port without an adapter.
TEST_F(AdapterCost, NoneWithoutTimes) {
    const hal::Ledger ledger = lone(Operation::write, AhciPortConfig{});
    EXPECT_EQ(ledger[Stage::host_cpu] + ledger[Stage::hba_fetch] + ledger[Stage::hba_dma], Ps{0});
}

}  // namespace
}  // namespace solidtlm::testbench
