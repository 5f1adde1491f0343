// SPDX-License-Identifier: Apache-2.0
//
// The host behind a port that takes no time.
#include "testbench/sim/host/ata_host.h"
#include "hw/tlm/test_printing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hw/sata/health_pages.h"
#include "testbench/sim/host/host_bench.h"
#include "testbench/sim/host/pacing/as_fast_as_possible.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/host/pacing/open_loop.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

TEST(GivenContents, GoOutAndComeBackInSeveralCommands) {
    SataConfig config;
    config.content = hal::ContentMode::bytes;
    HostConfig host;
    host.max_sectors = 8;
    const AsFastAsPossible pacing;
    Bench bench(config, pacing, host);
    constexpr std::size_t kSectors = 20;
    std::vector<std::byte> written(kSectors * hal::kSectorBytes);
    for (std::size_t i = 0; i < written.size(); ++i) {
        written[i] = static_cast<std::byte>(i * 37 % 251);
    }
    std::vector<std::byte> found(written.size());
    bench.source.add(Operation::write, 100, kSectors);
    bench.source.requests.back().data = written;
    bench.source.add(Operation::read, 100, kSectors);
    bench.source.requests.back().data = found;
    bench.run();
    EXPECT_EQ(bench.shadow.done.size(), 6U) << "8 + 8 + 4 sectors, twice";
    EXPECT_EQ(found, written);
}

// ---- HostConfig::until
std::vector<Ps> arrivals_until(Ps until, const Pacing& pacing) {
    constexpr std::uint64_t kRequests = 200;
    HostConfig host;
    host.until = until;
    Bench bench(fast(), pacing, host);
    for (std::uint64_t i = 0; i < kRequests; ++i) {
        bench.source.add(Operation::read, i * 977 % (kCapacity - 8), 8);
        bench.source.requests.back().arrival = Ps{10us} * i;
    }
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    std::vector<Ps> arrivals;
    for (const auto& command : bench.shadow.done) {
        EXPECT_LT(command.arrival, until);
        arrivals.push_back(command.arrival);
    }
    std::ranges::sort(arrivals);
    EXPECT_EQ(bench.host.statistics().requests, arrivals.size());
    EXPECT_EQ(bench.host.statistics().dropped, arrivals.size() < kRequests ? 1U : 0U);
    return arrivals;
}

constexpr Ps kUntil{503us};

TEST(Until, OpenLoop) {
    const std::vector<Ps> arrivals = arrivals_until(kUntil, OpenLoop());
    ASSERT_GT(arrivals.size(), 40U);
    EXPECT_GE(arrivals.back() + Ps{10us}, kUntil) << "the next one arrives too late";
}

TEST(Until, ClosedLoop) {
    const std::vector<Ps> arrivals = arrivals_until(kUntil, ClosedLoop(4));
    ASSERT_GT(arrivals.size(), 10U);
    EXPECT_LT(arrivals.size(), 200U);
    EXPECT_GT(arrivals.back(), kUntil - Ps{30us});
}

TEST(Until, AsFastAsPossible) {
    const std::vector<Ps> arrivals = arrivals_until(kUntil, AsFastAsPossible());
    ASSERT_GT(arrivals.size(), 10U);
    EXPECT_LT(arrivals.size(), 200U);
}

TEST(Until, NothingArrivesInTime) {
    EXPECT_TRUE(arrivals_until(Ps{1}, ClosedLoop(4)).empty());
}

TEST(Until, EverythingArrivesInTime) {
    EXPECT_EQ(arrivals_until(Ps{1s}, ClosedLoop(4)).size(), 200U);
}

