// SPDX-License-Identifier: Apache-2.0
//
// The whole drive with parity over dies: its cost, the data it saves, and the data it cannot save.
#include <gtest/gtest.h>

#include <cmath>

#include "testbench/sim/child_runs.h"
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

/// Four channels, with parity groups of `dies`.
platform::Configuration drive(const std::string& dies, std::vector<std::string> settings = {}) {
    settings.insert(settings.begin(), {"nand.geometry.channels=4", "ssd.over_provisioning=0.7",
                                       "firmware.reliability.parity_dies=" + dies});
    return preset("tiny", std::move(settings));
}

SimulationOutcome run(const RunSpec& settings, const std::string& workload, std::uint32_t depth,
                      const RunHooks& hooks = {}) {
    const auto source =
        make_workload(parse_workload(workload, settings.configuration.firmware.exported_sectors));
    SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(depth), hooks);
    EXPECT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    return outcome;
}

// 96 pages of 8 KiB in whole stripes, two planes per die: one parity page per dies - 1 data pages.
TEST(Parity, CostsItsShareOfPrograms) {
    std::vector<PointJob> jobs;
    for (const char* dies : {"0", "2", "4"}) {
        jobs.push_back({dies, [dies] {
                            const auto through = "firmware.write_buffer.policy=write_through";
                            return run(run_of(drive(dies, {through})),
                                       "sequential,read=0,size=96k,range=0-768KiB,count=8", 1);
                        }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    const double pages = 768.0 / 8;
    for (const auto& [i, factor] : {std::pair{0U, 1.0}, {1U, 2.0}, {2U, 4.0 / 3.0}}) {
        const Json& result = outcomes[i].outcome.result;
        EXPECT_DOUBLE_EQ(result.at(Pointer("/nand/by_cause/host/programs")), pages * factor) << i;
        EXPECT_NEAR(result.at("firmware").value("parity.pages", 0.0), pages * (factor - 1.0), 1e-9) << i;
    }
}

class ParityDrive : public ::testing::TestWithParam<int> {};

// A die fails in the middle of random traffic; on every other drive, one or two power cuts follow.
TEST_P(ParityDrive, LosesNothingWithADie) {
    const int seed = GetParam();
    const std::string place = std::to_string(seed % 4) + "/" + std::to_string(seed / 4 % 2);
    const platform::Configuration configuration =
        drive(seed % 3 == 0 ? "2" : "4",
              {"faults.script=die " + place + " dies at 5ms", "seed=" + std::to_string(seed),
               "ssd.over_provisioning=0.85", "firmware.reliability.reclaim_bits=64"});
    RunSpec settings = run_of(configuration);
    RunHooks hooks;
    hooks.check_protocol = true;
    if (seed % 2 == 0) {
        settings.power_cuts.at = {Ps{20'000'000'000}, Ps{31'415'926'535}};
    }
    RandomMix::Shares shares;
    shares.requests = 1500;
    RandomMix source(static_cast<std::uint64_t>(seed), configuration.firmware.exported_sectors, shares);
    const SimulationOutcome outcome = simulate(settings, source, ClosedLoop(16), hooks);
    EXPECT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    EXPECT_GT(outcome.result.at("firmware").at("parity.rebuilt_pages"), 0);
    EXPECT_GT(outcome.result.at("firmware").at("ftl.retired_superblocks"), 0);
    EXPECT_GT(outcome.result.at(Pointer("/verify/reads_checked")), 300);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ParityDrive, ::testing::Range(1, 13));

/// P(X <= 64) for one codeword of 9,088 bits.
double good_codeword(double rate) {
    constexpr int kBits = 9088;
    double sum = 0.0;
    for (int k = 0; k <= 64; ++k) {
        sum += std::exp(std::lgamma(kBits + 1.0) - std::lgamma(k + 1.0) - std::lgamma(kBits - k + 1.0) +
                        k * std::log(rate) + (kBits - k) * std::log1p(-rate));
    }
    return sum;
}

// Units of 4 KiB have four codewords and are each read once, without retries. A unit is lost if it cannot be
// corrected (p) and one of the three units at its place on the other dies cannot be corrected either.
TEST(Parity, LossesFollowTheClosedForm) {
    RunSpec settings = run_of(drive("4", {"nand.ecc.retries=0"}), 1);
    settings.configuration.nand.faults.bit_errors = true;
    settings.configuration.nand.faults.rber = hw::RberModel{.eps = 0.0058, .alpha = 0, .beta = 0, .gamma = 0};
    RunHooks hooks;
    hooks.failures_are_faults = false;
    settings.precondition = parse_preconditioning("fill=1,random=0");
    const double reads = 2200;
    const SimulationOutcome outcome = run(settings, "sequential,read=1,size=4k,count=2200", 1, hooks);
    ASSERT_GE(outcome.result.at(Pointer("/nand/by_cause/host/reads")).get<double>(), reads);
    const double p = 1.0 - std::pow(good_codeword(0.0058), 4);
    const double lost = reads * p * (1.0 - std::pow(1.0 - p, 3));
    ASSERT_GT(lost, 20) << "enough to see";
    EXPECT_NEAR(outcome.result.at(Pointer("/host/failed")).get<double>(), lost, 4 * std::sqrt(lost));
    const double rebuilt = reads * p * std::pow(1.0 - p, 3);
    EXPECT_NEAR(outcome.result.at("firmware").at("parity.rebuilt_pages").get<double>(), rebuilt,
                4 * std::sqrt(rebuilt));
}

}  // namespace
}  // namespace solidtlm::testbench
