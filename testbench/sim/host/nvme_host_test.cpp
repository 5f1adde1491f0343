// SPDX-License-Identifier: Apache-2.0
//
// The NVMe host with a real controller. The firmware answers at once or after a fixed time, and the DRAM
// serves as the medium.
#include "testbench/sim/host/nvme_host.h"

#include "hw/nvme/device.h"
#include "testbench/sim/host/host_bench.h"
#include "testbench/sim/host/pacing/closed_loop.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

struct NvmeBench {
    explicit NvmeBench(const Pacing& pacing, const NvmeHostConfig& nvme = {}, HostConfig settings = {},
                       hal::ContentMode content = hal::ContentMode::tags)
        : shadow(content),
          device("device", config(content), hw::PcieConfig{}),
          dram("dram", content, content == hal::ContentMode::none ? 0 : kCapacity),
          firmware("firmware", device),
          host("host", Bench::with_content(settings, content), nvme, device, source, pacing, shadow) {
        device.interrupt.bind(line);
        checkers.join(device.dma_init, host.memory_target);
        checkers.join(device.dram_init, dram.host_target);
        device.agenda().set_quantum(Ps{0});
    }
    static hw::NvmeConfig config(hal::ContentMode content) {
        hw::NvmeConfig config;
        config.exported_sectors = kCapacity;
        config.content = content;
        return config;
    }
    void run(double ms = 10000) { sc_core::sc_start(ms, sc_core::SC_MS); }
    void cut_power() {
        host.settle();
        host.power_cut();
        device.power_cut();
        firmware.power_cut();
        dram.power_cut();
        checkers.power_cut();
        firmware.attach();
        device.power_on();
    }

    VectorSource source;
    Shadow shadow;
    hw::NvmeDevice device;
    hw::test::FakeDram dram;
    hw::test::FakeFirmware firmware;
    sc_core::sc_signal<bool> line{"line"};
    NvmeHost host;
    hw::ProtocolCheckers checkers;
};

void add_mix(VectorSource& source, std::uint64_t requests) {
    std::mt19937_64 random(3);
    for (std::uint64_t i = 0; i < requests; ++i) {
        const std::uint64_t sectors = 1 + random() % (i % 10 == 0 ? 600 : 40);
        source.add(random() % 2 == 0 ? Operation::read : Operation::write, random() % 2000, sectors);
    }
}

struct Way {
    const char* name;
    NvmeHostConfig nvme;
    std::uint32_t depth;
};
void PrintTo(const Way& way, std::ostream* out) {
    *out << way.name;
}
class NvmeHosts : public ::testing::TestWithParam<Way> {};

TEST_P(NvmeHosts, ReadBackWrittenData) {
    const ClosedLoop pacing(GetParam().depth);
    NvmeBench bench(pacing, GetParam().nvme);
    bench.firmware.delay = Ps{20'000'000};
    add_mix(bench.source, 1000);
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    EXPECT_GT(bench.shadow.verified, 400U);
    EXPECT_EQ(bench.host.statistics().failed, 0U);
    EXPECT_EQ(bench.host.latency_excess(), Ps{0});
    EXPECT_GT(bench.shadow.deepest, std::min(GetParam().depth, GetParam().nvme.commands) / 4);
    EXPECT_LE(bench.shadow.deepest, GetParam().nvme.commands);
    EXPECT_EQ(bench.device.statistics().messages > 1000, !GetParam().nvme.polls);
}

INSTANTIATE_TEST_SUITE_P(Ways, NvmeHosts,
                         ::testing::Values(Way{"one_queue", {1, 1024, 65, 32, false}, 32},
                                           Way{"four_queues", {4, 64, 65, 64, false}, 64},
                                           Way{"polled", {2, 64, 65, 32, true}, 8},
                                           Way{"smallest_queues", {3, 2, 65, 3, false}, 32},
                                           Way{"one_vector", {2, 16, 1, 16, false}, 16},
                                           Way{"shared_vectors", {4, 16, 3, 16, false}, 16}),
                         [](const auto& way) { return std::string(way.param.name); });

TEST(NvmeHost, MovesBytes) {
    const ClosedLoop pacing(16);
    NvmeBench bench(pacing, {}, {}, hal::ContentMode::bytes);
    add_mix(bench.source, 300);
    bench.run();
    EXPECT_GT(bench.shadow.verified, 100U);
    EXPECT_EQ(bench.host.statistics().failed, 0U);
}

