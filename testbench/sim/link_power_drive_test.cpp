// SPDX-License-Identifier: Apache-2.0
//
// A drive whose link sleeps between commands.
#include "testbench/sim/child_runs.h"
#include "testbench/sim/host/listed_source.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;
using Settings = std::vector<std::string>;

constexpr int kReads = 200;
constexpr hal::Ps kGap = 5ms;     // between two arrivals
constexpr double kHalfPs = 5e-7;  // half a picosecond in us

/// Reads at equal distances, in a process of its own.
Json run_apart(Settings settings) {
    settings.emplace_back("energy.link.idle_mw=200");
    const auto run = [&settings] {
        const RunSpec spec = run_of(preset("tiny", settings));
        std::vector<Request> reads;
        for (int i = 0; i < kReads; ++i) {
            reads.push_back(request_of(Operation::read, static_cast<std::uint64_t>(i) * 8, 8));
            reads.back().arrival = (i + 1) * kGap;
        }
        ListedSource source(std::move(reads));
        return simulate(spec, source, OpenLoop());
    };
    const std::vector<PointOutcome> points =
        run_points(std::vector<PointJob>{{"run", run}}, PointPool{1, true});
    EXPECT_EQ(points.front().outcome.faults, std::vector<std::string>());
    return points.front().outcome.result;
}

Settings with(const Settings& first, const Settings& second) {
    Settings all = first;
    all.insert(all.end(), second.begin(), second.end());
    return all;
}

double mean_us(const Json& result) {
    return result["host"]["read"]["latency_us"]["mean"];
}

class LinkPowerOfADrive : public testing::TestWithParam<Settings> {};

// Every read finds the link asleep and takes longer by exactly the time that the link needs to wake.
TEST_P(LinkPowerOfADrive, EveryReadWaitsUntilTheLinkIsUp) {
    const Json awake = run_apart(GetParam());
    const Json partial = run_apart(with(GetParam(), {"sata.power.partial_after=100us"}));
    const Json slumber =
        run_apart(with(GetParam(), {"sata.power.partial_after=100us", "sata.power.slumber_after=1ms",
                                    "sata.power.slumber_exit=700us", "energy.link.partial_mw=100",
                                    "energy.link.slumber_mw=10"}));
    EXPECT_NEAR(mean_us(partial) - mean_us(awake), 10.0, kHalfPs);
    EXPECT_NEAR(partial["ledger"]["stages_us"]["link_wake"].get<double>(), 10.0, kHalfPs);
    EXPECT_EQ(partial["ledger"]["residual_ns"], 0.0);
    EXPECT_NEAR(mean_us(slumber) - mean_us(awake), 700.0, kHalfPs);
    EXPECT_FALSE(awake["ledger"]["stages_us"].contains("link_wake"));
    EXPECT_FALSE(awake["hardware"].contains("link.wakeups"));

    const Json& counts = slumber["hardware"];
    EXPECT_EQ(counts["link.wakeups"], kReads);
    EXPECT_NEAR(counts["link.partial_us"].get<double>(), kReads * 900.0, 1.0) << "from 100 us to 1 ms";
    const double busy_s =
        (counts["link.to_host.busy_us"].get<double>() + counts["link.to_device.busy_us"].get<double>()) *
        1e-6;
    const double partial_s = counts["link.partial_us"].get<double>() * 1e-6;
    const double slumber_s = counts["link.slumber_us"].get<double>() * 1e-6;
    const Json& parts = slumber["energy"]["parts_j"];
    EXPECT_NEAR(parts["link.asleep"].get<double>(), 0.1 * partial_s + 0.01 * slumber_s, 1e-12);
    const double seconds = slumber["energy"]["seconds"];
    EXPECT_NEAR(parts["link.idle"].get<double>(), 0.2 * (seconds - busy_s - partial_s - slumber_s), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Hosts, LinkPowerOfADrive,
                         testing::Values(Settings{}, Settings{"run_ahead=0s"},
                                         Settings{"host.interface=ahci", "content=bytes"}));

// At depth 1, partial would begin sooner than the next command comes, but the link only sleeps while no
// command is outstanding.
TEST(LinkPowerOfADrive, ALinkInUseDoesNotSleep) {
    const Settings always{"sata.power.partial_after=1us"};
    const auto closed = [](const Settings& settings) {
        const auto run = [&settings] {
            const RunSpec spec = run_of(preset("tiny", settings));
            const auto source = make_workload(parse_workload("random,read=0.5,size=4k,count=2000",
                                                             spec.configuration.firmware.exported_sectors));
            return simulate(spec, *source, ClosedLoop(4));
        };
        return run_points(std::vector<PointJob>{{"run", run}}, PointPool{1, true}).front().outcome;
    };
    const SimulationOutcome sleeping = closed(always);
    const SimulationOutcome awake = closed({});
    EXPECT_EQ(sleeping.faults, std::vector<std::string>());
    EXPECT_LE(sleeping.result["hardware"]["link.wakeups"], 1);
    EXPECT_EQ(sleeping.result["host"]["read"], awake.result["host"]["read"]);
}

}  // namespace
}  // namespace solidtlm::testbench
