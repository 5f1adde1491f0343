// SPDX-License-Identifier: Apache-2.0
//
// For tests of the whole drive: variants of it, and runs with a random mix of requests.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "platform/configuration.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/load/random_mix.h"
#include "testbench/sim/load/workload.h"
#include "testbench/sim/simulation.h"

namespace solidtlm::testbench {

inline platform::Configuration preset(const std::string& name, std::vector<std::string> settings) {
    platform::ConfigurationSources sources;
    sources.preset = name;
    sources.settings = std::move(settings);
    sources.varied = true;  // settings are drawn in most tests
    return platform::load_configuration(sources);
}

/// Variants of the tiny drive.
inline platform::Configuration random_variant(std::uint64_t seed) {
    std::mt19937_64 random(seed * 104'729);
    const auto pick = [&random](std::initializer_list<const char*> choices) {
        return std::string(choices.begin()[random() % choices.size()]);
    };
    return preset("tiny",
                  {
                      "firmware.allocation.order=" + pick({"PCWD", "CWDP", "WPCD", "DCPW", "PWCD"}),
                      "firmware.allocation.mode=" + pick({"dynamic", "static"}),
                      "firmware.allocation.striping=" + pick({"full", "full", "none"}),
                      "firmware.gc.policy=" + pick({"greedy", "cost_benefit", "fifo", "d_choices", "random"}),
                      "firmware.gc.copy_back=" + pick({"true", "false", "false"}),
                      "firmware.wear.static_threshold=" + pick({"0", "0", "5"}),
                      "firmware.write_buffer.policy=" + pick({"write_back", "write_back", "write_through"}),
                      "firmware.write_buffer.idle_flush=" + pick({"0s", "1ms"}),
                      "firmware.unit=" + pick({"4KiB", "4KiB", "8KiB", "2KiB"}),
                      "sata.zeros_after_trim=" + pick({"true", "false"}),
                      "sata.auto_activate=" + pick({"true", "false"}),
                      "nand.controller.arbitration=" + pick({"fcfs", "round_robin", "read_first"}),
                      "nand.controller.suspend_erase=" + pick({"true", "false"}),
                      "nand.controller.suspend_program=" + pick({"true", "false"}),
                      "nand.geometry.channels=" + pick({"1", "2"}),
                      "firmware.gc.pipeline_depth=" + pick({"1", "2", "3"}),
                      "sata.write_cache=" + pick({"true", "true", "false"}),
                      "nand.geometry.dies_per_way=" + pick({"1", "2"}),
                      "dram.arbitration=" + pick({"fcfs", "round_robin", "fixed_priority"}),
                      "content=" + pick({"tags", "tags", "tags", "bytes"}),
                      "seed=" + std::to_string(seed),
                  });
}

/// A run at a fixed queue depth, with protocol checkers. Faults fail the calling test.
inline Json run_closed(const platform::Configuration& configuration, RequestSource& source,
                       std::uint32_t depth = 32, const RecorderSettings& record = {}) {
    RunSpec settings = run_of(configuration, depth);
    RunHooks hooks;
    hooks.check_protocol = true;
    settings.record = record;
    const ClosedLoop pacing(depth);
    const SimulationOutcome outcome = simulate(settings, source, pacing, hooks);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    return outcome.result;
}

/// Runs a random mix of requests; expects that all are served, and that reads return what was written.
inline void expect_served_and_verified(const platform::Configuration& configuration, std::uint64_t seed,
                                       std::uint32_t depth) {
    RandomMix::Shares shares;
    shares.requests = 400;
    shares.max_sectors = seed % 3 == 0 ? 700 : 64;
    RandomMix source(seed, configuration.firmware.exported_sectors, shares);
    const Json result = run_closed(configuration, source, depth);
    EXPECT_EQ(result["host"]["failed"], 0);
    EXPECT_EQ(result["host"]["issued"], result["host"]["completed"]);
    EXPECT_EQ(result["ledger"]["residual_ns"], 0.0);
    EXPECT_GT(result["verify"]["reads_checked"], 0);
    EXPECT_GT(result["nand"]["erases"], 0) << "garbage collection must have run";
}

/// Writes some pages of 4 KiB, flushes, and reads them cyclically.
class FillThenRead : public RequestSource {
  public:
    /// `requests`: total number.
    explicit FillThenRead(std::uint64_t requests) : requests_(requests) {}
    bool next(Request& request) override {
        request.clear();
        if (made_ == requests_) {
            return false;
        }
        request.operation = made_ < kFill    ? Operation::write
                            : made_ == kFill ? Operation::flush
                                             : Operation::read;
        request.lba = Lba{made_ % kFill * 8};
        request.sectors = made_ == kFill ? 0 : 8;
        ++made_;
        return true;
    }
    static constexpr std::uint64_t kFill = 64;

  private:
    std::uint64_t requests_;
    std::uint64_t made_ = 0;
};

inline Json run_workload(const platform::Configuration& configuration, const std::string& spec,
                         std::uint32_t depth = 32) {
    const auto source = make_workload(parse_workload(spec, configuration.firmware.exported_sectors));
    return run_closed(configuration, *source, depth);
}

}  // namespace solidtlm::testbench