// ---- Throughput against the formula
double measured_seconds_per_command(const SataConfig& config, Operation operation, std::uint32_t sectors,
                                    int count) {
    const AsFastAsPossible pacing;
    Bench bench(config, pacing);
    for (int i = 0; i < count; ++i) {
        bench.source.add(operation, static_cast<std::uint64_t>(i) * 977 % (kCapacity - sectors), sectors);
    }
    bench.run();
    EXPECT_EQ(bench.shadow.done.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(bench.shadow.times_finished, 1);
    const Ps span = bench.shadow.done.back().completed_at - bench.shadow.done.front().arrival;
    return static_cast<double>(span.count()) * 1e-12 / count;
}

TEST(Throughput, FourKibibyteReadsAt6Gbps) {
    const double formula = link_seconds(read_frames(8), 95, 150);
    const double measured = measured_seconds_per_command(fast(), Operation::read, 8, 10000);
    EXPECT_NEAR(measured / formula, 1.0, 0.001) << "the link is never idle";
    EXPECT_NEAR(1.0 / measured, 97000, 500);
    EXPECT_LT(1.0 / measured, 100000);
}

TEST(Throughput, SequentialReadsOf128KiBAt6Gbps) {
    const double formula = link_seconds(read_frames(256), 95, 150);
    const double measured = measured_seconds_per_command(fast(), Operation::read, 256, 1000);
    EXPECT_NEAR(measured / formula, 1.0, 0.001);
    EXPECT_GT(131072 / measured, 555e6);
    EXPECT_LT(131072 / measured, 565e6);
}

TEST(Throughput, SequentialWritesOf128KiBAt6Gbps) {
    const double formula = link_seconds(write_frames(256), 95, 150);
    const double measured = measured_seconds_per_command(fast(), Operation::write, 256, 1000);
    EXPECT_NEAR(measured / formula, 1.0, 0.001);
    EXPECT_NEAR(131072 / measured, 538e6, 2e6);
}

TEST(Throughput, SequentialReadsAt3Gbps) {
    SataConfig config = fast();
    config.generation = SataGeneration::gen2;
    config.turnaround_dwords = 90;
    const double measured = measured_seconds_per_command(config, Operation::read, 256, 1000);
    EXPECT_NEAR(measured / link_seconds(read_frames(256), 90, 75), 1.0, 0.001);
    EXPECT_NEAR(131072 / measured, 281e6, 1e6) << "the fit for 3 Gb/s";
    EXPECT_GT(131072 / measured, 275e6);
    EXPECT_LT(131072 / measured, 285e6);
}

// ---- Random streams of all commands: contents and ledgers are checked, and no command is left over.
struct Stream {
    hal::ContentMode content;
    bool accept_only;
    std::uint32_t part_sectors;
    std::uint32_t piece_sectors;
    std::uint32_t coalesce;
    SataGeneration generation = SataGeneration::gen3;
    bool host_times = false;
    std::optional<AhciPortConfig> adapter = {};
};

void PrintTo(const Stream& stream, std::ostream* out) {
    PrintTo(stream.content, out);
    *out << (stream.accept_only ? ", DRAM answers later" : "") << ", parts " << stream.part_sectors
         << ", pieces " << stream.piece_sectors << ", coalesce " << stream.coalesce
         << (stream.generation == SataGeneration::ideal ? ", ideal link" : "")
         << (stream.host_times ? ", host times" : "");
    if (stream.adapter) {
        *out << ", AHCI PRDs of " << stream.adapter->prd_bytes;
    }
}

class RandomStream : public testing::TestWithParam<Stream> {};

TEST_P(RandomStream, RoundTripsAndLeavesNoResidual) {
    const Stream& stream = GetParam();
    SataConfig config;
    config.content = stream.content;
    config.coalesce_completions = stream.coalesce;
    config.generation = stream.generation;
    const ClosedLoop pacing(32);
    HostConfig host_config;
    host_config.max_sectors = 64;
    host_config.write_cache = true;
    if (stream.host_times) {
        host_config.submit_time = 3us;
        host_config.complete_time = 2us;
        host_config.coalesce_time = 50us;
        host_config.coalesce_completions = 5;
    }
    Bench bench(config, pacing, host_config, stream.adapter);
    bench.dram.accept_only = stream.accept_only;
    bench.dram.wait = 50ns;
    bench.dram.ps_per_byte = Ps{156};
    bench.firmware.delay = 2us;
    bench.firmware.between_parts = 500ns;
    bench.firmware.part_sectors = stream.part_sectors;
    bench.firmware.piece_sectors = stream.piece_sectors;
    std::mt19937_64 random(17);
    // each request stays in its region, so that outstanding requests do not overlap
    constexpr std::uint64_t kRegions = 256;
    const int count = 4000;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t region = static_cast<std::uint64_t>(i) % kRegions;
        const std::uint64_t size = kCapacity / kRegions;
        const std::uint64_t sectors = 1 + random() % 150;
        const std::uint64_t lba = region * size + random() % (size - sectors);
        const std::uint64_t kind = random() % 100;
        if (kind < 45) {
            bench.source.add(Operation::read, lba, sectors, kind < 43);
        } else if (kind < 92) {
            bench.source.add(Operation::write, lba, sectors, kind < 90);
            bench.source.requests.back().fua = kind == 60;
        } else if (kind < 97) {
            bench.source.add_trim({{Lba{lba}, 8}}, kind < 95);  // the medium of this test keeps trimmed data
        } else {
            bench.source.add(Operation::flush, 0, 0);
        }
    }
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    EXPECT_EQ(bench.host.statistics().requests, static_cast<std::uint64_t>(count));
    EXPECT_EQ(bench.host.statistics().failed, 0U);
    EXPECT_EQ(bench.shadow.done.size(), bench.host.statistics().completed);
    EXPECT_EQ(bench.device.slots_in_use(), 0U);
    EXPECT_EQ(bench.link.pending(), 0U);
    EXPECT_LE(bench.host.statistics().max_outstanding, 32U);
    EXPECT_GT(bench.shadow.verified, stream.content == hal::ContentMode::none ? 0U : 1000U);
}
INSTANTIATE_TEST_SUITE_P(
    Modes, RandomStream,
    testing::Values(Stream{hal::ContentMode::tags, false, 65536, 65536, 1},
                    Stream{hal::ContentMode::bytes, true, 8, 8, 4},
                    Stream{hal::ContentMode::tags, true, 24, 1, 32},
                    Stream{hal::ContentMode::tags, true, 24, 1, 32, SataGeneration::ideal},
                    Stream{hal::ContentMode::bytes, false, 3, 2, 1, SataGeneration::ideal},
                    Stream{hal::ContentMode::tags, false, 24, 8, 4, SataGeneration::gen3, true},
                    Stream{hal::ContentMode::tags, false, 24, 8, 4, SataGeneration::ideal, true},
                    Stream{hal::ContentMode::bytes, false, 3, 2, 1}));
