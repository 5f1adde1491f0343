// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/study.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "testbench/results/summary.h"
#include "testbench/run/child_runs.h"
#include "testbench/studies/fragmentation/claims.h"
#include "testbench/studies/fragmentation/figures.h"
#include "testbench/studies/fragmentation/point.h"
#include "testbench/studies/fragmentation/speed_up.h"
#include "testbench/studies/fragmentation/table.h"

namespace solidtlm::testbench::fragmentation {
namespace {

using Clock = std::chrono::steady_clock;

/// One system on one load, and what came of it.
struct Run {
    const SystemPoint* point;
    const Load* load;
    const NamedProfile* profile;
};

std::string name_of(const Run& run) {
    return fmt::format("{}: {}", run.load->name, run.point->system.name());
}

Json parameters_of(const Run& run, std::uint32_t depth) {
    const platform::Configuration& configuration = run.point->configuration;
    Json parameters{
        {"load", run.load->name},
        {"layer", run.point->system.layer},
        {"striping", run.point->system.striping},
        {"sequential_rule", run.point->system.rule},
        {"log_nand_blocks", run.point->system.layer == "page_map"
                                ? 0
                                : configuration.firmware.block_map.log_blocks * columns_of(configuration)}};
    if (depth > 0) {
        parameters["queue_depth"] = depth;
    }
    return parameters;
}

PointJob job_of(const Run& run, const Options& options) {
    const std::uint32_t depth = options.depth;
    if (options.timed()) {
        return PointJob{name_of(run), [run, depth] { return run_timed(*run.point, *run.load, depth); }};
    }
    return PointJob{name_of(run), [run] { return run_counted(*run.point, *run.load, run.profile->profile); }};
}

std::vector<NamedProfile> profiles_of(const Options& options) {
    std::vector<NamedProfile> profiles;
    for (const Load& load : options.loads) {
        // All systems export the same.
        profiles.push_back({load.name, profile_of(load, options.systems.front().configuration)});
        if (profiles.back().profile.pages_written == 0) {
            throw InputError(load.name + ": there is no write in it");
        }
    }
    return profiles;
}

std::vector<Run> runs_of(const Options& options, const std::vector<NamedProfile>& profiles) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < options.loads.size(); ++i) {
        for (const SystemPoint& point : options.systems) {
            runs.push_back(Run{&point, &options.loads[i], &profiles[i]});
        }
    }
    return runs;
}

/// What the run observed, taken out of its result.
Observed observed_of(const Run& run, Json& result) {
    Observed observed = detach(result);
    observed.system = run.point->system;
    observed.load = run.load->name;
    const double seconds = flash_seconds(observed.work, run.point->configuration);
    constexpr double kBytesPerMb = 1e6;
    observed.flash_bound_mb_per_s =
        seconds > 0.0 ? static_cast<double>(run.profile->profile.bytes) / kBytesPerMb / seconds : 0.0;
    return observed;
}

/// The cost of the rule with other sizes of the log: FAST, full striping, counted.
class LogSweep {
  public:
    LogSweep(const Options& options, const platform::Configuration& base,
             const std::vector<NamedProfile>& profiles) {
        const Sweep& sweep = options.sweep;
        const auto ran = [&](const char* name, const auto& list) {
            return std::ranges::find(list, name) != list.end();
        };
        if (!ran("fast", sweep.layers) || !ran("full", sweep.striping) || sweep.rules.size() < 2) {
            return;
        }
        for (const std::uint32_t blocks : options.log_sweep) {
            Sweep other = sweep;
            other.log_blocks = blocks;
            for (const bool rule : {true, false}) {
                try {
                    points_.push_back(system_point(System{"fast", "full", rule}, other, base));
                    sizes_.push_back(blocks);
                } catch (const platform::ConfigurationError&) {
                    break;  // too small for the layer, or too large for the drive: not in the figure
                }
            }
        }
        for (std::size_t i = 0; i < options.loads.size(); ++i) {
            for (const SystemPoint& point : points_) {
                runs_.push_back(Run{&point, &options.loads[i], &profiles[i]});
            }
        }
    }

