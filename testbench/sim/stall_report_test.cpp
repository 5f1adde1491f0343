// SPDX-License-Identifier: Apache-2.0
//
// The report of what waits for what, for drives that are stopped in the middle of their work. The expected
// text is worked out by hand.
#include "testbench/sim/stall_report.h"
#include "testbench/sim/host/ata_host.h"

#include <gtest/gtest.h>

#include "testbench/sim/host/listed_source.h"
#include "testbench/sim/host/port/link_port.h"
#include "testbench/sim/test_support.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

/// Counts completed commands.
class Count : public CommandObserver {
  public:
    void issued(Command& command) override { command.content.resize(command.content.size()); }
    void completed(Command& /*command*/) override { ++done; }
    void finished() override {}
    std::uint64_t done = 0;
};

/// A drive and its host in step with the kernel, so that they can be stopped at any time.
struct Bench {
    Bench(const std::vector<std::string>& settings, RequestSource& source, std::uint32_t depth)
        : ssd("ssd", in_step(settings), platform::ProtocolChecks::on),
          pacing(depth),
          port("port", &ssd.agenda()),
          host("host", config(depth), port, source, pacing, count, ssd.agenda()) {
        ssd.sata().bind_host(port.link);
    }
    static platform::Configuration in_step(std::vector<std::string> settings) {
        settings.emplace_back("run_ahead=0s");
        return preset("agrawal", std::move(settings));
    }
    static HostConfig config(std::uint32_t depth) {
        HostConfig config;
        config.queue_depth = depth;
        config.content = hal::ContentMode::none;
        return config;
    }
    void run_until_completed(std::uint64_t commands) {
        while (count.done < commands) {
            sc_core::sc_start(sc_core::sc_time(1.0, sc_core::SC_US));
        }
    }
    void run(Ps time) { sc_core::sc_start(hw::to_sc_time(time)); }
    [[nodiscard]] std::string report() const { return stall_report(ssd, host); }

    platform::Ssd ssd;
    ClosedLoop pacing;
    Count count;
    LinkPort port;
    AtaHost host;
};

void expect_lines(const std::string& report, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
        EXPECT_NE(report.find(part), std::string::npos) << "missing: " << part << "\n" << report;
    }
}

const std::vector<std::string> kOneDie{"nand.geometry.channels=1",
                                       "nand.geometry.dies=1",
                                       "nand.geometry.dies_per_way=1",
                                       "nand.geometry.planes=1",
                                       "firmware.write_buffer.policy=write_back",
                                       "firmware.write_buffer.size=256KiB",
                                       "firmware.gc.background_threshold=2",
                                       "content=none"};

/// tR is 25 us and a page takes 100 us on the bus. 20 us after both reads have reached their die, the array
/// works for one of them, and the other waits for the die.
TEST(StallReport, TwoReadsOfOneDie) {
    ListedSource requests({request_of(Operation::write, 0, 8), request_of(Operation::write, 8, 8),
                           request_of(Operation::flush, 0, 0), request_of(Operation::read, 0, 8),
                           request_of(Operation::read, 8, 8)});
    Bench bench(kOneDie, requests, 2);
    bench.run_until_completed(3);
    bench.run(20us);
    const std::string report = bench.report();
    expect_lines(report,
                 {"2 commands outstanding", "0  read LBA 0 +8", "1  read LBA 8 +8", "  array ",
                  "  die_wait_host ", "core: idle, no coroutine is ready", "commands: 2 being carried out",
                  "write buffer: 64 slots: 64 free, 0 receiving",
                  "flash: no operation under way, 2047 superblocks free", "channel 0 die 0: held since ",
                  " by a read of block 0 page 0 (host, tag 0), array busy; waiting: a read of block 0 "
                  "page 1 (host, tag 1)"});
}

/// The second write overlaps the first and waits for it; the first waits for the die, because it must be on
/// flash (write-through).
TEST(StallReport, AWriteThatWaitsForAnOverlappingOne) {
    ListedSource requests({request_of(Operation::write, 0, 16), request_of(Operation::write, 8, 8)});
    std::vector<std::string> settings = kOneDie;
    settings[4] = "firmware.write_buffer.policy=write_through";
    Bench bench(settings, requests, 2);
    // The data has arrived before 30 us; each page then takes 100 us on the bus and 200 us in the array.
    bench.run(200us);
    ASSERT_EQ(bench.count.done, 0);
    expect_lines(
        bench.report(),
        {"2 commands outstanding", "command_queue", "commands: 2 being carried out",
         "commands: slot 1 waits for earlier ones that overlap: slots 0",
         "write buffer: 64 slots: 62 free, 0 receiving, 0 dirty, 0 behind an older "
         "version, 2 being programmed",
         "write buffer: 1 waiting for data to reach flash (FLUSH, FUA)", "flash: operations under way",
         "flash: programs of the host under way: 2; collection at rest",
         "coroutine: Dispatcher::run waits for earlier commands that overlap, since ",
         "coroutine: Dispatcher::run > Dispatcher::write > Durability::wait "
         "waits for 2 pages of the command on their way to flash, since ",
         "coroutine: Destager::run waits for flash operation: program of channel 0 "
         "die 0 plane 0 block 0 page 0 (host), since ",
         "coroutine: Destager::run waits for flash operation: program of channel 0 "
         "die 0 plane 0 block 0 page 1 (host), since "});
}