INSTANTIATE_TEST_SUITE_P(Adapters, RandomStream,
                         testing::Values(Stream{hal::ContentMode::bytes, false, 65536, 65536, 1,
                                                SataGeneration::gen3, false, AhciPortConfig{}},
                                         Stream{hal::ContentMode::bytes, true, 8, 8, 4, SataGeneration::ideal,
                                                false, AhciPortConfig{}},
                                         Stream{hal::ContentMode::bytes, false, 3, 2, 1, SataGeneration::gen3,
                                                false, slow_adapter()},
                                         Stream{hal::ContentMode::bytes, true, 24, 8, 32,
                                                SataGeneration::ideal, false, slow_adapter()}));

// ---- Start-up
TEST(AtaHost, IdentifiesTheDriveAndSetsTheWriteCacheFirst) {
    const AsFastAsPossible pacing;
    HostConfig host_config;
    host_config.write_cache = false;
    SataConfig config = fast();
    config.queue_depth = 4;
    Bench bench(config, pacing, host_config);
    for (int i = 0; i < 50; ++i) {
        bench.source.add(Operation::read, 0, 8);
    }
    bench.run();
    EXPECT_EQ(bench.host.identify().capacity_sectors, kCapacity);
    EXPECT_EQ(bench.host.identify().model, config.model);
    EXPECT_TRUE(bench.host.queued_trim());
    EXPECT_EQ(bench.host.statistics().commands, 50U);
    EXPECT_EQ(bench.host.statistics().max_outstanding, 4U) << "no more than the drive's queue";
    ASSERT_EQ(bench.firmware.seen.size(), 51U);
    EXPECT_EQ(bench.firmware.seen[0].opcode, hal::HostOpcode::set_write_cache);
    EXPECT_FALSE(bench.firmware.seen[0].enable);
}

TEST(AtaHost, AnEmptySourceFinishes) {
    const AsFastAsPossible pacing;
    Bench bench(fast(), pacing);
    bench.run(1);
    EXPECT_EQ(bench.shadow.times_finished, 1);
}

// ---- libata's rule for non-queued commands
TEST(AtaHost, ANonQueuedCommandDrainsTheQueueAndHoldsBackTheRest) {
    const AsFastAsPossible pacing;
    Bench bench(fast(), pacing);
    bench.firmware.delay = 30us;
    for (std::uint64_t i = 0; i < 10; ++i) {
        bench.source.add(Operation::read, 8 * i, 8);
    }
    bench.source.add(Operation::flush, 0, 0);
    bench.source.add_trim({{Lba{0}, 8}}, false);
    for (std::uint64_t i = 0; i < 10; ++i) {
        bench.source.add(Operation::read, 8 * i, 8);
    }
    bench.run();
    ASSERT_EQ(bench.shadow.done.size(), 22U);
    Ps last_before{0};
    for (int i = 0; i < 10; ++i) {
        last_before = std::max(last_before, bench.shadow.done[static_cast<std::size_t>(i)].completed_at);
    }
    const Shadow::Done& flush = bench.shadow.done[10];
    const Shadow::Done& trim = bench.shadow.done[11];
    EXPECT_EQ(flush.operation, Operation::flush);
    EXPECT_EQ(flush.outstanding_at_issue, 0U);
    EXPECT_EQ(flush.issued_at, last_before);
    EXPECT_EQ(trim.operation, Operation::trim);
    EXPECT_EQ(trim.issued_at, flush.completed_at);
    for (std::size_t i = 12; i < 22; ++i) {
        EXPECT_GE(bench.shadow.done[i].issued_at, trim.completed_at);
    }
}

