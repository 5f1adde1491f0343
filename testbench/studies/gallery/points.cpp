// SPDX-License-Identifier: Apache-2.0
//
// Turns a drive's folder into runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "platform/configuration_keys.h"
#include "platform/energy.h"
#include "platform/interface_facts.h"
#include "platform/units.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/load/workload.h"
#include "testbench/studies/gallery/burst_metrics.h"
#include "testbench/studies/gallery/gallery.h"
#include "testbench/studies/gallery/scheduled_source.h"
#include "testbench/studies/kit/flash_cost.h"
#include "testbench/studies/kit/grid.h"

namespace solidtlm::testbench::gallery {
namespace {

/// The run for one row.
struct Run {
    RunSpec spec;
    WorkloadConfig load;
    std::optional<Bursts> bursts = {};
    std::optional<WorkloadConfig> lead = {};  ///< load before the bursts
    Ps lead_time{0};
    bool elevator = false;
};

/// Bytes of a request.
double bytes_of(const WorkloadConfig& load) {
    return static_cast<double>(load.sizes.front().sectors * hal::kSectorBytes);
}

std::uint64_t requests_of(double share, const platform::Configuration& configuration,
                          const WorkloadConfig& load) {
    return static_cast<std::uint64_t>(share * static_cast<double>(configuration.exported_bytes()) /
                                      bytes_of(load));
}

/// Whether the elevator is used: more requests are outstanding than the drive has slots.
bool has_elevator(const Campaign& campaign, const Changes& changes) {
    const auto setting = std::ranges::find(campaign.host.settings, kScheduler, &Setting::key);
    if (setting == campaign.host.settings.end() || !changes.in_force(*setting)) {
        return false;
    }
    return changes.guess.starts_with(std::string(kScheduler) + "=") ? changes.guess.ends_with("=deadline")
                                                                    : setting->is == "deadline";
}

/// Bytes of a share of the drive, in whole requests.
std::uint64_t burst_bytes(double share, const platform::Configuration& configuration,
                          const WorkloadConfig& load) {
    return requests_of(share, configuration, load) * static_cast<std::uint64_t>(bytes_of(load));
}

/// Adds writes of the load's size from the drive's beginning, with times scaled to the drive's size.
void add_bursts(const platform::Configuration& configuration, const Burst& burst, double scale, Run& run) {
    const auto scaled = [scale](Ps time) {
        return Ps{std::llround(static_cast<double>(time.count()) / scale)};
    };
    run.bursts = Bursts{static_cast<std::uint32_t>(bytes_of(run.load)),
                        burst_bytes(burst.written, configuration, run.load),
                        burst_bytes(burst.again, configuration, run.load), scaled(burst.pause),
                        burst_bytes(1.0, configuration, run.load)};
    if (!burst.lead.empty()) {
        run.lead = parse_workload(burst.lead, configuration.firmware.exported_sectors);
        run.lead->count = 0;  // as many as fit into its time
        run.lead->seed = configuration.seed;
        run.lead_time = scaled(burst.lead_time);
    }
}

std::uint64_t scaled_writes(const PastTest& test, double scale) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(test.writes) / scale));
}

/// What was written before `past`, over the filled part.
void add_history(const platform::Configuration& configuration, const Test& test,
                 std::vector<PastTest>::const_iterator past, double scale, double request_bytes,
                 Preconditioning& precondition) {
    const double filled = precondition.fill * static_cast<double>(configuration.exported_bytes());
    if (past != test.history.begin() && !(filled > 0.0)) {
        throw InputError(fmt::format("{}: found a history and fill=0; allowed: a filled part", test.name));
    }
    for (auto each = test.history.begin(); each != past; ++each) {
        precondition.repeat.push_back(
            {each->jobs, static_cast<double>(scaled_writes(*each, scale)) * request_bytes / filled});
    }
}

Run run_of(const platform::Configuration& configuration, const Test& test, std::uint32_t depth, double scale,
           const Choice& choice) {
    Run run{testbench::run_of(configuration, depth),
            parse_workload(test.load, configuration.firmware.exported_sectors)};
    run.spec.workload = test.load;
    const auto past = past_test_of(test, depth);
    std::uint64_t measured = test.requests;
    run.spec.warm_up = test.warm_up;
    if (past != test.history.end()) {
        measured = scaled_writes(*past, scale);
        run.spec.warm_up = 0;
    } else if (test.writes > 0.0) {
        measured = requests_of(test.writes, configuration, run.load);
        run.spec.warm_up = requests_of(test.warm_up_writes, configuration, run.load);
    }
    run.load.count = run.spec.warm_up + measured;
    run.load.seed = configuration.seed;
    if (test.burst) {
        run.spec.warm_up = 0;
        add_bursts(configuration, *test.burst, scale, run);
    }
    if (!test.precondition.empty()) {
        run.spec.precondition = parse_preconditioning(test.precondition);
        run.spec.precondition->cache = choice.age_cache;
        run.spec.precondition->cache_bytes = choice.age_cache_bytes;
        add_history(configuration, test, past, scale, bytes_of(run.load), *run.spec.precondition);
    }
    return run;
}

