// SPDX-License-Identifier: Apache-2.0
//
// The core's access to flash and DRAM.
#include <gtest/gtest.h>

#include <cstring>

#include "hw/core/core_test_bench.h"
#include "hw/core/firmware_core.h"
#include "hw/dram/dram.h"
#include "hw/tlm/report_guard.h"

namespace solidtlm::hw {
namespace {

using hal::Channel;
using hal::Die;
using hal::Stage;
using namespace std::chrono_literals;

/// An operation that records when it was done.
struct Operation {
    Operation(Channel channel, Die die, hal::FlashOpcode opcode = hal::FlashOpcode::read) {
        op.opcode = opcode;
        op.address[0].channel = channel;
        op.address[0].die = die;
        op.done = {[](void* self) {
                       auto* operation = static_cast<Operation*>(self);
                       operation->done_at.push_back(now());
                   },
                   this};
    }
    hal::FlashOp op;
    std::vector<Ps> done_at;
};

TEST(FirmwareCoreFlash, SubmitsToItsChannelAndCountsPending) {
    CoreBench bench("bench");
    run(1ns);
    Operation read(Channel{1}, Die{2});
    Operation program(Channel{1}, Die{2}, hal::FlashOpcode::program);
    Operation erase(Channel{0}, Die{3}, hal::FlashOpcode::erase);
    bench.core.submit(read.op);
    bench.core.submit(program.op);
    bench.core.submit(erase.op);
    EXPECT_EQ(bench.flash1.ops, (std::vector{&read.op, &program.op}));
    EXPECT_EQ(bench.flash0.ops, std::vector{&erase.op});
    EXPECT_EQ(bench.core.pending(Channel{1}, Die{2}), 2U);
    EXPECT_EQ(bench.core.pending(Channel{0}, Die{3}), 1U);
    EXPECT_EQ(bench.core.pending(Channel{0}, Die{2}), 0U);
    bench.flash1.finish(1);
    EXPECT_EQ(program.done_at.size(), 1U);
    EXPECT_TRUE(read.done_at.empty()) << "completion order is the controller's";
    EXPECT_EQ(bench.core.pending(Channel{1}, Die{2}), 1U);
    bench.flash1.finish(0);
    bench.flash0.finish(0);
    EXPECT_EQ(bench.core.pending(Channel{1}, Die{2}), 0U);
    EXPECT_EQ(bench.core.statistics().flash_ops, 3U);
}

TEST(FirmwareCoreFlash, IsNotifiedInTheInstantInWhichTheControllerIsDone) {
    CoreBench bench("bench");
    Operation first(Channel{0}, Die{0});
    Operation second(Channel{0}, Die{1});
    bench.at(10ns, [&] {
        bench.core.submit(first.op);
        bench.core.submit(second.op);
    });
    bench.at(100ns, [&] { bench.flash0.finish(1); });
    bench.at(125ns, [&] { bench.flash0.finish(0); });
    run(1us);
    EXPECT_EQ(first.done_at, std::vector<Ps>{125ns});
    EXPECT_EQ(second.done_at, std::vector<Ps>{100ns});
}

TEST(FirmwareCoreFlash, AnAnnotatedEndIsFatal) {
    CoreBench bench("bench");
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    run(1ns);
    Operation read(Channel{0}, Die{0});
    bench.core.submit(read.op);
    const ExpectReport expected("/ssd/core");
    EXPECT_THROW(bench.flash0.finish(0, Ps{1}), sc_core::sc_report);
}

TEST(FirmwareCoreFlash, CompletionWakesASleepingProgram) {
    CoreBench bench("bench");
    ScriptedProgram program;
    Operation read(Channel{0}, Die{0});
    program.script.emplace_back([&] {
        read.op.done = program.kick;
        bench.core.submit(read.op);
        return hal::Slice{};
    });
    program.busy(5);
    bench.core.load(program);
    bench.at(700ns, [&] { bench.flash0.finish(0); });
    run(1us);
    EXPECT_EQ(program.stepped_at, (std::vector<Ps>{0ns, 700ns, 710ns}));
}

TEST(FirmwareCoreFlash, APowerCutForgetsOperationsUnderWay) {
    CoreBench bench("bench");
    run(1ns);
    auto lost = std::make_unique<Operation>(Channel{0}, Die{0});
    bench.core.submit(lost->op);
    bench.core.power_cut();
    bench.flash0.ops.clear();  // the controller has no power either
    lost.reset();              // the firmware's memory is gone
    EXPECT_EQ(bench.core.pending(Channel{0}, Die{0}), 0U);
    Operation fresh(Channel{0}, Die{0});
    bench.core.submit(fresh.op);
    EXPECT_EQ(bench.core.pending(Channel{0}, Die{0}), 1U);
    bench.flash0.finish(0);
    EXPECT_EQ(bench.core.pending(Channel{0}, Die{0}), 0U);
    EXPECT_EQ(fresh.done_at.size(), 1U);
}

TEST(FirmwareCoreFlash, FactoryBadAsksThePlatform) {
    CoreBench bench("bench");
    bench.core.set_factory_bad([](const hal::FlashAddress& address) { return address.block.value == 7; });
    hal::FlashAddress address{};
    EXPECT_FALSE(bench.core.factory_bad(address));
    address.block = hal::Block{7};
    EXPECT_TRUE(bench.core.factory_bad(address));
}

TEST(FirmwareCoreFlash, UnknownDieIsFatal) {
    CoreBench bench("bench");
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    const ExpectReport expected("/ssd/core");
    EXPECT_THROW((void)bench.core.pending(Channel{2}, Die{0}), sc_core::sc_report);
    EXPECT_THROW((void)bench.core.pending(Channel{0}, Die{4}), sc_core::sc_report);
}

TEST(FirmwareCoreDram, AccessReportsWaitAndTransferAndStallsTheSlice) {
    CoreBench bench("bench");
    ScriptedProgram program;
    program.script.emplace_back([&] {
        Ps stall{0};
        for (int i = 0; i < 2; ++i) {
            const auto access = bench.core.core_access(hal::DramAddress{4096}, 64, i == 1, stall);
            EXPECT_EQ(access.wait, bench.dram.wait);
            EXPECT_EQ(access.transfer, bench.dram.transfer);
            EXPECT_EQ(bench.dram.last_offset, stall);
            stall += access.wait + access.transfer;
        }
        return hal::Slice{false, 10, stall, hal::Cause::map};
    });
    bench.core.load(program);
    run(1us);
    EXPECT_EQ(bench.dram.last_command, tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(bench.dram.last_address, 4096U);
    EXPECT_EQ(program.stepped_at.at(1), 20ns + 2 * (bench.dram.wait + bench.dram.transfer));
    EXPECT_EQ(bench.core.statistics().stall[static_cast<std::size_t>(hal::Cause::map)],
              2 * (bench.dram.wait + bench.dram.transfer));
}

/// Only binds the DRAM's host port.
struct SilentHost : sc_core::sc_module {
    explicit SilentHost(const sc_core::sc_module_name& name) : sc_module(name) {}
    tlm_utils::simple_initiator_socket<SilentHost> dram_init{"dram_init"};
};

TEST(FirmwareCoreDram, ContentIsTheRealDramsStore) {
    const DramConfig config;
    FakeFlash flash("flash");
    Dram dram("dram", config, 0);
    FirmwareCore core("core", CoreConfig{}, config, 1, 1);
    SilentHost host("host");
    ProtocolCheckers checkers;
    checkers.join(host.dram_init, dram.host_target);
    core.flash_init[0].bind(flash.core_target);
    checkers.join(core.dram_init, dram.core_target);
    run(1ns);
    const std::uint64_t identity = 0x1122334455667788U;
    std::memcpy(core.content(hal::DramAddress{1024}), &identity, sizeof identity);
    EXPECT_EQ(std::memcmp(dram.content(hal::DramAddress{1024}), &identity, sizeof identity), 0);
    EXPECT_EQ(core.content(hal::DramAddress{1536}) - core.content(hal::DramAddress{1024}), 8);
    EXPECT_EQ(core.size_bytes(), config.size_bytes);
    // 64 bytes from a closed row at DDR3-1600 11-11-11 x16.
    const auto access = core.core_access(hal::DramAddress{0}, 64, false, Ps{0});
    EXPECT_EQ(access.transfer, 2 * Ps{13'750} + Ps{20'000});
    dram.power_cut();
    EXPECT_EQ(std::to_integer<int>(*core.content(hal::DramAddress{1024})), 0);
}

}  // namespace
}  // namespace solidtlm::hw