// ---- Errors
TEST(AtaHost, AfterAQueueErrorTheCulpritFailsAndTheOthersAreIssuedAgainInOrder) {
    const ClosedLoop pacing(16);
    SataConfig config;
    Bench bench(config, pacing);
    bench.firmware.delay = 40us;
    bench.firmware.failures[std::uint64_t{5} * 64] = hal::HostStatus::uncorrectable;
    for (std::uint64_t i = 0; i < 40; ++i) {
        bench.source.add(i % 2 == 1 ? Operation::read : Operation::write, i * 64, 64);
    }
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    ASSERT_EQ(bench.shadow.done.size(), 40U);
    EXPECT_EQ(bench.host.statistics().failed, 1U);
    EXPECT_EQ(bench.host.statistics().recoveries, 1U);
    EXPECT_GT(bench.host.statistics().reissued, 0U);
    std::uint32_t retried = 0;
    for (const Shadow::Done& done : bench.shadow.done) {
        EXPECT_EQ(done.status, done.sequence == 5 ? CommandStatus::failed : CommandStatus::ok);
        EXPECT_TRUE(done.sequence != 5 || done.failure == FailureKind::uncorrectable);
        retried += done.retries;
    }
    EXPECT_EQ(retried, bench.host.statistics().reissued);
    // The order of issue: ascending, then the aborted commands from the oldest on, then the rest.
    const auto& order = bench.shadow.order;
    EXPECT_EQ(order.size(), 40U + retried);
    int steps_back = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
        steps_back += order[i] < order[i - 1] ? 1 : 0;
    }
    EXPECT_EQ(steps_back, 1);
    EXPECT_EQ(bench.device.slots_in_use(), 0U);
}

void errors_in_a_random_stream(const HostConfig& host_config,
                               const std::optional<AhciPortConfig>& adapter = {}, Ps gather_time = Ps{0}) {
    const AsFastAsPossible pacing;
    SataConfig config;
    config.coalesce_completions = 4;
    config.content = adapter ? hal::ContentMode::bytes : hal::ContentMode::tags;
    Bench bench(config, pacing, host_config, adapter, gather_time);
    bench.firmware.delay = 10us;
    bench.firmware.part_sectors = 16;
    bench.firmware.fail_once = true;
    bench.dram.ps_per_byte = Ps{300};
    std::mt19937_64 random(23);
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::uint64_t lba = i * 90;
        const auto sectors = 1 + random() % 64;
        bench.source.add(random() % 2 == 0 ? Operation::read : Operation::write, lba, sectors,
                         random() % 50 != 0);
        if (random() % 20 == 0) {
            bench.firmware.failures[lba] =
                random() % 2 == 0 ? hal::HostStatus::uncorrectable : hal::HostStatus::write_fault;
        }
        if (random() % 100 == 0) {
            bench.source.add(Operation::read, kCapacity - 1, 2);  // IDNF
        }
    }
    const std::size_t faults = bench.firmware.failures.size();
    const std::size_t beyond = bench.source.requests.size() - 2000;
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    EXPECT_EQ(bench.shadow.done.size(), bench.source.requests.size());
    // An injected fault may hit a command that is being aborted: then its second attempt succeeds.
    EXPECT_LE(bench.host.statistics().failed, faults + beyond);
    EXPECT_GE(bench.host.statistics().failed, beyond + faults / 2);
    EXPECT_EQ(bench.device.slots_in_use(), 0U);
    EXPECT_EQ(bench.link.pending(), 0U);
}

TEST(AtaHost, ManyErrorsInARandomStreamNeverHang) {
    errors_in_a_random_stream({});
}

TEST(AtaHost, ManyErrorsNeverHangAnAdapter) {
    errors_in_a_random_stream({}, AhciPortConfig{});
}

TEST(AtaHost, ManyErrorsNeverHangASlowAdapter) {
    errors_in_a_random_stream({}, slow_adapter());
}

TEST(AtaHost, ManyErrorsNeverHangAHostThatTakesTime) {
    HostConfig host_config;
    host_config.submit_time = 5us;
    host_config.complete_time = 3us;
    host_config.coalesce_time = 80us;
    host_config.coalesce_completions = 6;
    errors_in_a_random_stream(host_config);
}

HostConfig with_late_interrupts() {
    HostConfig config;
    config.hba_read_time = 9us;
    config.hba_write_time = 11us;
    config.interrupt_latency = 70us;
    return config;
}

