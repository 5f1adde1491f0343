// SPDX-License-Identifier: Apache-2.0
//
// A result after a warm-up covers only the window: the whole run less the counts when the window began. With
// one command at a time, a run that ends there has reached the same instant.
#include "testbench/sim/child_runs.h"
#include "testbench/sim/host/warm_up.h"
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kBefore = 6000;
constexpr std::uint64_t kAll = 10'000;

/// The first `count` requests of a workload; both parts end with a flush, so that no command is under way
/// there.
class Part : public RequestSource {
  public:
    Part(const std::string& spec, std::uint64_t sectors, std::uint64_t count)
        : source_(make_workload(parse_workload(spec, sectors))), count_(count) {}
    bool next(Request& request) override {
        if (next_ == count_ || !source_->next(request)) {
            return false;
        }
        ++next_;
        if (next_ == kBefore || next_ == kAll) {
            request.clear();
            request.operation = Operation::flush;
        }
        return true;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return count_; }

  private:
    std::unique_ptr<RequestSource> source_;
    std::uint64_t count_;
    std::uint64_t next_ = 0;
};

struct Variant {
    const char* name;
    std::vector<std::string> settings;
    std::string workload = "random,read=0.4,trim=0.05,size=4k:2/16k:1";
    std::uint32_t depth = 1;
    bool cuts = false;
};

void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
}