    void add_jobs(std::vector<PointJob>& jobs) const {
        for (const Run& run : runs_) {
            jobs.push_back(PointJob{fmt::format("{}, another log", name_of(run)), [run] {
                                        return run_counted(*run.point, *run.load, run.profile->profile);
                                    }});
        }
    }
    [[nodiscard]] std::vector<LogCurve> curves(std::span<PointOutcome> outcomes) const {
        std::vector<LogCurve> curves;
        for (std::size_t i = 0; i + 1 < runs_.size(); i += 2) {
            Json& with = outcomes[i].outcome.result;
            Json& without = outcomes[i + 1].outcome.result;
            if (with.is_null() || without.is_null()) {
                continue;
            }
            const std::vector<Observed> pair{observed_of(runs_[i], with), observed_of(runs_[i + 1], without)};
            if (curves.empty() || curves.back().load != pair[0].load) {
                curves.push_back(LogCurve{pair[0].load, {}});
            }
            curves.back().points.emplace_back(sizes_[i % sizes_.size()],
                                              cost_of_rule(pair, pair[0]).value_or(0.0));
        }
        return curves;
    }

  private:
    std::vector<SystemPoint> points_;   ///< with and without the rule, size by size
    std::vector<std::uint32_t> sizes_;  ///< of each of them
    std::vector<Run> runs_;
};

StudyInfo study_info(const CommandLine& line, Clock::time_point began) {
    StudyInfo info;
    info.scenario = "tb_fragmentation";
    info.seed = line.configuration.seed;
    info.config = platform::to_json(line.configuration);
    info.wall_time_s = std::chrono::duration<double>(Clock::now() - began).count();
    return info;
}

std::string speed_up_layer(const Options& options) {
    const std::vector<std::string>& layers = options.sweep.layers;
    return std::ranges::find(layers, "fast") != layers.end() ? "fast" : layers.front();
}

}  // namespace

StudyOutcome run_study(const CommandLine& line, const Options& options) {
    const auto began = Clock::now();
    const std::vector<NamedProfile> profiles = profiles_of(options);
    const std::vector<Run> runs = runs_of(options, profiles);
    const LogSweep log_sweep(options, line.configuration, profiles);
    const std::string layer = speed_up_layer(options);
    std::vector<PointJob> jobs;
    for (const Run& run : runs) {
        jobs.push_back(job_of(run, options));
    }
    for (PointJob& job : speed_up_jobs(line.configuration, layer)) {
        jobs.push_back(std::move(job));
    }
    const std::size_t first_log = jobs.size();
    log_sweep.add_jobs(jobs);
    if (!line.quiet) {
        std::cout << fmt::format("{} systems on {} loads, {}; {} at a time\n", options.systems.size(),
                                 options.loads.size(), options.timed() ? "full timing" : "counted", line.jobs)
                  << std::flush;
    }
    std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{line.jobs, line.quiet});

    StudyOutcome study;
    std::vector<Observed> all;
    std::vector<Point> points;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        for (const std::string& fault : outcomes[i].outcome.faults) {
            study.faults.push_back(fmt::format("{}: {}", jobs[i].name, fault));
        }
        Json& result = outcomes[i].outcome.result;
        if (i < runs.size() && !result.is_null()) {
            all.push_back(observed_of(runs[i], result));
            points.push_back(Point{parameters_of(runs[i], options.timed() ? options.depth : 0),
                                   std::move(result), all.back().derived()});
        }
    }
    const std::span<PointOutcome> rest(outcomes);
    std::vector<Claim> claims = claims_of(all);
    const std::vector<SpeedUp> speed_ups =
        speed_ups_of(line.configuration, layer, rest.subspan(runs.size(), first_log - runs.size()));
    if (!speed_ups.empty()) {
        claims.push_back(speed_up_claim(speed_ups));
    }
    std::vector<Figure> figures = access_patterns(profiles);
    for (Figure& figure : study_figures(all)) {
        figures.push_back(std::move(figure));
    }
    const std::vector<LogCurve> curves = log_sweep.curves(rest.subspan(first_log));
    if (!curves.empty()) {
        figures.push_back(log_figure(curves));
    }
    study.result = make_study_result(study_info(line, began), points, claims);
    add_figures(study.result, figures);
    const TextStyle style = style_for(1);
    Json claims_alone = study.result;
    claims_alone["points"] = Json::array();
    study.text = load_table(profiles, options.sweep.scale, style) + system_tables(all, style) + "\n" +
                 summarize(claims_alone, style);
    return study;
}

}  // namespace solidtlm::testbench::fragmentation
