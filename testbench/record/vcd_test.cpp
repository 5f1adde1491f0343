// SPDX-License-Identifier: Apache-2.0
//
// Waveforms, read back with pyvcd: known values at known times, and agreement with the result file.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <set>

#include "testbench/record/record_test_support.h"

namespace solidtlm::testbench {
namespace {

using Times = std::vector<std::int64_t>;

// The part and the link of the preset agrawal.
constexpr std::int64_t kByte = 25'000;           ///< ps; every bus cycle
constexpr std::int64_t kReadArray = 25'000'000;  ///< tR
constexpr std::int64_t kProgramArray = 200'000'000;
constexpr std::int64_t kPageBytes = 4096;
constexpr std::int64_t kPlanes = 4;

/// A frame of `dwords` at 6 Gb/s: SOF, CRC and EOF, two ALIGN in 256 dwords, 95 dwords of turnaround.
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
TEST_F(Vcd, ShowsAWriteAndAReadAsTheDataSheetSays) {
    SKIP_WITHOUT_VCD_READER();
    ListSource source({request_of(Operation::write, 0, 8), request_of(Operation::read, 0, 8)});
    run_recorded(preset("agrawal", {}), source, record_to("one.vcd"), 1);
    const Waves waves = read_waves(folder_ / "one.vcd");
    EXPECT_EQ(waves.timescale, "1 ps");
    EXPECT_EQ(waves.begin, 0);

    // Link. The write: command, release, DMA Setup, data, status; the read likewise.
    const Times commands = waves["link.fis"].when("27h_register_h2d");
    ASSERT_GE(commands.size(), 2U);
    const std::int64_t write = commands[commands.size() - 2];
    const std::int64_t read = commands.back();
    const Wave& fis = waves["link.fis"];
    const Wave& direction = waves["link.direction"];
    std::int64_t at = write;
    for (const auto& [type, dwords, way] :
         {std::tuple{"27h_register_h2d", 5, "to_device"}, std::tuple{"34h_register_d2h", 5, "to_host"},
          std::tuple{"41h_dma_setup", 7, "to_host"}, std::tuple{"46h_data", 1 + 1024, "to_device"},
          std::tuple{"none", 0, "idle"}}) {
        EXPECT_NE(fis.at(at - 1), type);
        EXPECT_EQ(fis.at(at), type);
        EXPECT_EQ(direction.at(at), way);
        at += frame(dwords);
    }
    EXPECT_EQ(fis.at(read + frame(5)), "34h_register_d2h");
    EXPECT_EQ(fis.at(read + frame(5) + frame(5) - 1), "34h_register_d2h");
    EXPECT_EQ(fis.at(read + frame(5) + frame(5)), "none");
    const std::int64_t setup = fis.when("41h_dma_setup").back();
    EXPECT_EQ(fis.at(setup + frame(7)), "46h_data");
    EXPECT_EQ(direction.at(setup + frame(7)), "to_host");
    const std::int64_t status = setup + frame(7) + frame(1 + 1024);
    EXPECT_EQ(fis.at(status), "A1h_set_device_bits");
    EXPECT_EQ(fis.at(status + frame(2)), "none");

    // Queue: accepted when the command FIS has arrived, answered when the status FIS is queued.
    EXPECT_EQ(waves["ncq.depth[5:0]"].at(read + frame(5) - 1), "0");
    EXPECT_EQ(waves["ncq.depth[5:0]"].at(read + frame(5)), "1");
    EXPECT_EQ(waves["ncq.depth[5:0]"].at(waves.end), "0");

    // Flash. A superpage is written: four planes, each command, address, data, confirm; then tPROG.
    const Wave& ready = waves["channel_0.die_0.rb_n"];
    const Wave& phase = waves["channel_0.phase"];
    const Wave& operation = waves["channel_0.die_0.operation"];
    ASSERT_EQ(ready.stretches("1", waves.end).size(), 2U) << "tDBSY is 0: only program and read are seen";
    const auto [program_begin, program_end] = ready.stretches("1", waves.end)[0];
    EXPECT_EQ(program_end - program_begin, kProgramArray);
    EXPECT_EQ(operation.at(program_begin), "program");
    const std::int64_t plane = (1 + 5 + kPageBytes + 1) * kByte;
    const Times data_in = phase.when("data_in");
    ASSERT_EQ(data_in.size(), static_cast<std::size_t>(kPlanes));
    EXPECT_EQ(phase.at(data_in[0] - kByte), "address");
    EXPECT_EQ(phase.at(data_in[0] - 6 * kByte), "command");
    EXPECT_GE(data_in[1] - data_in[0], plane);

    // The read: 00h, five address cycles, 30h; tR; 06h-5A-E0h; 4,096 bytes.
    const auto [read_begin, read_end] = ready.stretches("1", waves.end)[1];
    EXPECT_EQ(read_end - read_begin, kReadArray);
    EXPECT_EQ(operation.at(read_begin), "read");
    EXPECT_EQ(operation.at(read_end), "idle");
    EXPECT_EQ(phase.at(read_begin - 7 * kByte), "command");
    EXPECT_EQ(phase.at(read_begin - 6 * kByte), "address");
    EXPECT_EQ(phase.at(read_begin - 1 * kByte), "command");
    EXPECT_EQ(phase.at(read_begin), "idle");
    EXPECT_EQ(phase.at(read_end), "command");
    EXPECT_EQ(phase.at(read_end + 1 * kByte), "address");
    EXPECT_EQ(phase.at(read_end + 6 * kByte), "command");
    EXPECT_EQ(phase.at(read_end + 7 * kByte), "data_out");
    const std::int64_t data_end = read_end + (7 + kPageBytes) * kByte;
    EXPECT_EQ(phase.at(data_end - 1), "data_out");
    EXPECT_EQ(phase.at(data_end), "idle");
    EXPECT_EQ(waves["channel_0.die"].at(data_end - 1), "die_0");
    EXPECT_EQ(waves["channel_0.cause"].at(data_end - 1), "host");
    EXPECT_EQ(waves["channel_0.die_0.held_by"].at(data_end - 1), "host");
    EXPECT_EQ(waves["channel_0.die_0.held_by"].at(data_end), "none");

    // DRAM: from the channel, then to the link.
    EXPECT_EQ(waves["dram.port"].at(data_end), "channel_0");
    EXPECT_EQ(waves["dram.busy"].at(data_end), "1");
    EXPECT_EQ(waves["dram.port"].at(setup - 1), "host");
    EXPECT_EQ(waves["dram.port"].at(setup), "idle");

    // Firmware: one superblock of 2,048 in 16 parallel units opened; the slot is free again.
    EXPECT_EQ(waves["firmware.free_superblocks[15:0]"].at(0), std::to_string(2048 * 16));
    EXPECT_EQ(waves["firmware.free_superblocks[15:0]"].at(waves.end), std::to_string(2048 * 16 - 1));
    EXPECT_EQ(waves["firmware.least_free_superblocks[11:0]"].at(waves.end), "2047");
    EXPECT_EQ(waves["firmware.write_buffer[8:0]"].at(write + frame(5)), "1");
    EXPECT_EQ(waves["firmware.write_buffer[8:0]"].at(waves.end), "0");
}

TEST_F(Vcd, TheSaveFileNamesTheSignalsOfTheDump) {
    SKIP_WITHOUT_VCD_READER();
    ListSource source({request_of(Operation::read, 0, 8)});
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

/// Runs in a child process, because SystemC elaborates once a process.
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

// What a window shows is what the whole dump shows in it, from its first instant on.
TEST_F(Vcd, AWindowShowsThatPartOfTheWhole) {
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
    ListSource source({request_of(Operation::read, 0, 8)});
    run_recorded(preset("tiny", {}), source, record, 1);
    std::ifstream file(folder_ / "late.vcd");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("$enddefinitions"), std::string::npos);
    EXPECT_EQ(text.find('#', text.find("$enddefinitions")), std::string::npos) << "no instant";
}

class VcdProperty : public ::testing::TestWithParam<int> {};

// Busy times in the waveforms are those of the result: two books kept in different places.
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
    // A phase under way when the run ends counts in full in the result, and up to the end in the dump.
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

}  // namespace
}  // namespace solidtlm::testbench
