// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/study.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "fw/drive/limits.h"
#include "testbench/results/summary.h"
#include "testbench/simulation/child_runs.h"
#include "testbench/studies/map_cache/claims.h"
#include "testbench/studies/map_cache/figures.h"
#include "testbench/studies/map_cache/point.h"
#include "testbench/studies/map_cache/table.h"

namespace solidtlm::testbench::map_cache {
namespace {

using Clock = std::chrono::steady_clock;

/// One cache on one load.
struct SweepPoint {
    const Load* load;
    const Cache* cache;

    [[nodiscard]] std::string name() const {
        return fmt::format("{}, {}, {} bytes", load->name, cache->policy.name, cache->size_bytes);
    }
};

std::vector<SweepPoint> points_of(const std::vector<Load>& loads, const std::vector<Cache>& caches) {
    std::vector<SweepPoint> points;
    for (const Load& load : loads) {
        for (const Cache& cache : caches) {
            points.push_back(SweepPoint{&load, &cache});
        }
    }
    return points;
}

std::vector<PointOutcome> run_all(const CommandLine& line, const Options& options,
                                  const std::vector<SweepPoint>& points) {
    const std::uint32_t depth = line.queue_depth.value_or(line.configuration.sata.queue_depth);
    std::vector<PointJob> jobs;
    jobs.reserve(points.size());
    for (const SweepPoint& point : points) {
        jobs.push_back(PointJob{point.name(), [&point, &options, depth] {
                                    return options.timed()
                                               ? run_timed(point.cache->configuration, *point.load, depth)
                                               : run_untimed(point.cache->configuration, *point.load);
                                }});
    }
    if (!line.quiet) {
        std::cout << fmt::format("{} points: {} caches on {} loads, timing {}; {} at a time\n", points.size(),
                                 options.caches.size(), points.size() / options.caches.size(), options.timing,
                                 line.jobs)
                  << std::flush;
    }
    return run_points(jobs, pool_of(line));
}

/// Takes `windows_over_time` out of the result of a point: it is for the figures.
Measured take_measured(const SweepPoint& point, Json& result) {
    Measured measured = measured_of(result.at("map_cache"));
    measured.load = point.load->name;
    measured.policy = point.cache->policy;
    if (result.contains("windows_over_time")) {
        const Json& section = result.at("map_cache");
        for (const WindowShare& window : measured.windows) {
            for (std::size_t i = 0; i < section.at("windows").size(); ++i) {
                if (section.at("windows")[i].at("entries") == window.entries) {
                    measured.windows_over_time.push_back(result["windows_over_time"][i]);
                }
            }
        }
        result.erase("windows_over_time");
    }
    return measured;
}

Json parameters_of(const SweepPoint& point, const Options& options) {
    return {{"workload", point.load->name},
            {"policy", point.cache->policy.name},
            {"cache_bytes", point.cache->size_bytes},
            {"timing", options.timing}};
}

StudyInfo study_info(const CommandLine& line, Clock::time_point began) {
    StudyInfo info;
    info.scenario = "tb_map_cache";
    info.seed = line.configuration.seed;
    info.config = platform::to_json(line.configuration);
    info.wall_time_s = std::chrono::duration<double>(Clock::now() - began).count();
    return info;
}

std::string text_of(const std::vector<Measured>& measured, const std::vector<Load>& loads,
                    const Options& options, const Json& result) {
    const TextStyle style = style_for(1);
    return cache_tables(measured, options.details, style) + load_table(loads, style) +
           reduction_table(table_three(measured), style) + claims_table(result.at("claims"), style);
}

}  // namespace

StudyOutcome run_study(const CommandLine& line, const Options& options) {
    const auto began = Clock::now();
    const std::vector<Load> loads = read_loads(options.loads, line);
    const std::vector<SweepPoint> points = points_of(loads, options.caches);
    std::vector<PointOutcome> outcomes = run_all(line, options, points);
    StudyOutcome study;
    std::vector<Measured> measured;
    std::vector<Point> results;
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (const std::string& fault : outcomes[i].outcome.faults) {
            study.faults.push_back(fmt::format("{}: {}", points[i].name(), fault));
        }
        Json& result = outcomes[i].outcome.result;
        if (result.is_null()) {
            continue;
        }
        measured.push_back(take_measured(points[i], result));
        results.push_back(
            Point{parameters_of(points[i], options), std::move(result), measured.back().derived()});
    }
    std::vector<LoadShape> shapes;
    shapes.reserve(loads.size());
    for (const Load& load : loads) {
        shapes.push_back(LoadShape{load.name, shape_of(load.properties)});
    }
    const std::vector<Claim> claims = claims_of(measured, shapes, line.limit != 0);
    study.result = make_study_result(study_info(line, began), results, claims);
    const std::uint32_t whole = fw::map_area_size(line.configuration.firmware).entries;
    add_figures(study.result, figures_of(measured, loads, whole));
    study.text = text_of(measured, loads, options, study.result);
    return study;
}

}  // namespace solidtlm::testbench::map_cache