SimulationOutcome run(const Variant& variant, std::uint64_t count, std::uint64_t warm_up) {
    std::vector<std::string> settings = variant.settings;
    settings.emplace_back("ssd.over_provisioning=0.5");
    const platform::Configuration configuration = preset("tiny", settings);
    Part source(variant.workload, configuration.firmware.exported_sectors, count);
    RunSpec simulation;
    simulation.configuration = configuration;
    simulation.warm_up = warm_up;
    if (variant.cuts) {
        simulation.power_cuts.at = {40'000 * kMicrosecond, 1'200'000 * kMicrosecond};
    }
    return simulate(simulation, source, ClosedLoop(variant.depth));
}

/// The results of the window, of the whole run, and of the run that ends where the window begins.
struct Results {
    Json window;
    Json whole;
    Json before;
};

Results run_all(const Variant& variant) {
    const std::vector<PointJob> jobs{{"window", [&] { return run(variant, kAll, kBefore); }},
                                     {"whole", [&] { return run(variant, kAll, 0); }},
                                     {"before", [&] { return run(variant, kBefore, 0); }}};
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (const PointOutcome& each : outcomes) {
        for (const std::string& fault : each.outcome.faults) {
            ADD_FAILURE() << fault;
        }
    }
    return {outcomes[0].outcome.result, outcomes[1].outcome.result, outcomes[2].outcome.result};
}

SimulationOutcome run_one(const Variant& variant, std::uint64_t count, std::uint64_t warm_up) {
    const std::vector<PointJob> jobs{{variant.name, [&] { return run(variant, count, warm_up); }}};
    return run_points(jobs, PointPool{1, true}).front().outcome;
}

/// Numbers that describe a state or are not sums of counts; they are those at the end of the window.
bool is_state(const std::string& path) {
    for (const char* state :
         {"/firmware/ftl.free_superblocks", "/firmware/ftl.retired_superblocks",
          "/firmware/host.unwritten_units", "/map_cache/size_bytes", "/map_cache/translation_pages",
          "/block_map/block_pages", "/block_map/data_blocks", "/block_map/log_blocks/used",
          "/block_map/log_blocks/most", "/block_map/block_utilization", "/dedup/shared_pages",
          "/dedup/references", "/dedup/saved_pages", "/dedup/waiting", "/dedup/table_entries",
          "/dedup/table_bytes"}) {
        if (path == state) {
            return true;
        }
    }
    return false;
}

/// Ratios and means, which follow from counts that are compared.
bool is_mean(const std::string& path) {
    return path.starts_with("/map_cache/hit_ratio") || path.starts_with("/map_cache/penalty_us") ||
           (path.starts_with("/map_cache/miss_us") && !path.ends_with("/misses"));
}

void expect_difference(const Results& results, const std::string& section) {
    const Json window = Json{{section, results.window[section]}}.flatten();
    const Json whole = Json{{section, results.whole[section]}}.flatten();
    const Json before = Json{{section, results.before[section]}}.flatten();
    std::size_t counted = 0;
    for (const auto& [path, value] : window.items()) {
        ASSERT_TRUE(whole.contains(path)) << path;
        if (!value.is_number() || is_mean(path)) {
            continue;
        }
        if (is_state(path)) {
            EXPECT_EQ(value, whole[path]) << path;
            continue;
        }
        const double expected = whole[path].get<double>() - before.value(path, 0.0);
        EXPECT_NEAR(value.get<double>(), expected, 1e-9 * std::abs(expected)) << path;
        counted += expected > 0 ? 1 : 0;
    }
    EXPECT_GT(counted, 3U) << section << " says too little to tell";
}

double at(const Json& result, const char* path) {
    return result.at(Json::json_pointer(path)).get<double>();
}

class SteadyWindowSections : public ::testing::TestWithParam<Variant> {};

TEST_P(SteadyWindowSections, CountEventsSinceTheWarmUp) {
    const Results results = run_all(GetParam());
    ASSERT_TRUE(results.window.is_object());
    for (const char* section : {"firmware", "nand", "map_cache", "block_map", "dedup"}) {
        if (results.whole.contains(section)) {
            expect_difference(results, section);
        }
    }
    EXPECT_EQ(at(results.window, "/host/completed"), kAll - kBefore);
    EXPECT_EQ(at(results.window, "/firmware/host.commands"), kAll - kBefore);
    // The host has nothing under way at either end: the array has programmed what the firmware counts.
    const double programs = at(results.window, "/nand/by_cause/host/programs");
    const double written = at(results.window, "/firmware/ftl.written_units");
    const std::string name = GetParam().name;
    if (name == "block_map") {  // one unit per page
        EXPECT_EQ(programs, written);
        EXPECT_EQ(at(results.window, "/block_map/writes/write_data") +
                      at(results.window, "/block_map/writes/update_pure") +
                      at(results.window, "/block_map/writes/update_wasted"),
                  programs);
    } else if (name != "dedup") {  // it also maps units that it does not program; two units per page
        EXPECT_EQ(2 * programs, written + at(results.window, "/firmware/ftl.padded_units"));
    }
    if (name == "map_cache") {
        EXPECT_EQ(at(results.window, "/nand/by_cause/map/reads"),
                  at(results.window, "/map_cache/flash/miss_reads") +
                      at(results.window, "/map_cache/flash/merge_reads") +
                      at(results.window, "/map_cache/flash/gc_reads") +
                      at(results.window, "/map_cache/flash/copy_reads"));
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, SteadyWindowSections,
                         ::testing::Values(Variant{"page_map", {}},
                                           Variant{"map_cache",
                                                   {"firmware.map_cache.policy=dftl",
                                                    "firmware.map_cache.size=8KiB"}},
                                           Variant{"block_map", {"firmware.translation=bast"}},
                                           Variant{"dedup", {"firmware.dedup.system=online"}}));

// Each request is one command here, and no flush ends the window. The window ends with the first completion
// after the host has found the source empty. At its end, places in the queue are therefore empty for as long
// as it took to send the waiting commands.
TEST(SteadyWindow, TheQueueIsAsFullAsPacingAllows) {
    const std::vector<std::uint32_t> depths{1, 5, 32, 64};
    std::vector<PointJob> jobs;
    for (const std::uint32_t depth : depths) {
        Variant variant{"depth", {"sata.queue_depth=16"}, "random,read=0.4,size=4k"};
        variant.depth = depth;
        jobs.push_back({std::to_string(depth), [variant] { return run(variant, kAll - 1, kBefore + 500); }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < depths.size(); ++i) {
        EXPECT_TRUE(outcomes[i].outcome.faults.empty()) << outcomes[i].outcome.faults.front();
        const double mean = at(outcomes[i].outcome.result, "/host/mean_outstanding");
        EXPECT_LE(mean, depths[i] * (1 + 1e-12));
        EXPECT_GT(mean, depths[i] * 0.99);
        EXPECT_EQ(at(outcomes[i].outcome.result, "/ledger/residual_ns"), 0.0);
    }
}

// With a deep queue, commands and programs are under way when the window begins: at most one queue of them
// more or less.
TEST(SteadyWindow, CountsNoMoreThanTheQueueTwice) {
    constexpr std::uint32_t kDepth = 16;
    const SimulationOutcome outcome =
        run(Variant{"deep", {}, "random,read=0.4,size=4k", kDepth}, kAll, kBefore);
    EXPECT_TRUE(outcome.faults.empty());
    EXPECT_NEAR(at(outcome.result, "/firmware/host.commands"), kAll - kBefore, kDepth);
    EXPECT_NEAR(at(outcome.result, "/host/completed"), kAll - kBefore, kDepth);
}

// The curves also cover the warm-up, because they show whether the drive had become steady.
TEST(SteadyWindow, KeepsTheSeriesOfTheWholeRun) {
    const Results results = run_all(Variant{"page_map", {}});
    EXPECT_TRUE(results.window["series"].is_object());
    const Json edges = results.window["series"].value("measured_us", Json::array());
    ASSERT_EQ(edges.size(), 2U);
    EXPECT_FALSE(results.whole["series"].contains("measured_us"));
    Json curves = results.window["series"];
    curves.erase("measured_us");
    EXPECT_EQ(curves, results.whole["series"]);
    const Json& times = curves["time_us"];
    EXPECT_NEAR(edges[0].get<double>(), results.before["series"]["time_us"].back().get<double>(), 1.0)
        << "the first run ends where the window begins";
    EXPECT_DOUBLE_EQ(edges[1].get<double>(), times.back().get<double>());
}

// One power cut before the window and one within it: counts of the firmware before the cuts are neither lost
// nor counted twice.
TEST(SteadyWindow, CountsOverPowerCuts) {
    const SimulationOutcome outcome =
        run(Variant{"cuts",
                    {"firmware.map_cache.policy=bsb", "firmware.map_cache.size=8KiB"},
                    "random,read=0.4,size=4k",
                    1,
                    true},
            kAll, kBefore);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    ASSERT_EQ(outcome.result["power"]["cuts"], 2);
    const double commands = kAll - kBefore;
    EXPECT_NEAR(at(outcome.result, "/firmware/host.commands"), commands, 2);
    EXPECT_NEAR(at(outcome.result, "/host/completed"), commands, 1)
        << "the cut within the window may lose one";
    EXPECT_LE(at(outcome.result, "/map_cache/hits") + at(outcome.result, "/map_cache/misses"),
              at(outcome.result, "/map_cache/lookups"));
    EXPECT_LT(at(outcome.result, "/map_cache/lookups"), 4 * commands);
    EXPECT_GT(at(outcome.result, "/map_cache/lookups"), commands / 2);
}

// A warm-up that ends by itself, and one with the same number of commands, measure the same.
TEST(SteadyWindow, BeginsWhereTheDriveIsSteady) {
    const Variant variant{"steady", {}, "random,read=0,size=4k", 8};
    constexpr std::uint64_t kCommands = 60'000;
    Json found = run_one(variant, kCommands, kUntilSteady).result;
    const Json warm_up = found["steady_state"]["warm_up"];
    EXPECT_EQ(warm_up["verdict"], "steady") << warm_up;
    const auto commands = warm_up["commands"].get<std::uint64_t>();
    EXPECT_LT(commands, kCommands / 2);
    // Flash has 1.5 times the exported capacity. 13 of 16 superblocks are filled before any is collected: six
    // rounds of a fifth of the exported capacity. In the next five rounds, flash erases as much as it
    // programs, to within a tenth.
    EXPECT_GE(warm_up["rounds"], 10);
    EXPECT_LT(found["series"]["measured_us"][0], found["series"]["time_us"].back());
    found["steady_state"].erase("warm_up");
    EXPECT_EQ(without_wall_times(found), without_wall_times(run_one(variant, kCommands, commands).result));
}

// Half of the requests are measured in any state of the drive.
TEST(SteadyWindow, BeginsAtHalfOfTheRequestsAtTheLatest) {
    const Variant variant{"short", {}, "random,read=0,size=4k", 8};
    const SimulationOutcome outcome = run_one(variant, 1000, kUntilSteady);
    const Json& found = outcome.result;
    EXPECT_EQ(found["steady_state"]["warm_up"]["verdict"], "too short");
    EXPECT_EQ(found["steady_state"]["warm_up"]["commands"], 500);
    EXPECT_NEAR(at(found, "/host/completed"), 500, 8);
    EXPECT_EQ(found["warnings"].size(), 1U);
    EXPECT_TRUE(outcome.faults.empty());
}

}  // namespace
}  // namespace solidtlm::testbench