TEST(AtaHost, ManyErrorsNeverHangAHostWhoseInterruptsAreLate) {
    errors_in_a_random_stream(with_late_interrupts());
}

TEST(AtaHost, ManyErrorsNeverHangAHostWhoseInterruptsAreLateAndTakeTime) {
    HostConfig host_config = with_late_interrupts();
    host_config.complete_time = 3us;
    errors_in_a_random_stream(host_config);
}

TEST(AtaHost, ManyErrorsNeverHangAHostThatGathersItsData) {
    errors_in_a_random_stream({}, {}, 3us);
}

// ---- Host time, worked by hand. A lone read of 4 KiB takes its five frames, 10.28 us.
struct HostTime : testing::Test {
    void run(std::uint32_t depth, int reads) {
        pacing = std::make_unique<ClosedLoop>(depth);
        bench = std::make_unique<Bench>(fast(), *pacing, config);
        for (int i = 0; i < reads; ++i) {
            bench->source.add(Operation::read, static_cast<std::uint64_t>(i) * 8, 8);
        }
        bench->run();
        EXPECT_EQ(bench->shadow.times_finished, 1);
        ASSERT_EQ(bench->shadow.done.size(), static_cast<std::size_t>(reads));
    }
    [[nodiscard]] double latency_us(std::size_t command) const {
        const Shadow::Done& done = bench->shadow.done[command];
        return static_cast<double>((done.completed_at - done.arrival).count()) * 1e-6;
    }

    HostConfig config;
    std::unique_ptr<Pacing> pacing;
    std::unique_ptr<Bench> bench;
    const double frames_us = link_seconds(read_frames(8), 95, 150) * 1e6;
};

TEST_F(HostTime, ALoneCommandTakesSubmissionAndCompletionLonger) {
    config.submit_time = 7us;
    config.complete_time = 3us;
    run(1, 50);
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_NEAR(latency_us(i), frames_us + 10.0, 1e-5);
    }
    EXPECT_EQ(bench->host.statistics().processor_busy, 50 * 10us);
}

TEST_F(HostTime, TheProcessorBoundsThroughput) {
    config.submit_time = 20us;
    config.complete_time = 10us;
    run(32, 3000);
    const Ps span = bench->shadow.done.back().completed_at - bench->shadow.done.front().arrival;
    EXPECT_NEAR(static_cast<double>(span.count()) * 1e-6 / 3000, 30.0, 0.03);
    EXPECT_LE(bench->host.statistics().max_outstanding, 2U) << "the others wait for the processor";
}

TEST_F(HostTime, SubmissionOverlapsThePreviousAcceptance) {
    config.submit_time = 10us;  // shorter than the frames of a read, so the link stays busy
    run(32, 3000);
    const Ps span = bench->shadow.done.back().completed_at - bench->shadow.done.front().arrival;
    EXPECT_NEAR(static_cast<double>(span.count()) * 1e-6 / 3000, frames_us, 0.03);
}

TEST_F(HostTime, ALoneCommandTakesTheAdapterAndTheInterruptLonger) {
    config.hba_read_time = 13us;
    config.hba_write_time = 29us;
    config.interrupt_latency = 20us;
    run(1, 50);
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_NEAR(latency_us(i), frames_us + 33.0, 1e-5);
    }
    EXPECT_EQ(bench->shadow.last[hal::Stage::hba_work], 13us);
    EXPECT_EQ(bench->shadow.last[hal::Stage::hba_wait], Ps{0});
    EXPECT_EQ(bench->shadow.last[hal::Stage::interrupt_latency], 20us);
}

TEST_F(HostTime, TheLatencyOfInterruptsOccupiesNothing) {
    config.interrupt_latency = 100us;
    run(8, 3000);  // eight reads occupy the link for less time than the latency
    const auto& done = bench->shadow.done;
    const Ps span = done[2999].completed_at - done[999].completed_at;
    const double latency = static_cast<double>(span.count()) * 1e-6 * 8 / 2000;
    EXPECT_GE(latency, frames_us + 100.0 - 1e-3);
    EXPECT_LE(latency, frames_us + 100.0 + 0.5) << "frames may wait for each other";
}

TEST_F(HostTime, AnAdapterServesOneAfterAnother) {
    config.hba_read_time = 13us;
    config.interrupt_latency = 20us;
    run(32, 3000);
    const Ps span = bench->shadow.done.back().completed_at - bench->shadow.done.front().arrival;
    EXPECT_NEAR(static_cast<double>(span.count()) * 1e-6 / 3000, 13.0, 0.03);
}

