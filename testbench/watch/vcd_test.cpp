// SPDX-License-Identifier: Apache-2.0
//
// Waveforms, read back with pyvcd: known values at known times, and agreement with the result file.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fw/testing/files.h"
#include "testbench/watch/record_test_support.h"

namespace solidtlm::testbench {
namespace {

using Times = std::vector<std::int64_t>;

// The flash part and the link of preset agrawal.
constexpr std::int64_t kByte = 25'000;           ///< ps per byte; every bus cycle
constexpr std::int64_t kReadArray = 25'000'000;  ///< tR
constexpr std::int64_t kProgramArray = 200'000'000;
constexpr std::int64_t kPageBytes = 4096;
constexpr std::int64_t kPlanes = 4;

/// Time of a frame of `dwords` at 6 Gb/s: SOF, CRC and EOF, two ALIGN in 256 dwords, 95 dwords of turnaround.
std::int64_t frame(std::int64_t dwords) {
    constexpr double kDword = 20'000.0 / 3.0;
    return std::llround((static_cast<double>(dwords + 3) * 256.0 / 254.0 + 95.0) * kDword);
}

class Vcd : public ::testing::Test {
  protected:
    RecorderSettings record_to(const std::string& name) const {
        RecorderSettings record;
        record.vcd = folder_ / name;
        return record;
    }
    RecordFolder folder_;
};

// A 4 KiB write and a 4 KiB read, one after the other. Firmware takes no cycles in this preset.
class VcdOfOnePage : public Vcd {
  protected:
    void record() {
        ListedSource source({request_of(Operation::write, 0, 8), request_of(Operation::read, 0, 8)});
        run_recorded(preset("agrawal", {}), source, record_to("one.vcd"), 1);
        waves_ = read_waves(folder_ / "one.vcd");
        EXPECT_EQ(waves_.timescale, "1 ps");
        EXPECT_EQ(waves_.begin, 0);
        const Times commands = waves_["link.fis"].when("27h_register_h2d");
        ASSERT_GE(commands.size(), 2U);
        write_ = commands[commands.size() - 2];
        read_ = commands.back();
        busy_ = waves_["channel_0.die_0.rb_n"].stretches("1", waves_.end);
        ASSERT_EQ(busy_.size(), 2U) << "tDBSY is 0: only program and read are seen";
    }
    /// Expects the values of a signal at successive instants.
    void expect(const std::string& signal,
                const std::vector<std::pair<std::int64_t, std::string>>& values) const {
        for (const auto& [at, value] : values) {
            EXPECT_EQ(waves_[signal].at(at), value) << signal << " at " << at;
        }
    }

