// SPDX-License-Identifier: Apache-2.0
//
// Keys that are refused because they have no effect really have none: runs with and without each of them give
// the same result.
#include <gtest/gtest.h>

#include <chrono>

#include "platform/idle_keys_test_support.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

/// What the keys of a rule need to act.
enum class LoadKind {
    busy,
    cut,       ///< power is cut several times
    in_pauses  ///< few contents, written by a host that pauses before each request
};

LoadKind load_for(const platform::IdleRule& rule) {
    return rule.covers("nand.power_cut")                  ? LoadKind::cut
           : rule.covers("firmware.cycles.dedup_compare") ? LoadKind::in_pauses
                                                          : LoadKind::busy;
}

/// Requests that come when the drive has found the host idle.
class Pausing : public RequestSource {
  public:
    Pausing(RequestSource& source, hal::Ps idle_threshold)
        : source_(source), pause_(idle_threshold + std::chrono::milliseconds(5)) {}
    bool next(Request& request) override {
        const bool more = source_.next(request);
        at_ += pause_;
        request.arrival = at_;
        return more;
    }

  private:
    RequestSource& source_;
    hal::Ps pause_;
    hal::Ps at_{0};
};

SimulationOutcome run(const platform::Configuration& configuration, LoadKind load) {
    constexpr std::uint64_t kSeed = 7;
    RandomMix::Shares shares;
    shares.requests = 600;
    RunSpec settings = run_of(configuration);
    settings.precondition = parse_preconditioning("fill=1,random=3,trim=0.1");
    constexpr int kCuts = 10;
    for (int cut = 1; load == LoadKind::cut && cut <= kCuts; ++cut) {
        settings.power_cuts.at.push_back(std::chrono::milliseconds(3 * cut));
    }
    RunHooks hooks;
    hooks.failures_are_faults = false;  // because flash may be worn out
    const std::uint64_t sectors = configuration.firmware.exported_sectors;
    if (load == LoadKind::in_pauses) {
        shares.whole_units = true;
        RepetitiveMix mix(kSeed, sectors, shares);
        Pausing source(mix, configuration.firmware.idle_threshold);
        return simulate(settings, source, OpenLoop(), hooks);
    }
    RandomMix source(kSeed, sectors, shares);
    return simulate(settings, source, ClosedLoop(8), hooks);
}

/// The whole outcome of a run, except its configuration and wall time.
std::string told(const PointOutcome& point) {
    for (const std::string& fault : point.outcome.faults) {
        ADD_FAILURE() << fault;
    }
    Json result = without_wall_times(point.outcome.result);
    EXPECT_EQ(result.erase("config"), 1U);
    return result.dump(1);
}

class IdleKeysOfADrive : public testing::TestWithParam<std::size_t> {
  protected:
    /// The settings that change the outcome of a drive with `settings`.
    static std::vector<std::string> changing(const platform::Settings& settings,
                                             const std::vector<std::string>& candidates, LoadKind load) {
        std::vector<PointJob> jobs;
        const auto add = [&jobs, load](const std::string& name, const platform::Settings& with) {
            jobs.push_back(
                {name, [drive = platform::idle_key_drive(with, true), load] { return run(drive, load); }});
        };
        add("without", settings);
        for (const std::string& candidate : candidates) {
            add(candidate, platform::with_setting(settings, candidate));
        }
        const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{1, true});
        const std::string without = told(outcomes[0]);
        std::vector<std::string> changing;
        for (std::size_t i = 1; i < outcomes.size(); ++i) {
            if (told(outcomes[i]) != without) {
                changing.push_back(jobs[i].name);
            }
        }
        return changing;
    }
};

TEST_P(IdleKeysOfADrive, ChangeNoResultUnlessTheyAct) {
    const platform::IdleCase& of_rule = platform::idle_cases().at(GetParam());
    std::vector<std::string> settings;
    for (const platform::ConfigurationKey* key : keys_of(platform::idle_rules()[GetParam()])) {
        settings.push_back(other_setting(*key, of_rule.acting));
        ASSERT_NE(settings.back(), "") << key->name;
    }
    const LoadKind load = load_for(platform::idle_rules()[GetParam()]);
    EXPECT_EQ(changing(of_rule.idle, settings, load), std::vector<std::string>{});
    EXPECT_FALSE(changing(of_rule.acting, settings, load).empty())
        << "the load does not reach " << settings[0];
}

INSTANTIATE_TEST_SUITE_P(Rules, IdleKeysOfADrive,
                         testing::Range(std::size_t{0}, platform::idle_cases().size()));

}  // namespace
}  // namespace solidtlm::testbench