TEST_F(HostTime, AnAdapterTakesItsOwnTimeForWrites) {
    config.hba_read_time = 13us;
    config.hba_write_time = 29us;
    pacing = std::make_unique<ClosedLoop>(32);
    bench = std::make_unique<Bench>(fast(), *pacing, config);
    for (std::uint64_t i = 0; i < 3000; ++i) {
        bench->source.add(i % 3 == 0 ? Operation::write : Operation::read, i * 8, 8);
    }
    bench->run();
    const Ps span = bench->shadow.done.back().completed_at - bench->shadow.done.front().arrival;
    EXPECT_NEAR(static_cast<double>(span.count()) * 1e-6 / 3000, (29.0 + 2 * 13.0) / 3, 0.03);
}

TEST_F(HostTime, InterruptsComeAtMultiplesOfTheCoalescingTime) {
    config.coalesce_time = 4us;
    run(1, 50);
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_NEAR(latency_us(i), std::ceil(frames_us / 4.0) * 4.0, 1e-6) << "12 us";
    }
    EXPECT_EQ(bench->host.statistics().interrupts, 150U);
}

TEST_F(HostTime, OrAfterTheGivenNumberOfCompletions) {
    config.coalesce_time = 1s;
    config.coalesce_completions = 8;
    run(8, 64);
    const auto& done = bench->shadow.done;
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(done[i].completed_at, done[i / 8 * 8].completed_at);
    }
    EXPECT_EQ(bench->host.statistics().interrupts, 8U);
    EXPECT_LT(done.back().completed_at, 1ms);
}

TEST_F(HostTime, FewerCompletionsWaitForTheTime) {
    config.coalesce_time = 1ms;
    config.coalesce_completions = 8;
    run(8, 5);
    const auto& done = bench->shadow.done;
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(done[i].completed_at, done[0].issued_at + 1ms);
    }
}

// 20 KiB are three Data FISes; each waits until its data is gathered.
TEST_F(HostTime, WritesWaitForTheirDataToBeGathered) {
    pacing = std::make_unique<ClosedLoop>(1);
    bench = std::make_unique<Bench>(fast(), *pacing, config, std::nullopt, 700ns);
    for (const std::uint32_t sectors : {8U, 16U, 40U}) {
        bench->source.add(Operation::read, 0, sectors);
        bench->source.add(Operation::write, 0, sectors);
    }
    bench->run();
    ASSERT_EQ(bench->shadow.done.size(), 6U);
    std::size_t command = 0;
    for (const auto& [sectors, data_fises] : {std::pair{8U, 1.0}, std::pair{16U, 1.0}, std::pair{40U, 3.0}}) {
        EXPECT_NEAR(latency_us(command++), link_seconds(read_frames(sectors), 95, 150) * 1e6, 1e-5);
        EXPECT_NEAR(latency_us(command++),
                    link_seconds(write_frames(sectors), 95, 150) * 1e6 + 0.7 * data_fises, 1e-5);
    }
    EXPECT_EQ(bench->shadow.last[hal::Stage::hba_dma], 3 * 700ns);
}

// One data phase at a time; the link is free while the phase's data is gathered.
TEST_F(HostTime, WritesAtDepthStopAtFramesAndGathering) {
    pacing = std::make_unique<ClosedLoop>(32);
    bench = std::make_unique<Bench>(fast(), *pacing, config, std::nullopt, 10us);
    for (std::uint64_t i = 0; i < 3000; ++i) {
        bench->source.add(Operation::write, i * 8, 8);
    }
    bench->run();
    const Ps span = bench->shadow.done.back().completed_at - bench->shadow.done.front().arrival;
    const double us_a_write = static_cast<double>(span.count()) * 1e-6 / 3000;
    EXPECT_LT(us_a_write, link_seconds(write_frames(8), 95, 150) * 1e6 + 10.0);
    EXPECT_GT(us_a_write, link_seconds({7.0, 1025.0}, 95, 150) * 1e6 + 10.0) << "DMA Setup and Data";
}

