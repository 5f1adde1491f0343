// SPDX-License-Identifier: Apache-2.0
//
// SMART data, Device Statistics and WRITE UNCORRECTABLE EXT of whole drives, requested by their host.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "hw/sata/log_page.h"
#include "platform/ssd.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/host/ata_host.h"
#include "testbench/sim/host/listed_source.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/host/port/link_port.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;
namespace ata = hw::ata;

constexpr std::uint64_t kSmart = 0xC24F00;

/// Records how each request ended.
class EndOfRequests : public CommandObserver {
  public:
    /// Byte `at` of what a write at sector 0 writes, where sectors have bytes.
    static std::byte written(std::size_t at) {
        return static_cast<std::byte>(1 + at / hal::kSectorBytes + at % 7);
    }
    void issued(Command& command) override {
        const bool writes = command.operation == Operation::write;
        for (std::size_t i = 0; writes && i < command.sectors * std::size_t{hal::kSectorBytes}; ++i) {
            command.content.push_back(written(i));
        }
    }
    void completed(Command& command) override {
        uncorrectable[command.request] = command.failed_by(FailureKind::uncorrectable);
        EXPECT_EQ(command.residual, Ps{0});
    }
    void finished() override {}
    std::map<std::uint64_t, bool> uncorrectable;  ///< by the number of the request
};

/// A drive whose host sends timed requests, with questions in between.
struct AskedDrive {
    AskedDrive(std::vector<Request> requests, std::vector<std::string> settings = {},
               platform::ProtocolChecks checks = platform::ProtocolChecks::on)
        : source(std::move(requests)),
          ssd("ssd", in_step(std::move(settings)), checks),
          port("port", &ssd.agenda()),
          host("host", with_content(ssd), port, source, pacing, ends, ssd.agenda()) {
        ssd.sata().bind_host(port.link);
    }
    static platform::Configuration in_step(std::vector<std::string> settings) {
        settings.insert(settings.begin(), {"run_ahead=0s", "content=none"});
        return preset("tiny", std::move(settings));
    }
    static HostConfig with_content(const platform::Ssd& ssd) {
        HostConfig config;
        config.content = ssd.configuration().content;
        return config;
    }
    static void run(Ps time) { sc_core::sc_start(hw::to_sc_time(time)); }
    /// Sends a question and waits for the answer.
    PassThrough ask(ata::Opcode opcode, std::uint64_t lba, std::uint16_t count, std::uint16_t features = 0) {
        PassThrough command;
        command.registers.command = static_cast<std::uint8_t>(opcode);
        command.registers.device = ata::kDeviceLba;
        command.registers.lba = Lba{lba};
        command.registers.count = count;
        command.registers.features = features;
        command.done = {[](void* context) { *static_cast<Ps*>(context) = hw::now(); }, &answered_at};
        host.pass_through(command);
        run(2ms);
        EXPECT_TRUE(command.ok());
        return command;
    }
    Ps answered_at{0};

    ListedSource source;
    OpenLoop pacing{1.0};
    EndOfRequests ends;
    platform::Ssd ssd;
    LinkPort port;
    AtaHost host;
};

Request request_at(Ps arrival, Operation operation, std::uint64_t lba, std::uint64_t sectors,
                   bool queued = true) {
    Request request = request_of(operation, lba, sectors);
    request.arrival = arrival;
    request.queued = queued;
    return request;
}

std::uint64_t number(const std::vector<std::byte>& data, std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, data.data() + at, bytes);
    return value;
}

TEST(HealthOfADrive, DeviceStatisticsCountTheHostsCommands) {
    AskedDrive drive({request_at(0us, Operation::write, 0, 64), request_at(0us, Operation::write, 100, 3),
                      request_at(0us, Operation::read, 0, 10), request_at(5ms, Operation::read, 100, 3)});
    drive.run(3ms);
    const PassThrough early = drive.ask(ata::Opcode::read_log_ext, 0x0104, 1);
    drive.run(5ms);
    const PassThrough late = drive.ask(ata::Opcode::read_log_dma_ext, 0x0104, 1);
    ASSERT_EQ(early.data.size(), 512U);
    ASSERT_EQ(late.data.size(), 512U);
    EXPECT_EQ(number(early.data, 24, 6), 67U) << "sectors written";
    EXPECT_EQ(number(early.data, 32, 6), 2U) << "write commands";
    EXPECT_EQ(number(early.data, 40, 6), 10U) << "sectors read";
    EXPECT_EQ(number(early.data, 48, 6), 1U) << "read commands";
    EXPECT_EQ(number(late.data, 40, 6), 13U);
    EXPECT_EQ(number(late.data, 48, 6), 2U);
}

