// SPDX-License-Identifier: Apache-2.0
//
// Registers as in AHCI 1.3.1, section 3.
#include "hw/ahci/test_bench.h"

namespace solidtlm::hw::ahci::test {
namespace {

using R = PortRegister;
using namespace std::chrono_literals;

TEST_F(AhciTest, RegistersAfterPowerOn) {
    AhciConfig config;
    config.ports = 3;
    build(config, 1);
    go([&] {
        // S64A, SNCQ, SCLO, ISS 3, SAM, PMD, 32 slots, 3 ports
        EXPECT_EQ(load(Global::cap), 0xC1349F02U);
        EXPECT_EQ(load(Global::ghc), 0x80000000U) << "AE";
        EXPECT_EQ(load(Global::pi), 0x7U);
        EXPECT_EQ(load(Global::vs), 0x00010301U);
        EXPECT_EQ(processor->load(0x24), 0U) << "CAP2";
        EXPECT_TRUE(ready(0));
        EXPECT_EQ(load(0, R::ssts), 0x133U) << "active, 6 Gb/s, present";
        EXPECT_EQ(load(0, R::sig), 0x00000101U) << "a disk";
        EXPECT_EQ(load(0, R::tfd), 0x0150U) << "diagnostics passed";
        EXPECT_EQ(load(0, R::cmd), kSud | kPod);
        EXPECT_EQ(load(0, R::serr), kSerrExchanged | kSerrPhyReady);
        EXPECT_EQ(load(0, R::is), kPcs | kPrcs);
        EXPECT_EQ(load(1, R::ssts), 0U) << "no drive";
        EXPECT_EQ(load(1, R::sig), 0xFFFFFFFFU);
        EXPECT_EQ(load(1, R::tfd), 0x7FU);
        EXPECT_EQ(load(3, R::cmd), 0U) << "no port";
    });
}

// The bits that each register of a port accepts, from all ones and all zeros (3.3); ST is 0.
TEST_F(AhciTest, WritesReachOnlyBitsThatMayBeWritten) {
    struct Expected {
        std::uint32_t offset;
        Word ones;
        Word zeros;
    };
    build(AhciConfig{}, 0);
    go([&] {
        for (const auto& [offset, ones, zeros] :
             {Expected{0x00, 0xFFFFFC00, 0}, Expected{0x04, 0xFFFFFFFF, 0}, Expected{0x08, 0xFFFFFF00, 0},
              Expected{0x0C, 0xFFFFFFFF, 0}, Expected{0x10, 0, 0}, Expected{0x14, 0x7DC0007F, 0},
              Expected{0x1C, 0, 0}, Expected{0x20, 0x7F, 0x7F}, Expected{0x24, 0xFFFFFFFF, 0xFFFFFFFF},
              Expected{0x28, 0, 0}, Expected{0x2C, 0xFF0, 0}, Expected{0x30, 0, 0}, Expected{0x34, 0, 0},
              Expected{0x38, 0, 0}, Expected{0x3C, 0, 0}, Expected{0x40, 0, 0}, Expected{0x44, 0, 0},
              Expected{0x70, 0, 0}}) {
            processor->store(kPortBase + offset, 0xFFFFFFFF);
            EXPECT_EQ(processor->load(kPortBase + offset), ones) << std::hex << offset;
            processor->store(kPortBase + offset, 0);
            EXPECT_EQ(processor->load(kPortBase + offset), zeros) << std::hex << offset;
        }
        for (const std::uint32_t offset : {0x00U, 0x0CU, 0x10U, 0x14U, 0x24U, 0x28U, 0xA0U}) {
            const std::uint64_t before = processor->load(offset);
            processor->store(offset, ~before);
            EXPECT_EQ(processor->load(offset), before) << std::hex << offset;
        }
        store(Global::ghc, kGhcIe);
        EXPECT_EQ(load(Global::ghc), kGhcAe | kGhcIe) << "AE cannot be cleared where SAM is set";
    });
}

TEST_F(AhciTest, AccessesOfEverySizeThatTheStandardAllows) {
    build(AhciConfig{}, 0);
    go([&] {
        processor->store(kPortBase, 0x11223344AABBCC00, 8);
        EXPECT_EQ(load(0, R::clb), 0xAABBCC00U);
        EXPECT_EQ(load(0, R::clbu), 0x11223344U);
        EXPECT_EQ(processor->load(kPortBase, 8), 0x11223344AABBCC00U);
        EXPECT_EQ(processor->load(kPortBase + 6, 2), 0x1122U);
        EXPECT_EQ(processor->load(kPortBase + 5, 1), 0x33U);
        processor->store(kPortBase + 5, 0x99, 1);
        processor->store(kPortBase + 2, 0xEEDD, 2);
        EXPECT_EQ(processor->load(kPortBase, 8), 0x11229944EEDDCC00U);
        // ones written to one byte of a register that ones clear leave the other bytes unchanged
        store(0, R::ie, 0x40000001);
        processor->store(at(0, R::ie) + 3, 0, 1);
        EXPECT_EQ(load(0, R::ie), 1U);
    });
}

TEST_F(AhciTest, RefusesInvalidAccesses) {
    build(AhciConfig{}, 0);
    go([&] {
        std::array<unsigned char, 16> data{};
        std::array<unsigned char, 16> enables{};
        constexpr auto kRead = tlm::TLM_READ_COMMAND;
        EXPECT_EQ(processor->transport(kRead, 0, data.data(), 4, {}, 0, enables.data()),
                  tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        for (const std::uint32_t bytes : {3U, 5U, 16U}) {
            EXPECT_EQ(processor->transport(kRead, 0, data.data(), bytes), tlm::TLM_BURST_ERROR_RESPONSE);
        }
        EXPECT_EQ(processor->transport(kRead, 0, data.data(), 8, {}, 4), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(processor->transport(kRead, 2, data.data(), 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(processor->transport(kRead, 4, data.data(), 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(processor->transport(kRead, kRegisterBytes, data.data(), 4),
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(processor->transport(kRead, ~std::uint64_t{7}, data.data(), 8),
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(processor->transport(tlm::TLM_IGNORE_COMMAND, 0, data.data(), 4),
                  tlm::TLM_COMMAND_ERROR_RESPONSE);
    });
}

// A processor that is ahead by its delay sees the register as it is at that later time. The signature comes
// after one frame of 20 bytes, ((5 + 3) * 256 / 254 + 95) * 6.667 ns = 687.1 ns.
TEST_F(AhciTest, AnAccessHappensWhenItsDelayAndItsOwnTimeHavePassed) {
    AhciConfig config;
    config.register_access = 100ns;
    build(config, 1);
    go([&] {
        std::array<std::byte, 4> data{};
        const auto tfd = [&](Ps delay) {
            processor->transport(tlm::TLM_READ_COMMAND, at(0, R::tfd), data.data(), 4, to_sc_time(delay));
            return std::to_integer<unsigned>(data[0]);
        };
        EXPECT_EQ(tfd(580ns), 0xFFU) << "BSY, at 680 ns";
        EXPECT_EQ(kernel_now(), 680ns);
        EXPECT_EQ(tfd(0ns), 0x50U) << "at 780 ns";
        EXPECT_EQ(kernel_now(), 780ns);
    });
    EXPECT_EQ(hba->statistics().register_reads, 2U);
}

// An initiator that uses non-blocking transport: the socket answers after the time of the access.
struct QueuedInitiator : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<QueuedInitiator> init{"init"};
    explicit QueuedInitiator(const sc_core::sc_module_name& name) : sc_module(name) {
        init.register_nb_transport_bw(this, &QueuedInitiator::nb_transport_bw);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::BEGIN_RESP) {
            status = payload.get_response_status();
            answered = kernel_now() + to_ps(delay);
            return tlm::TLM_COMPLETED;
        }
        return tlm::TLM_ACCEPTED;
    }
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    Ps answered{0};
};

TEST(AhciRegisters, ByNonBlockingTransport) {
    AhciConfig config;
    config.register_access = 100ns;
    AhciHba hba("hba", config);
    QueuedInitiator initiator("initiator");
    Memory memory("memory", 4096);
    sc_core::sc_signal<bool> line("line");
    ProtocolCheckers checkers;
    checkers.join(initiator.init, hba.register_target);
    checkers.join(hba.dma_init, memory.target);
    hba.interrupt.bind(line);
    run(1us);
    PayloadPool<FisExtension> pool{1};
    std::array<std::byte, 4> data{};
    tlm::tlm_generic_payload& payload = pool.take(tlm::TLM_READ_COMMAND, 0x10, data.data(), 4);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(30ns);
    initiator.init->nb_transport_fw(payload, phase, delay);
    run(1us);
    EXPECT_EQ(initiator.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(initiator.answered, 1130ns);
    EXPECT_EQ(get_little_endian(data), kVersion);
    payload.release();
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(AhciTest, DebugReadsTakeNoTimeAndHaveNoEffect) {
    AhciConfig config;
    config.register_access = 1us;
    build(config, 0);
    run(1us);
    tlm::tlm_generic_payload payload;
    std::array<std::byte, 24> data{};
    payload.set_read();
    payload.set_address(0x02);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    payload.set_data_length(data.size());
    EXPECT_EQ(processor->init->transport_dbg(payload), data.size());
    EXPECT_EQ(get_little_endian(std::span(data).subspan(14, 4)), kVersion) << "0x10 from 0x02";
    payload.set_address(kRegisterBytes - 4);
    EXPECT_EQ(processor->init->transport_dbg(payload), 4U);
    payload.set_write();
    EXPECT_EQ(processor->init->transport_dbg(payload), 0U);
    EXPECT_EQ(kernel_now(), 1us);
    EXPECT_EQ(hba->statistics().register_reads, 0U);
}

// The adapter supports 1 to 32 ports.
TEST_F(AhciTest, ThirtyTwoPorts) {
    AhciConfig config;
    config.ports = 32;
    build(config, 0, 32);
    run(1us);
    for (const auto& puppet : puppets) {
        puppet->device.send(encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1}));
    }
    go([&] {
        EXPECT_EQ(load(Global::cap) & 0x1F, 31U);
        EXPECT_EQ(load(Global::pi), 0xFFFFFFFFU);
        for (std::uint32_t port = 0; port < 32; ++port) {
            EXPECT_TRUE(ready(port));
            EXPECT_EQ(load(port, R::sig), 0x101U);
        }
    });
}

}  // namespace
}  // namespace solidtlm::hw::ahci::test