// 600 sectors become three commands of 256, 256 and 88: MDTS allows 256.
TEST(NvmeHost, CutsRequestsByTheControllersLimit) {
    const ClosedLoop pacing(1);
    NvmeBench bench(pacing);
    bench.source.add(Operation::read, 8, 600);
    bench.run();
    std::vector<std::uint32_t> sectors;
    for (const auto& seen : bench.firmware.seen) {
        sectors.push_back(seen.sectors);
    }
    EXPECT_EQ(sectors, (std::vector<std::uint32_t>{256, 256, 88}));
}

TEST(NvmeHost, TrimsAsManyRangesAsACommandHolds) {
    const ClosedLoop pacing(1);
    NvmeBench bench(pacing);
    std::vector<TrimRange> ranges;
    for (std::uint64_t i = 0; i < 300; ++i) {
        ranges.push_back({Lba{i * 100}, 10});
    }
    bench.source.add_trim(ranges, true);
    bench.source.add_trim({{Lba{100}, 150'000}}, true);
    bench.source.add(Operation::flush, 0, 0);
    bench.run();
    ASSERT_EQ(bench.firmware.seen.size(), 4U);
    EXPECT_EQ(bench.firmware.seen[0].ranges.size(), 256U);
    EXPECT_EQ(bench.firmware.seen[1].ranges.size(), 44U);
    ASSERT_EQ(bench.firmware.seen[2].ranges.size(), 1U) << "a range has 32 bits";
    EXPECT_EQ(bench.firmware.seen[2].ranges[0].lba, Lba{100});
    EXPECT_EQ(bench.firmware.seen[2].ranges[0].sectors, 150'000U);
    EXPECT_EQ(bench.firmware.seen[3].opcode, hal::HostOpcode::flush);
    EXPECT_EQ(bench.host.statistics().failed, 0U);
}

// Only the failing command fails; no command is sent again.
TEST(NvmeHost, LearnsOfEachErrorAndContinues) {
    const ClosedLoop pacing(8);
    NvmeBench bench(pacing);
    bench.firmware.failures = {{24, hal::HostStatus::uncorrectable}, {40, hal::HostStatus::write_fault}};
    for (std::uint64_t i = 0; i < 20; ++i) {
        bench.source.add(i == 5 ? Operation::write : Operation::read, i * 8, 8);
    }
    bench.source.add(Operation::read, kCapacity - 4, 8);
    bench.run();
    ASSERT_EQ(bench.shadow.done.size(), 21U);
    EXPECT_EQ(bench.host.statistics().failed, 3U);
    EXPECT_EQ(bench.host.statistics().reissued, 0U);
    for (const Shadow::Done& done : bench.shadow.done) {
        const FailureKind expected = done.request == 3   ? FailureKind::uncorrectable
                                     : done.request == 5 ? FailureKind::write_fault
                                                         : FailureKind::id_not_found;
        const bool fails = done.request == 3 || done.request == 5 || done.request == 20;
        EXPECT_EQ(done.status, fails ? CommandStatus::failed : CommandStatus::ok) << done.request;
        EXPECT_TRUE(!fails || done.failure == expected) << done.request;
    }
}

// Eight requests of one instant are four for each of two queues: one doorbell per queue, then one after each
// completion, and two for each of the seven commands of the driver.
TEST(NvmeHost, RingsOnceForCommandsOfOneInstant) {
    const ClosedLoop pacing(8);
    NvmeBench bench(pacing, {2, 64, 65, 8, true});
    for (std::uint64_t i = 0; i < 8; ++i) {
        bench.source.add(Operation::read, i * 8, 8);
    }
    bench.run();
    constexpr std::uint64_t kOfTheDriver = 2 * 6;  // Identify, Set Features, and two commands for each pair
    EXPECT_EQ(bench.device.statistics().doorbells, kOfTheDriver + 2 + 8);
    EXPECT_EQ(bench.device.statistics().fetches, 6U + 8U) << "a burst of arbitration is one command";
}

TEST(NvmeHost, WaitsForOutstandingCommandsThatTouchTheSame) {
    const ClosedLoop pacing(8);
    NvmeBench bench(pacing, {4, 64, 65, 8, false});
    bench.firmware.delay = Ps{50'000'000};
    for (std::uint64_t i = 0; i < 6; ++i) {
        bench.source.add(i % 2 == 0 ? Operation::write : Operation::read, 8, 8);
    }
    bench.run();
    EXPECT_EQ(bench.shadow.deepest, 1U);
    EXPECT_EQ(bench.shadow.verified, 3U);
}

TEST(NvmeHost, TakesItsOwnTimeToo) {
    const ClosedLoop pacing(1);
    HostConfig settings;
    settings.interrupt_latency = 2us;
    settings.submit_time = 1us;
    settings.complete_time = 3us;
    NvmeHostConfig nvme;
    nvme.polls = true;
    NvmeBench bench(pacing, nvme, settings);
    bench.source.add(Operation::read, 8, 8);
    bench.run();
    const hal::Ledger& ledger = bench.shadow.last;
    EXPECT_EQ(ledger[hal::Stage::host_cpu], Ps{4'000'000});
    EXPECT_EQ(ledger[hal::Stage::interrupt_latency], Ps{2'000'000});
    EXPECT_EQ(ledger[hal::Stage::interrupt_wait], Ps{0});
    EXPECT_GT(ledger[hal::Stage::doorbell], Ps{0});
    EXPECT_GT(ledger[hal::Stage::sq_fetch], Ps{500'000});
}

TEST(NvmeHost, InterruptsTakeTheirWayUp) {
    const ClosedLoop pacing(1);
    NvmeBench bench(pacing);
    bench.source.add(Operation::read, 8, 8);
    bench.run();
    const hw::TlpTiming timing{hw::PcieConfig{}};
    EXPECT_EQ(bench.shadow.last[hal::Stage::interrupt_wait], timing.time(timing.write(0, 4)));
}

// At any instant, also while the driver starts: outstanding commands fail, and the host starts again.
TEST(NvmeHost, StartsAgainAfterAPowerCut) {
    const ClosedLoop pacing(16);
    NvmeBench bench(pacing, {3, 16, 65, 16, false});
    bench.firmware.delay = Ps{5'000'000};
    for (std::uint64_t i = 0; i < 400; ++i) {
        bench.source.add(Operation::read, i * 8, 8);
    }
    std::uint64_t lost = 0;
    for (const int ns : {0, 300, 2'000, 3'500, 9'000, 11'000, 12'345, 15'001, 20'000, 33'333}) {
        bench.run(ns * 1e-6);
        const std::uint64_t failed = bench.host.statistics().failed;
        bench.cut_power();
        EXPECT_EQ(bench.host.outstanding(), 0U);
        lost += bench.host.statistics().failed - failed;
    }
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    EXPECT_GT(lost, 16U);
    EXPECT_EQ(bench.host.statistics().failed, lost);
    EXPECT_EQ(bench.host.statistics().completed + lost, 400U);
}

TEST(NvmeHost, SetsTheWriteCacheAndShutsDown) {
    const ClosedLoop pacing(4);
    HostConfig settings;
    settings.write_cache = false;
    NvmeBench bench(pacing, {}, settings);
    bench.source.add(Operation::write, 8, 8);
    bench.run(1);
    ASSERT_TRUE(bench.host.finished());
    ASSERT_FALSE(bench.firmware.seen.empty());
    EXPECT_EQ(bench.firmware.seen.front().opcode, hal::HostOpcode::set_write_cache);
    EXPECT_FALSE(bench.firmware.seen.front().enable);
    EXPECT_EQ(bench.host.is_shut_down(), std::nullopt);
    bench.host.shut_down();
    bench.run(1);
    EXPECT_EQ(bench.host.is_shut_down(), true);
    EXPECT_EQ(bench.firmware.seen.back().opcode, hal::HostOpcode::flush);
}

TEST(NvmeHost, SaysThatTheDriveCouldNotWriteBack) {
    const ClosedLoop pacing(4);
    NvmeBench bench(pacing);
    bench.source.add(Operation::write, 8, 8);
    bench.run(1);
    bench.firmware.failures = {{0, hal::HostStatus::write_fault}};
    bench.firmware.fail_once = true;
    bench.host.shut_down();
    bench.run(1);
    EXPECT_EQ(bench.host.is_shut_down(), false);
}

}  // namespace
}  // namespace solidtlm::testbench
