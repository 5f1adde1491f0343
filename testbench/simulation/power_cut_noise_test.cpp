// SPDX-License-Identifier: Apache-2.0
//
// Nothing volatile survives a power cut: drives with equal flash contents, whose power is cut at different
// instants of different reads, boot and then answer equal requests in equal times.
#include <gtest/gtest.h>

#include <random>

#include "testbench/host/listed_source.h"
#include "testbench/simulation/child_runs.h"
#include "testbench/simulation/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

/// The times of all commands from a given request on, in the order of their ends.
class Latencies : public RunWatcher {
  public:
    explicit Latencies(std::uint64_t first_request) : first_request_(first_request) {}
    void begin(std::function<DeviceTelemetry()> /*collect*/) override {}
    void issued(Command& /*command*/) override {}
    void completed(Command& command) override {
        if (command.request >= first_request_) {
            all_.push_back(
                {command.request - first_request_, (command.completed_at - command.arrival).count()});
        }
    }
    void finished() override {}
    [[nodiscard]] const Json& all() const { return all_; }

  private:
    std::uint64_t first_request_;
    Json all_ = Json::array();
};

constexpr std::uint64_t kProbes = 400;

Request random_request(std::mt19937_64& random, Operation operation, std::uint64_t most_sectors,
                       std::uint64_t exported_sectors) {
    const std::uint64_t sectors = 1 + random() % most_sectors;
    return request_of(operation, random() % (exported_sectors - sectors), sectors);
}

/// Fills a drive, disturbs it with `noise` reads, cuts its power among them, and sends kProbes requests.
SimulationOutcome after_noise(const platform::Configuration& configuration, std::uint64_t noise) {
    const std::uint64_t exported = configuration.firmware.exported_sectors;
    std::mt19937_64 random(noise);
    const Ps cut = 3'000 * kMicrosecond + Ps{static_cast<std::int64_t>(random() % 5'000'000'000)};
    RunSpec run = run_of(configuration);
    run.power_cuts.at = {cut};
    const Ps back = cut + run.power_cuts.off + 400'000 * kMicrosecond;
    std::vector<Request> requests;
    // The host sends all requests before the cut; the last one is large enough to be under way then.
    const Ps last = cut - 500 * kMicrosecond - Ps{static_cast<std::int64_t>(random() % 1'500'000'000)};
    for (Ps at{0}; noise > 0 && at < last; at += Ps{static_cast<std::int64_t>(random() % 100'000'000)}) {
        requests.push_back(random_request(random, Operation::read, 16, exported));
        requests.back().arrival = at;
    }
    if (noise > 0) {
        requests.push_back(request_of(Operation::read, noise * 8, 4096));
        requests.back().arrival = last;
    }
    Latencies latencies(requests.size());
    std::mt19937_64 common(1);
    for (std::uint64_t i = 0; i < kProbes; ++i) {
        const Operation operation = common() % 3 == 0 ? Operation::write : Operation::read;
        requests.push_back(random_request(common, operation, 256, exported));
        requests.back().arrival = back + static_cast<std::int64_t>(i) * 150 * kMicrosecond;
    }
    ListedSource source(std::move(requests));
    RandomMix::Shares shares;
    shares.requests = 1500;
    RandomMix before(1, exported, shares);
    RunHooks hooks;
    hooks.before = &before;
    hooks.watcher = &latencies;
    SimulationOutcome outcome = simulate(run, source, OpenLoop(), hooks);
    EXPECT_EQ(outcome.result["power"]["boots"], 1);
    EXPECT_EQ(outcome.result["power"]["lost_commands"], noise > 0 ? 1 : 0) << "the last read of the noise";
    outcome.result = {{"boot", outcome.result["power"]["boot_steps"]}, {"latencies", latencies.all()}};
    return outcome;
}

struct Drive {
    const char* name;
    std::vector<std::string> settings;
};
void PrintTo(const Drive& drive, std::ostream* to) {
    *to << drive.name;
}

class PowerCutNoise : public ::testing::TestWithParam<Drive> {};

TEST_P(PowerCutNoise, LeavesNoTraceInTheDrive) {
    const platform::Configuration configuration = preset("tiny", GetParam().settings);
    std::vector<PointJob> jobs;
    for (std::uint64_t noise = 0; noise <= 6; ++noise) {
        jobs.push_back({std::to_string(noise), [&, noise] { return after_noise(configuration, noise); }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (const PointOutcome& drive : outcomes) {
        EXPECT_TRUE(drive.outcome.faults.empty()) << drive.outcome.faults.front();
        EXPECT_GE(drive.outcome.result["latencies"].size(), kProbes);
        EXPECT_EQ(drive.outcome.result, outcomes.front().outcome.result);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Drives, PowerCutNoise,
    ::testing::Values(
        Drive{"default", {}}, Drive{"step_by_step", {"closed_forms=false", "run_ahead=0s"}},
        // The cache has room for all entries, because evicted ones would be written to flash.
        Drive{"cached_map", {"firmware.map_cache.policy=tafp", "firmware.map_cache.translation_page=512"}},
        Drive{"journal", {"firmware.trim.persist=journal", "firmware.recovery.checkpoint_interval=512KiB"}},
        Drive{"dedup", {"firmware.dedup.system=online"}}),
    [](const auto& drive) { return std::string(drive.param.name); });

}  // namespace
}  // namespace solidtlm::testbench