// Commands whose status has left the device before the power cut have completed.
TEST_F(HostTime, CommandsWaitingForTheInterruptSurviveAPowerCut) {
    config.hba_read_time = 100us;
    config.interrupt_latency = 1ms;
    pacing = std::make_unique<ClosedLoop>(8);
    bench = std::make_unique<Bench>(fast(), *pacing, config);
    for (std::uint64_t i = 0; i < 20; ++i) {
        bench->source.add(Operation::read, i * 8, 8);
    }
    bench->run(0.5);  // the adapter has served four; it still holds the others
    EXPECT_TRUE(bench->shadow.done.empty());
    EXPECT_EQ(bench->host.outstanding(), 8U);
    bench->device.power_cut();
    bench->link.power_cut();
    bench->host.power_cut();
    bench->checkers.power_cut();
    ASSERT_EQ(bench->shadow.done.size(), 8U);
    bench->run(3);
    bench->firmware.power_cut();
    bench->firmware.attach();
    bench->device.power_on();
    bench->run();
    EXPECT_EQ(bench->shadow.times_finished, 1);
    ASSERT_EQ(bench->shadow.done.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(bench->shadow.done[i].status, CommandStatus::ok) << i;
    }
}

TEST(AtaHost, APowerCutFailsOutstandingCommandsAndTheHostReturns) {
    const ClosedLoop pacing(8);
    Bench bench(fast(), pacing);
    bench.firmware.delay = 200us;
    for (std::uint64_t i = 0; i < 100; ++i) {
        bench.source.add(Operation::write, i * 64, 64);
    }
    bench.run(0.3);
    const std::size_t good = bench.shadow.done.size();
    EXPECT_LT(good, 100U);
    bench.device.power_cut();
    bench.link.power_cut();
    bench.host.power_cut();
    bench.checkers.power_cut();
    const std::size_t failed = bench.shadow.done.size();
    EXPECT_GT(failed, good);
    EXPECT_EQ(bench.host.outstanding(), 0U);
    EXPECT_FALSE(bench.host.ready());
    bench.run(1);
    EXPECT_EQ(bench.shadow.done.size(), failed);
    EXPECT_EQ(bench.shadow.times_finished, 0);
    bench.firmware.power_cut();
    bench.firmware.attach();
    bench.device.power_on();
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    ASSERT_EQ(bench.shadow.done.size(), 100U);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(bench.shadow.done[i].status,
                  i >= good && i < failed ? CommandStatus::failed : CommandStatus::ok)
            << i;
    }
}

// ---- Commands passed through
PassThrough passed_through(hw::ata::Opcode opcode, std::uint64_t lba, std::uint16_t count,
                           std::uint16_t features = 0) {
    PassThrough command;
    command.registers.command = static_cast<std::uint8_t>(opcode);
    command.registers.device = hw::ata::kDeviceLba;
    command.registers.lba = Lba{lba};
    command.registers.count = count;
    command.registers.features = features;
    return command;
}

constexpr std::uint64_t kSmartLba = 0xC24F00;

SataConfig with_bytes() {
    SataConfig config;
    config.content = hal::ContentMode::bytes;
    return config;
}

void read_pages(Bench& bench) {
    bench.firmware.health.sectors_written = 0x1234;
    PassThrough data = passed_through(hw::ata::Opcode::smart, kSmartLba, 0, hw::ata::kSmartReadData);
    PassThrough pio = passed_through(hw::ata::Opcode::read_log_ext, 0x04, 8);
    PassThrough dma = passed_through(hw::ata::Opcode::read_log_dma_ext, 0x04, 8);
    for (PassThrough* command : {&data, &pio, &dma}) {
        bench.host.pass_through(*command);
    }
    bench.run();
    for (const PassThrough* command : {&data, &pio, &dma}) {
        EXPECT_TRUE(command->ok());
        EXPECT_EQ(command->answer.status, 0x50);
    }
    const hw::LogPage smart = hw::smart_data(bench.firmware.health, {.extended_minutes = 1});
    EXPECT_EQ(data.data, std::vector<std::byte>(smart.begin(), smart.end()));
    ASSERT_EQ(pio.data.size(), 8U * 512U);
    EXPECT_EQ(dma.data, pio.data);
    const hw::LogPage general = hw::statistics_page(1, bench.firmware.health);
    EXPECT_EQ(std::memcmp(pio.data.data() + 512, general.data(), general.size()), 0);
    EXPECT_EQ(bench.shadow.times_finished, 1);
}

TEST(PassThrough, ReadsPagesByPioAndByDma) {
    const AsFastAsPossible pacing;
    Bench bench(fast(), pacing);
    read_pages(bench);
}

TEST(PassThrough, ReadsPagesThroughAnAdapter) {
    const AsFastAsPossible pacing;
    Bench bench(with_bytes(), pacing, {}, slow_adapter());
    read_pages(bench);
}