    Waves waves_;
    std::int64_t write_ = 0;  ///< when its command is on the wire
    std::int64_t read_ = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> busy_;  ///< R/B# low: during program and read
};

TEST_F(VcdOfOnePage, ShowsTheFramesOfTheLink) {
    SKIP_WITHOUT_VCD_READER();
    ASSERT_NO_FATAL_FAILURE(record());
    const std::int64_t released = write_ + frame(5);
    const std::int64_t setup = released + frame(5);
    const std::int64_t data = setup + frame(7);
    expect("link.fis", {{write_, "27h_register_h2d"},
                        {released - 1, "27h_register_h2d"},
                        {released, "34h_register_d2h"},
                        {setup, "41h_dma_setup"},
                        {data, "46h_data"},
                        {data + frame(1 + 1024) - 1, "46h_data"},
                        {data + frame(1 + 1024), "none"}});
    expect("link.direction",
           {{write_, "to_device"}, {released, "to_host"}, {setup, "to_host"}, {data, "to_device"}});

    const std::int64_t read_setup = waves_["link.fis"].when("41h_dma_setup").back();
    const std::int64_t read_data = read_setup + frame(7);
    const std::int64_t status = read_data + frame(1 + 1024);
    expect("link.fis", {{read_ + frame(5), "34h_register_d2h"},
                        {read_ + 2 * frame(5) - 1, "34h_register_d2h"},
                        {read_ + 2 * frame(5), "none"},
                        {read_setup, "41h_dma_setup"},
                        {read_data, "46h_data"},
                        {status, "A1h_set_device_bits"},
                        {status + frame(2), "none"}});
    expect("link.direction", {{read_data, "to_host"}, {status, "to_host"}, {status + frame(2), "idle"}});
    // A command is accepted when it has arrived, and answered when its status is sent.
    expect("ncq.depth[5:0]", {{read_ + frame(5) - 1, "0"}, {read_ + frame(5), "1"}, {status, "0"}});
}

// A superpage is written to four planes: command, address, data and confirm for each; then tPROG.
TEST_F(VcdOfOnePage, ShowsTheProgram) {
    SKIP_WITHOUT_VCD_READER();
    ASSERT_NO_FATAL_FAILURE(record());
    const auto [begin, end] = busy_[0];
    EXPECT_EQ(end - begin, kProgramArray);
    expect("channel_0.die_0.operation", {{begin - 1, "idle"}, {begin, "program"}, {end, "idle"}});
    const Times data = waves_["channel_0.phase"].when("data_in");
    ASSERT_EQ(data.size(), static_cast<std::size_t>(kPlanes));
    for (const std::int64_t at : data) {
        expect("channel_0.phase", {{at - 6 * kByte, "command"},
                                   {at - 5 * kByte, "address"},
                                   {at - 1, "address"},
                                   {at + kPageBytes * kByte - 1, "data_in"}});
    }
    expect("channel_0.phase", {{begin - 1, "command"}, {begin, "idle"}, {end, "command"}});
}

// 00h, five address cycles, 30h; tR; 06h, five address cycles, E0h; 4,096 bytes.
TEST_F(VcdOfOnePage, ShowsTheReadAsTheDataSheetSays) {
    SKIP_WITHOUT_VCD_READER();
    ASSERT_NO_FATAL_FAILURE(record());
    const auto [begin, end] = busy_[1];
    EXPECT_EQ(end - begin, kReadArray);
    expect("channel_0.die_0.operation", {{begin, "read"}, {end - 1, "read"}, {end, "idle"}});
    const std::int64_t data_end = end + (7 + kPageBytes) * kByte;
    expect("channel_0.phase", {{begin - 7 * kByte, "command"},
                               {begin - 6 * kByte, "address"},
                               {begin - 1 * kByte, "command"},
                               {begin, "idle"},
                               {end - 1, "idle"},
                               {end, "command"},
                               {end + 1 * kByte, "address"},
                               {end + 6 * kByte, "command"},
                               {end + 7 * kByte, "data_out"},
                               {data_end - 1, "data_out"},
                               {data_end, "idle"}});
    expect("channel_0.die", {{data_end - 1, "die_0"}, {data_end, "none"}});
    expect("channel_0.cause", {{data_end - 1, "host"}, {data_end, "none"}});
    expect("channel_0.die_0.held_by",
           {{begin - 7 * kByte, "host"}, {data_end - 1, "host"}, {data_end, "none"}});
    // The data passes from the channel to DRAM, then to the link.
    const std::int64_t setup = waves_["link.fis"].when("41h_dma_setup").back();
    expect("dram.port", {{data_end, "channel_0"}, {setup - 1, "host"}, {setup, "idle"}});
    expect("dram.busy", {{data_end, "1"}, {setup - 1, "1"}, {setup, "0"}});
}

// One of 2,048 superblocks in 16 parallel units is opened, and the buffer slot is released.
TEST_F(VcdOfOnePage, ShowsFreeSpaceAndBuffer) {
    SKIP_WITHOUT_VCD_READER();
    ASSERT_NO_FATAL_FAILURE(record());
    expect("firmware.free_superblocks[15:0]",
           {{0, std::to_string(2048 * 16)}, {waves_.end, std::to_string(2048 * 16 - 1)}});
    expect("firmware.least_free_superblocks[11:0]", {{0, "2048"}, {waves_.end, "2047"}});
    expect("firmware.write_buffer[8:0]", {{0, "0"}, {write_ + frame(5), "1"}, {waves_.end, "0"}});
}

TEST_F(Vcd, TheSaveFileNamesTheSignalsOfTheDump) {
    SKIP_WITHOUT_VCD_READER();
    ListedSource source({request_of(Operation::read, 0, 8)});
    run_recorded(preset("tiny", {}), source, record_to("waves.vcd"), 1);
    const Waves waves = read_waves(folder_ / "waves.vcd");
    const std::set<std::string> wanted(waves.names.begin(), waves.names.end());
    EXPECT_EQ(wanted.size(), waves.names.size()) << "names are unique";
    std::set<std::string> named;
    std::ifstream save(folder_ / "waves.gtkw");
    std::string dump;
    for (std::string line; std::getline(save, line);) {
        if (line.starts_with("ssd.")) {
            EXPECT_TRUE(named.insert(line).second) << line << " twice";
        } else if (line.starts_with("[dumpfile]")) {
            dump = line;
        }
    }
    EXPECT_EQ(named, wanted);
    EXPECT_EQ(dump, "[dumpfile] \"" + (folder_ / "waves.vcd").string() + "\"");
}

/// Runs `body` in a child process, because SystemC elaborates once per process.
template <class Body>
void in_child(const Body& body) {
    const pid_t child = fork();
    if (child == 0) {
        body();
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
}

// A windowed dump equals that part of the whole dump, from the window's first instant on.
TEST_F(Vcd, AWindowShowsItsPartOfTheWholeDump) {
    SKIP_WITHOUT_VCD_READER();
    RecorderSettings part = record_to("part.vcd");
    part.vcd_window = RecordWindow{Ps{2'000'000'017}, Ps{4'000'000'000}};
    for (const RecorderSettings& record : {record_to("whole.vcd"), part}) {
        in_child([&record] {
            const platform::Configuration configuration = random_variant(5);
            RandomMix::Shares shares;
            shares.requests = 100;
            RandomMix source(5, configuration.firmware.exported_sectors, shares);
            run_recorded(configuration, source, record, 8);
        });
    }
    const Waves whole = read_waves(folder_ / "whole.vcd");
    const Waves window = read_waves(folder_ / "part.vcd");
    EXPECT_EQ(window.begin, part.vcd_window.from.count());
    EXPECT_EQ(window.end, part.vcd_window.to.count());
    ASSERT_EQ(window.names, whole.names);
    std::size_t changes = 0;
    for (const auto& [name, wave] : whole.signals) {
        Wave expected;
        expected.changes.emplace_back(window.begin, wave.at(window.begin));
        for (const auto& change : wave.changes) {
            if (change.first > window.begin && change.first < window.end) {
                expected.changes.push_back(change);
            }
        }
        EXPECT_EQ(window.signals.at(name).changes, expected.changes) << name;
        changes += expected.changes.size();
    }
    EXPECT_GT(changes, 300U);
}

TEST_F(Vcd, ARunThatEndsBeforeTheWindowLeavesAnEmptyDump) {
    SKIP_WITHOUT_VCD_READER();
    RecorderSettings record = record_to("late.vcd");
    record.vcd_window.from = Ps{std::int64_t{3'600'000'000'000'000}};
    ListedSource source({request_of(Operation::read, 0, 8)});
    run_recorded(preset("tiny", {}), source, record, 1);
    const std::string text = read_file(folder_ / "late.vcd");
    EXPECT_NE(text.find("$enddefinitions"), std::string::npos);
    EXPECT_EQ(text.find('#', text.find("$enddefinitions")), std::string::npos) << "no instant";
}

class VcdProperty : public ::testing::TestWithParam<int> {};

// Busy times in the waveforms equal those of the result, which are counted independently.
TEST_P(VcdProperty, AgreesWithTheUtilisations) {
    SKIP_WITHOUT_VCD_READER();
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const platform::Configuration configuration = random_variant(seed);
    const RecordFolder folder;
    RecorderSettings record;
    record.vcd = folder / "mix.vcd";
    RandomMix::Shares shares;
    shares.requests = 300;
    RandomMix source(seed, configuration.firmware.exported_sectors, shares);
    const Json result =
        run_recorded(configuration, source, record, 1 + static_cast<std::uint32_t>(seed % 32));
    const Waves waves = read_waves(record.vcd);
    const auto share = [&waves](const std::string& name, const std::string& rest) {
        return static_cast<double>(waves[name].busy(rest, waves.end)) / static_cast<double>(waves.end);
    };
    // A phase that is under way when the run ends counts fully in the result, but only up to the end in the
    // dump.
    const double rest = 200e6 / static_cast<double>(waves.end);
    constexpr double kExact = 1e-9;
    const Json& utilization = result["utilization"];
    EXPECT_NEAR(share("link.direction", "idle"), utilization["link"].get<double>(), rest);
    EXPECT_NEAR(share("core.state", "idle"), utilization["core"].get<double>(), kExact);
    EXPECT_NEAR(share("dram.busy", "0"), utilization["dram"].get<double>(), rest);
    const std::uint32_t dies = configuration.nand.geometry.dies;
    for (std::uint32_t channel = 0; channel < configuration.nand.geometry.channels; ++channel) {
        const std::string scope = "channel_" + std::to_string(channel);
        EXPECT_NEAR(share(scope + ".phase", "idle"), utilization["channels"][channel].get<double>(), rest);
        EXPECT_EQ(waves[scope + ".phase"].stretches("idle", waves.end),
                  waves[scope + ".die"].stretches("none", waves.end));
        for (std::uint32_t die = 0; die < dies; ++die) {
            const std::string below = scope + ".die_" + std::to_string(die);
            EXPECT_NEAR(share(below + ".held_by", "none"),
                        utilization["dies"][channel * dies + die].get<double>(), kExact)
                << below;
            EXPECT_LE(share(below + ".operation", "idle"), share(below + ".held_by", "none") + kExact);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, VcdProperty, ::testing::Range(1, 13));

// Two pages of one die, on two planes: both are sensed at the same time.
TEST_F(Vcd, ShowsPlanesThatReadIndependently) {
    SKIP_WITHOUT_VCD_READER();
    ListedSource source({request_of(Operation::write, 0, 8), request_of(Operation::write, 8, 8),
                         request_of(Operation::read, 0, 8), request_of(Operation::read, 8, 8)});
    run_recorded(
        preset("agrawal", {"nand.planes.read=independent", "nand.geometry.channels=1", "nand.geometry.dies=1",
                           "nand.geometry.dies_per_way=1", "nand.geometry.planes=2",
                           "firmware.allocation.order=CWDP", "firmware.allocation.mode=static"}),
        source, record_to("planes.vcd"), 2);
    const Waves waves = read_waves(folder_ / "planes.vcd");
    const auto last = [&](const std::string& signal, const std::string& rest) {
        const auto found = waves["channel_0.die_0." + signal].stretches(rest, waves.end);
        EXPECT_FALSE(found.empty()) << signal;
        return found.empty() ? std::pair<std::int64_t, std::int64_t>{} : found.back();
    };
    const auto left = last("plane_0.operation", "idle");
    const auto right = last("plane_1.operation", "idle");
    const auto die = last("rb_n", "1");
    for (const auto& each : {left, right}) {
        EXPECT_EQ(each.second - each.first, kReadArray);
    }
    EXPECT_LT(std::max(left.first, right.first), std::min(left.second, right.second)) << "at the same time";
    EXPECT_EQ(die.first, std::min(left.first, right.first));
    EXPECT_EQ(die.second, std::max(left.second, right.second));
    const std::int64_t out = (7 + kPageBytes) * kByte;  // 06h-5A-E0h, data
    const auto left_held = last("plane_0.held_by", "none");
    const auto right_held = last("plane_1.held_by", "none");
    EXPECT_EQ(std::min(left_held.second, right_held.second), std::min(left.second, right.second) + out);
    EXPECT_EQ(std::max(left_held.second, right_held.second), std::min(left.second, right.second) + 2 * out);
    EXPECT_EQ(waves.signals.count("ssd.channel_0.die_0.operation"), 0U);
}

}  // namespace
}  // namespace solidtlm::testbench
