// SPDX-License-Identifier: Apache-2.0
//
// Energies of a running drive, compared with its own counts and clocks.
#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

SimulationOutcome mixed_run(std::uint64_t warm_up, const PowerCuts& cuts) {
    RunSpec run = run_of(preset("tiny", {"energy.link.active_mw=200", "nand.timing.read=50us",
                                         "nand.timing.program=500us", "nand.timing.erase=3500us"}));
    run.warm_up = warm_up;
    run.power_cuts = cuts;
    const auto source = make_workload(
        parse_workload("random,read=0.5,size=4k,count=4000", run.configuration.firmware.exported_sectors));
    return simulate(run, *source, ClosedLoop(8));
}

/// Each run is in a process of its own.
Json energy_run(std::uint64_t warm_up = 0, const PowerCuts& cuts = {}) {
    const std::vector<PointJob> jobs{{"run", [&] { return mixed_run(warm_up, cuts); }}};
    const SimulationOutcome outcome = run_points(jobs, PointPool{1, true}).front().outcome;
    EXPECT_EQ(outcome.faults, std::vector<std::string>());
    return outcome.result;
}

double part(const Json& result, const char* name) {
    return result["energy"]["parts_j"][name];
}

/// 3.3 V and 25 mA for tR 50 us, tPROG 500 us and tBERS 3.5 ms.
TEST(EnergyOfADrive, FollowsItsCounts) {
    const Json result = energy_run();
    EXPECT_NEAR(part(result, "nand.read"), result["nand"]["reads"].get<double>() * 4.125e-6, 1e-12);
    EXPECT_NEAR(part(result, "nand.program"), result["nand"]["programs"].get<double>() * 41.25e-6, 1e-12);
    EXPECT_NEAR(part(result, "nand.erase"), result["nand"]["erases"].get<double>() * 288.75e-6, 1e-12);
    const double busy_us = result["hardware"]["link.to_host.busy_us"].get<double>() +
                           result["hardware"]["link.to_device.busy_us"].get<double>();
    EXPECT_NEAR(part(result, "link.active"), 0.2 * busy_us * 1e-6, 1e-12);
    double sum = 0.0;
    for (const auto& [name, joules] : result["energy"]["parts_j"].items()) {
        sum += joules.get<double>();
    }
    EXPECT_NEAR(result["energy"]["total_j"].get<double>(), sum, 1e-12);
    EXPECT_GT(part(result, "dram.burst"), 0.0);
    EXPECT_GT(part(result, "bus.out"), 0.0);
    EXPECT_GT(part(result, "bus.in"), 0.0);
}

TEST(EnergyOfADrive, AWarmUpDoesNotCount) {
    const Json all = energy_run();
    const Json rest = energy_run(2000);
    EXPECT_NEAR(rest["energy"]["seconds"].get<double>(), rest["host"]["measured_s"].get<double>(), 1e-9);
    EXPECT_LT(rest["energy"]["seconds"].get<double>(), all["energy"]["seconds"].get<double>());
    EXPECT_NEAR(part(rest, "nand.read"), rest["nand"]["reads"].get<double>() * 4.125e-6, 1e-12);
    const double background = part(rest, "dram.background") / rest["energy"]["seconds"].get<double>();
    EXPECT_NEAR(background, part(all, "dram.background") / all["energy"]["seconds"].get<double>(), 1e-9);
}

TEST(EnergyOfADrive, TimeWithoutPowerDoesNotCount) {
    PowerCuts cuts;
    cuts.at = {hal::Ps{20'000'000'000}};
    cuts.off = hal::Ps{5'000'000'000'000};  // 5 s
    const Json result = energy_run(0, cuts);
    ASSERT_EQ(result["power"]["cuts"], 1);
    EXPECT_GT(result["sim_time_s"].get<double>(), 5.0);
    EXPECT_LT(result["energy"]["seconds"].get<double>(), result["sim_time_s"].get<double>() - 4.9);
    EXPECT_GT(result["energy"]["seconds"].get<double>(), 0.0);
}

}  // namespace
}  // namespace solidtlm::testbench