constexpr const char* kBurst = "burst";  // in what a run notes

/// The load of a run, carried out on the drive.
SimulationOutcome carried_out(const Run& run, const BurstScale& scale, DriveToRun& drive) {
    const RunHooks hooks{.scenario = "tb_gallery"};
    const ClosedLoop pacing(run.spec.queue_depth.value());
    if (run.elevator) {
        ScheduledSource source(make_workload(run.load), run.spec.queue_depth.value(),
                               platform::interface_facts(run.spec.configuration).most_depth);
        return simulate(run.spec, source, OpenLoop(), hooks, drive);
    }
    if (!run.bursts) {
        return simulate(run.spec, *make_workload(run.load), pacing, hooks, drive);
    }
    BurstSource source(*run.bursts, run.lead ? make_workload(*run.lead) : nullptr, run.lead_time);
    SimulationOutcome outcome = simulate(run.spec, source, pacing, hooks, drive);
    outcome.noted[kBurst] = burst_metrics(source, scale);
    return outcome;
}

/// Power of the drive in W, with the run's load or without any.
double power_of(const std::string& metric, const Json& result, const platform::Configuration& configuration) {
    if (metric == "power_w") {
        return result["energy"]["mean_power_w"];
    }
    constexpr double kMilliwatts = 1e3;
    const platform::EnergyRates rates = platform::energy_rates(configuration);
    return rates.nand_standby_w + rates.dram_background_w + rates.dram_refresh_w +
           (configuration.energy.link.idle_mw + configuration.energy.core.idle_mw +
            configuration.energy.device.active_mw) /
               kMilliwatts;
}

/// The model's figures, and beside them the published ones: of a mixed load both are of reads and writes
/// together.
void measure(const Json& result, const Campaign& campaign, const Row& row,
             const platform::Configuration& configuration, double request_bytes,
             const std::vector<std::string>& fitted, Measured& point) {
    const Json& host = result["host"];
    constexpr double kPsPerUs = 1e6;
    const double before = campaign.latency_from == LatencyFrom::submission
                              ? static_cast<double>(configuration.host.submit.count()) / kPsPerUs
                              : 0.0;
    std::string fitted_names;
    std::string outside_names;
    const auto add = [](std::string& names, const std::string& name) {
        names += (names.empty() ? "" : ",") + name;
    };
    const auto burst = point.more.find(kBurst);
    const std::string limit = limit_of(result);
    for (const Published& figure : row.figures) {
        constexpr std::string_view kUs = "_us";
        const std::string& metric = figure.metric;
        const auto burst_figure = [&]() -> std::optional<double> {
            const Json& value = (*burst)[metric];
            return value.is_null() ? std::nullopt : std::optional(value.get<double>());
        };
        const std::optional<double> model =
            metric.ends_with("_w")      ? power_of(metric, result, configuration)
            : burst != point.more.end() ? burst_figure()
            : metric.ends_with(kUs)
                ? host["latency_us"][metric.substr(0, metric.size() - kUs.size())].get<double>() - before
                : host[metric].get<double>();
        point.derived["published_" + metric] = figure.value;
        if (model) {
            point.derived[metric] = *model;
            point.derived["error_" + metric] = *model / figure.value - 1.0;
        }
        if (has(fitted, metric)) {
            add(fitted_names, metric);
        }
        // a burst has several speeds, and cliffs and powers are the drive's
        const bool outside = burst != point.more.end()
                                 ? metric.ends_with("mb_per_s") && model && link_decides(result, *model)
                                 : !metric.ends_with("_w") && limit != kByDrive;
        if (outside) {
            add(outside_names, metric);
        }
    }
    point.derived["fitted"] = fitted_names;
    point.derived["limit"] = limit;
    point.derived["outside"] = outside_names;
    point.derived["write_amplification"] = result["write_amplification"];
    point.derived["over_provisioning"] = configuration.over_provisioning;
    point.more["link"] = result["utilization"]["link"];
    point.more["interface"] = result["config"]["host"]["interface"];
    point.more["written"] = rate_over_written(result["series"]);
    for (const Published& figure : row.figures) {
        constexpr double kBytesPerMb = 1e6;
        if (figure.metric == "mb_per_s") {
            point.more["published_bandwidth"] = figure.value;
        } else if (figure.metric == "iops") {
            point.more["published_bandwidth"] = figure.value * request_bytes / kBytesPerMb;
        }
    }
    const auto warnings = result.find("warnings");
    point.derived["drifts"] = warnings != result.end() && !point.more.contains(kBurst);
}