void get_registers_back(Bench& bench) {
    PassThrough status = passed_through(hw::ata::Opcode::smart, kSmartLba, 0, hw::ata::kSmartReturnStatus);
    PassThrough mark = passed_through(hw::ata::Opcode::write_uncorrectable_ext, 77, 3, 0x55);
    PassThrough refused = passed_through(hw::ata::Opcode::write_uncorrectable_ext, 77, 3, 0xAA);
    for (PassThrough* command : {&status, &mark, &refused}) {
        bench.host.pass_through(*command);
    }
    bench.run();
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(status.answer.lba.value >> 8U & 0xFFFFU, 0xC24FU);
    EXPECT_TRUE(mark.ok());
    ASSERT_EQ(bench.firmware.seen.size(), 2U);
    EXPECT_EQ(bench.firmware.seen[1].opcode, hal::HostOpcode::write_uncorrectable);
    EXPECT_TRUE(refused.ended);
    EXPECT_FALSE(refused.ok());
    EXPECT_EQ(refused.answer.error, 0x04);
}

TEST(PassThrough, CommandsWithoutDataGiveTheRegistersBack) {
    const AsFastAsPossible pacing;
    Bench bench(fast(), pacing);
    get_registers_back(bench);
}

TEST(PassThrough, AnAdapterGivesTheRegistersBack) {
    const AsFastAsPossible pacing;
    Bench bench(with_bytes(), pacing, {}, slow_adapter());
    get_registers_back(bench);
}

// Within a queued load: the command waits until no other is outstanding, and the load continues after it.
TEST(PassThrough, WaitsForTheQueueAndHoldsBackLaterCommands) {
    const AsFastAsPossible pacing;
    Bench bench(fast(), pacing);
    bench.firmware.delay = 50us;
    for (int i = 0; i < 500; ++i) {
        bench.source.add(Operation::read, static_cast<std::uint64_t>(i) * 8, 8);
    }
    bench.run(0.3);
    ASSERT_GT(bench.host.outstanding(), 1U);
    struct Seen {
        Bench* bench;
        std::uint32_t outstanding = 99;
        std::size_t done = 0;
    } seen{&bench};
    PassThrough command = passed_through(hw::ata::Opcode::smart, kSmartLba, 0, hw::ata::kSmartReadData);
    command.done = {[](void* context) {
                        auto* self = static_cast<Seen*>(context);
                        self->outstanding = self->bench->host.outstanding();
                        self->done = self->bench->shadow.done.size();
                    },
                    &seen};
    bench.host.pass_through(command);
    bench.run();
    EXPECT_TRUE(command.ok());
    EXPECT_EQ(seen.outstanding, 0U);
    EXPECT_GT(seen.done, 0U);
    EXPECT_LT(seen.done, 500U);
    ASSERT_EQ(bench.shadow.done.size(), 500U);
    for (const Shadow::Done& done : bench.shadow.done) {
        EXPECT_EQ(done.status, CommandStatus::ok);
    }
    EXPECT_EQ(bench.device.statistics().failed, 0U);
    EXPECT_EQ(bench.shadow.times_finished, 1);
}

TEST(PassThrough, APowerCutEndsIt) {
    const AsFastAsPossible pacing;
    Bench bench(fast(), pacing);
    bench.firmware.delay = 50us;
    bench.run(1);
    PassThrough under_way = passed_through(hw::ata::Opcode::smart, kSmartLba, 0, hw::ata::kSmartReadData);
    PassThrough waiting = under_way;
    bench.host.pass_through(under_way);
    bench.host.pass_through(waiting);
    bench.run(0.02);
    EXPECT_FALSE(under_way.ended);
    bench.firmware.power_cut();
    bench.device.power_cut();
    bench.link.power_cut();
    bench.checkers.power_cut();
    bench.host.power_cut();
    for (const PassThrough* command : {&under_way, &waiting}) {
        EXPECT_TRUE(command->ended);
        EXPECT_FALSE(command->ok());
    }
}

// Log 10h tells the host the same facts, whichever command reads it.
TEST(Errors, TheErrorLogByDmaHasTheSameContents) {
    const AsFastAsPossible pacing;
    HostConfig host_config;
    host_config.error_log_by_dma = true;
    Bench bench(fast(), pacing, host_config);
    bench.firmware.failures[8] = hal::HostStatus::uncorrectable;
    for (std::uint64_t i = 0; i < 4; ++i) {
        bench.source.add(Operation::read, i * 8, 8);
    }
    bench.run();
    ASSERT_EQ(bench.shadow.done.size(), 4U);
    EXPECT_EQ(bench.host.statistics().recoveries, 1U);
    for (const Shadow::Done& done : bench.shadow.done) {
        EXPECT_EQ(done.status, done.request == 1 ? CommandStatus::failed : CommandStatus::ok);
        EXPECT_TRUE(done.request != 1 || done.failure == FailureKind::uncorrectable);
    }
}

}  // namespace
}  // namespace solidtlm::testbench