/// 64 slots of 4 KiB, and 10 writes of 64 KiB on a die that programs a page in 300 us: after 1 ms the buffer
/// is full, one write waits for slots, and the others wait for that write.
TEST(StallReport, WritesThatWaitForTheBuffer) {
    std::vector<Request> writes;
    for (std::uint64_t i = 0; i < 10; ++i) {
        writes.push_back(request_of(Operation::write, i * 128, 128));
    }
    ListedSource requests(writes);
    Bench bench(kOneDie, requests, 10);
    bench.run_until_completed(4);
    bench.run(1ms);
    expect_lines(
        bench.report(),
        {"write_buffer_stall", "write buffer: 1 waiting for slots, the first for 16 of them",
         "waiting for their turn behind it",
         "Dispatcher::run > Dispatcher::write waits for semaphore \"write buffer slots\" (",
         "Dispatcher::run > Dispatcher::write waits for semaphore \"turn to take write buffer slots\" "
         "(0 of 1 free, "});
}

/// Two pages of one die: the command waits for both, the first is being read, and the second waits for the
/// die.
TEST(StallReport, AReadOfTwoPages) {
    ListedSource requests({request_of(Operation::write, 0, 16), request_of(Operation::flush, 0, 0),
                           request_of(Operation::read, 0, 16)});
    Bench bench(kOneDie, requests, 1);
    bench.run_until_completed(2);
    bench.run(20us);
    expect_lines(bench.report(), {"1 commands outstanding", "0  read LBA 0 +16  array, die_wait_host ",
                                  "write buffer: 64 slots: 64 free", "channel 0 die 0: held since "});
}

/// The data of a write is lost on the link, from which no drive recovers. Nothing more happens, and the
/// report shows what waits for what.
TEST(StallReport, ADriveThatStalls) {
    ListedSource requests({request_of(Operation::write, 0, 8), request_of(Operation::write, 4, 8)});
    Bench bench(kOneDie, requests, 2);
    // 4 KiB take 14 us at 3 Gb/s, every other frame of a write less than 5 us.
    for (int busy = 0; busy < 50;) {
        bench.run(100ns);
        busy =
            bench.ssd.sata().device.outstanding() > 0 && bench.ssd.sata().link.pending() > 0 ? busy + 1 : 0;
    }
    const Ps lost_at = hw::now();
    bench.ssd.sata().link.power_cut();
    bench.run(50ms);
    ASSERT_EQ(bench.count.done, 0);
    const std::string report = bench.report();
    expect_lines(
        report,
        {"2 commands outstanding", "0  write LBA 0 +8", "1  write LBA 4 +8",
         "coroutine: Dispatcher::fetch_loop waits for signal \"the host has sent a command\", since ",
         "coroutine: Dispatcher::run > Dispatcher::write waits for 1 flash "
         "reads and transfers of the command, since ",
         "coroutine: Dispatcher::run waits for earlier commands that overlap, since ",
         "coroutine: Destager::destage waits for signal \"something is to be "
         "written, or can be\", since ",
         "write buffer: 64 slots: 63 free, 1 receiving",
         "queues: link 0 frames; device 0 commands that firmware has not taken; DRAM 0 requests; hash "
         "unit 0 jobs",
         "dies: all at rest"});
    const std::string waiting = report.substr(report.find("Dispatcher::write waits for"));
    const double since_us = std::stod(waiting.substr(waiting.find("since ") + 6));
    const double lost_us = static_cast<double>(lost_at.count()) / 1e6;
    EXPECT_GT(since_us, lost_us - 20.0) << report;
    EXPECT_LT(since_us, lost_us) << report;
}

TEST(StallReport, NothingIsOutstanding) {
    ListedSource requests({request_of(Operation::write, 0, 8)});
    Bench bench(kOneDie, requests, 1);
    bench.run_until_completed(1);
    bench.run(1ms);
    expect_lines(bench.report(), {": 0 commands outstanding", "commands: 0 being carried out",
                                  "dies: all at rest, nothing waits for them"});
}

}  // namespace
}  // namespace solidtlm::testbench