/// Every alternative value of each guess, one at a time; the first entry is empty: no change.
std::vector<std::string> guesses_of(const Drive& drive, const Campaign& campaign, const Choice& choice) {
    std::vector<std::string> guesses{""};
    for (const std::vector<Setting>* settings : {&drive.settings, &campaign.host.settings}) {
        for (const Setting& setting : *settings) {
            for (const std::string& value : setting.range) {
                if (choice.guesses && setting.evidence == Evidence::guessed && value != setting.is &&
                    choice.changes.in_force(setting)) {
                    guesses.push_back(setting.key + "=" + value);
                }
            }
        }
    }
    return guesses;
}

class Jobs {
  public:
    explicit Jobs(const Choice& choice) : choice_(choice) {}

    void add(const Drive& drive, const Campaign& campaign, const Test& test) {
        for (const std::string& guess : guesses_of(drive, campaign, choice_)) {
            issues_.attempt([&] { add(drive, campaign, test, guess); });
        }
    }
    std::vector<StudyJob> take() {
        issues_.report();
        return std::move(jobs_);
    }

  private:
    void add(const Drive& drive, const Campaign& campaign, const Test& test, const std::string& guess) {
        Changes changes = choice_.changes;
        changes.guess = guess;
        for (const Row& row : test.rows) {
            const std::string id =
                fmt::format("{}/{}/{}/{}", drive.name, campaign.name, test.name, row.depth);
            if (!choice_.only.empty() && std::ranges::none_of(choice_.only, [&](const std::string& each) {
                    return matches(id, each);
                })) {
                continue;
            }
            const platform::Configuration configuration = configuration_of(drive, campaign, test, changes);
            const double scale = scale_of(drive);
            Run run = run_of(configuration, test, row.depth, scale, choice_);
            run.elevator = !run.bursts && has_elevator(campaign, changes) &&
                           row.depth > platform::interface_facts(configuration).most_depth;
            StudyJob job{guess.empty() ? id : fmt::format("{}, {}", id, guess),
                         {{"drive", drive.name},
                          {"campaign", campaign.name},
                          {"host", campaign.host.name},
                          {"test", test.name},
                          {"depth", row.depth}},
                         {},
                         [campaign, row, configuration, request_bytes = bytes_of(run.load),
                          fitted = fitted_metrics(id, drive, campaign, test, changes)](const Json& result,
                                                                                       Measured& point) {
                             gallery::measure(result, campaign, row, configuration, request_bytes, fitted,
                                              point);
                         }};
            if (!guess.empty()) {
                job.parameters["guess"] = guess;
            }
            std::shared_ptr<DriveToRun>& shared =
                drives_[platform::to_toml(configuration) +
                        (run.spec.precondition ? to_text(*run.spec.precondition) : "")];
            if (shared == nullptr) {
                shared = std::make_shared<DriveToRun>(run.spec);
            }
            job.drive = shared;
            job.run = [run, burst_scale = burst_scale_of(drive, configuration), drive_to_run = shared] {
                return carried_out(run, burst_scale, *drive_to_run);
            };
            jobs_.push_back(std::move(job));
        }
    }

    const Choice& choice_;
    std::map<std::string, std::shared_ptr<DriveToRun>> drives_;  // by configuration and preconditioning
    std::vector<StudyJob> jobs_;
    VariantIssues issues_;
};

}  // namespace

std::vector<StudyJob> jobs_of(const std::vector<Drive>& drives, const Choice& choice) {
    Jobs jobs(choice);
    for (const Drive& drive : drives) {
        for (const Campaign& campaign : drive.campaigns) {
            for (const Test& test : campaign.tests) {
                jobs.add(drive, campaign, test);
            }
        }
    }
    return jobs.take();
}

}  // namespace solidtlm::testbench::gallery
