// SPDX-License-Identifier: Apache-2.0
//
// Two servers that every command needs, host processor and firmware core, in a closed loop. With the times S
// that a command keeps each of them busy, X = min(N / sum S, 1 / max S) bounds the commands per second with N
// outstanding (Denning and Buzen, The Operational Analysis of Queueing Network Models, 1978, section 8). All
// times are constant here, so from N = 4 on, where the second part is the smaller one, the drive reaches it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "fw/longest_turn.h"
#include "fw/needs.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr double kHostUs = 16.0;  ///< 10 us to submit a command, 6 us for its completion
constexpr double kTolerance = 0.002;
constexpr std::array<std::uint32_t, 7> kDepths{1, 2, 3, 4, 8, 16, 32};

/// `core`: the time of a command on the core, in times of the host.
struct Servers {
    const char* name;
    const char* preset;
    bool reads;
    double core;
};

void PrintTo(const Servers& servers, std::ostream* out) {
    *out << servers.name;
}

constexpr std::array kServers{
    Servers{"sata_write_host_slower", "default", false, 0.9},
    Servers{"sata_write_equal", "default", false, 1.0},
    Servers{"sata_write_core_slower", "default", false, 1.2},
    Servers{"nvme_write_equal", "nvme", false, 1.0},
    Servers{"nvme_write_core_slower", "nvme", false, 1.2},
    Servers{"nvme_read_equal", "nvme", true, 1.0},
    Servers{"nvme_read_core_slower", "nvme", true, 1.2},
};

/// A DRAM for which the core hardly waits. `fixed`: cycles of each command.
platform::Configuration drive_of(const Servers& servers, std::uint64_t fixed) {
    return preset(servers.preset,
                  {"host.submit_time=10us", "host.complete_time=6us", "content=none", "dram.t_cas=0s",
                   "dram.t_rcd=0s", "dram.t_rp=0s", "dram.data_rate_mt_per_s=20000", "dram.bus_bytes=16",
                   fmt::format("firmware.cycles.{}_command={}", servers.reads ? "read" : "write", fixed)});
}

/// With as many fixed cycles as make a command take `servers.core` on the core. Reads are of sectors that
/// were never written; writes also take their share of destaging.
platform::Configuration drive_of(const Servers& servers) {
    const platform::Configuration plain = drive_of(servers, 0);
    const fw::CycleCosts& cycles = plain.firmware.cycles;
    const double units = fw::media_layout(plain.firmware).units_per_superpage();
    const double others =
        cycles.command_fetch + cycles.buffer_lookup + cycles.transfer_issue + cycles.command_complete +
        (servers.reads ? cycles.unit_lookup
                       : cycles.buffer_insert + cycles.map_update +
                             (cycles.allocate + cycles.flash_issue + cycles.flash_complete) / units);
    const double all = servers.core * kHostUs * plain.core.frequency_mhz;
    return drive_of(servers, static_cast<std::uint64_t>(all - others));
}

SimulationOutcome run_at(const Servers& servers, std::uint32_t depth) {
    const platform::Configuration configuration = drive_of(servers);
    const auto source =
        make_workload(parse_workload(fmt::format("random,read={},size=4k,count=12000", servers.reads ? 1 : 0),
                                     configuration.firmware.exported_sectors));
    RunSpec run = run_of(configuration, depth);
    run.warm_up = 2'000;
    return simulate(run, *source, ClosedLoop(depth));
}

class ClosedNetwork : public ::testing::TestWithParam<Servers> {};

TEST_P(ClosedNetwork, ReachesTheBoundOfItsSlowerServer) {
    const Servers& servers = GetParam();
    std::vector<PointJob> jobs;
    for (const std::uint32_t depth : kDepths) {
        jobs.push_back({std::to_string(depth), [&servers, depth] { return run_at(servers, depth); }});
    }
    const double most = 1e6 / (kHostUs * std::max(1.0, servers.core));
    double alone = 0;
    double before = 0;
    std::size_t i = 0;
    for (const PointOutcome& point : run_points(jobs, PointPool{2, true})) {
        const std::uint32_t depth = kDepths.at(i++);
        SCOPED_TRACE(fmt::format("{} outstanding", depth));
        ASSERT_EQ(point.outcome.faults, std::vector<std::string>()) << point.messages;
        const double iops = point.outcome.result["host"][servers.reads ? "read" : "write"]["iops"];
        if (depth == 1) {
            alone = iops;
            EXPECT_LT(iops, 1e6 / (kHostUs * (1.0 + servers.core))) << "host, core and the link, in turn";
        }
        const double bound = std::min(depth * alone, most);
        EXPECT_LE(iops, bound * (1.0 + kTolerance));
        if (depth >= 4) {
            EXPECT_GE(iops, bound * (1.0 - kTolerance));
        }
        EXPECT_GE(iops, before * (1.0 - kTolerance)) << "more outstanding are not slower";
        before = iops;
        const platform::Configuration configuration = drive_of(servers);
        const std::uint64_t turn =
            fw::longest_turn_cycles(configuration.firmware, fw::media_layout(configuration.firmware), false);
        EXPECT_LE(point.outcome.result["hardware"]["core.longest_turn_us"].get<double>(),
                  static_cast<double>(turn) / configuration.core.frequency_mhz);
    }
}

INSTANTIATE_TEST_SUITE_P(OfHostAndCore, ClosedNetwork, ::testing::ValuesIn(kServers),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace solidtlm::testbench