/// 40 sectors in three DRQ blocks: how long the read took, and whether it was right.
Json pio_read(platform::ProtocolChecks checks, const char* run_ahead) {
    AskedDrive drive({request_at(0us, Operation::write, 0, 64)}, {"content=bytes", run_ahead}, checks);
    drive.run(3ms);
    const Ps begin = hw::now();
    const PassThrough pio = drive.ask(ata::Opcode::read_multiple_ext, 3, 40);
    const Ps time = drive.answered_at - begin;
    bool right = pio.data.size() == 40U * hal::kSectorBytes;
    for (std::size_t i = 0; right && i < pio.data.size(); ++i) {
        right = pio.data[i] == EndOfRequests::written(3 * hal::kSectorBytes + i);
    }
    return {{"us", static_cast<double>(time.count()) / 1e6}, {"right", right}};
}

// By calls or payloads, and ahead of the kernel or in step.
TEST(PioOfADrive, TakesTheSameTimeHoweverItIsSimulated) {
    std::vector<PointJob> jobs;
    for (const auto checks : {platform::ProtocolChecks::on, platform::ProtocolChecks::off}) {
        for (const char* run_ahead : {"run_ahead=1ms", "run_ahead=0s"}) {
            jobs.push_back({run_ahead, [=] {
                                SimulationOutcome outcome;
                                outcome.result = pio_read(checks, run_ahead);
                                return outcome;
                            }});
        }
    }
    const auto outcomes = run_points(jobs, PointPool{1, true});
    const Json first = outcomes.front().outcome.result;
    EXPECT_TRUE(first["right"]);
    EXPECT_GT(first["us"], 50.0) << "flash was read";
    for (const PointOutcome& each : outcomes) {
        EXPECT_EQ(each.outcome.faults, std::vector<std::string>());
        EXPECT_EQ(each.outcome.result, first);
    }
}

TEST(HealthOfADrive, OneSectorOfAUnitIsUncorrectableUntilItIsWritten) {
    std::vector<Request> requests{request_at(0us, Operation::write, 0, 32)};
    for (std::uint64_t lba = 8; lba < 16; ++lba) {
        requests.push_back(request_at(10ms, Operation::read, lba, 1, lba % 2 == 0));
    }
    requests.push_back(request_at(10ms, Operation::read, 0, 32));
    requests.push_back(request_at(20ms, Operation::write, 13, 1));
    requests.push_back(request_at(21ms, Operation::read, 0, 32));
    AskedDrive drive(requests);
    drive.run(3ms);
    EXPECT_FALSE(drive.ends.uncorrectable.at(0));
    (void)drive.ask(ata::Opcode::write_uncorrectable_ext, 13, 1, ata::kPseudoUncorrectable);
    drive.run(11ms);
    const PassThrough errors = drive.ask(ata::Opcode::read_log_ext, 0x0404, 1);
    drive.run(20ms);
    ASSERT_EQ(drive.ends.uncorrectable.size(), requests.size());
    for (const auto& [request, found] : drive.ends.uncorrectable) {
        EXPECT_EQ(found, request == 1 + (13 - 8) || request == 9) << "request " << request;
    }
    EXPECT_EQ(number(errors.data, 8, 4), 2U) << "uncorrectable errors reported";
}

TEST(HealthOfADrive, SmartDataTellWearAndSayThatAllIsWell) {
    AskedDrive drive({request_at(0us, Operation::write, 0, 64)},
                     {"faults.cycles=1500", "firmware.reliability.rated_cycles=3000"});
    drive.run(1ms);
    EXPECT_EQ(
        drive.ask(ata::Opcode::smart, kSmart, 0, ata::kSmartReturnStatus).answer.lba.value >> 8U & 0xFFFFU,
        0xC24FU);
    const PassThrough wear = drive.ask(ata::Opcode::read_log_ext, 0x0704, 1);
    EXPECT_EQ(number(wear.data, 8, 1), 50U) << "1,500 of 3,000 erases";
    const PassThrough smart = drive.ask(ata::Opcode::smart, kSmart, 0, ata::kSmartReadData);
    ASSERT_EQ(smart.data.size(), 512U);
    EXPECT_EQ(hw::byte_sum(smart.data), 0);
}

// 40 us of cycles for the report, and a few us for the other cycles of two commands and three short frames.
TEST(HealthOfADrive, AReportTakesTheFirmwaresCycles) {
    AskedDrive drive({}, {"firmware.cycles.report_health=20000", "core.frequency_mhz=500"});
    drive.run(1ms);
    (void)drive.ask(ata::Opcode::read_log_dma_ext, 0x04, 8);
    EXPECT_GT(drive.answered_at, 1ms + 40us);
    EXPECT_LT(drive.answered_at, 1ms + 60us);
}

}  // namespace
}  // namespace solidtlm::testbench
