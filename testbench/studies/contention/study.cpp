// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/study.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "testbench/studies/contention/derived.h"
#include "testbench/studies/contention/figures.h"
#include "testbench/studies/contention/table.h"

namespace solidtlm::testbench::contention {
namespace {

/// A table of so many points is read line by line; of more only the matrix and the answers are shown.
constexpr std::size_t kMostLines = 36;

std::vector<PointOutcome> run_all(const CommandLine& line, const Load& load,
                                  const std::vector<SweepPoint>& points) {
    std::vector<PointJob> jobs;
    for (const SweepPoint& point : points) {
        (void)LoadSource(load, point.configuration);  // mistakes show before anything runs
        jobs.push_back(PointJob{point.name(), [&point, &load] {
                                    return run_point(point.configuration, load, point.panel.depth);
                                }});
    }
    if (!line.quiet) {
        std::cout << fmt::format("{} points of {}; {} at a time\n", points.size(), load.workload, line.jobs)
                  << std::flush;
    }
    return run_points(jobs, pool_of(line));
}

MeasuredPoint measured_point(const SweepPoint& point, const Json& result) {
    const hw::NandGeometry& geometry = point.configuration.nand.geometry;
    const Demand demand = demand_of(point.configuration, result, point.panel.depth);
    return MeasuredPoint{point.panel,
                         point.channels,
                         point.cache_bytes,
                         measured_of(result),
                         demand,
                         bounds_of(demand, geometry.channels, geometry.total_dies(), point.panel.depth)};
}

}  // namespace

StudyOutcome run_sweep(const CommandLine& line, const Options& options) {
    const auto began = std::chrono::steady_clock::now();
    const std::vector<SweepPoint> points = points_of(options.sweep, line.configuration);
    const Load load = options.load_of(line);
    std::vector<PointOutcome> outcomes = run_all(line, load, points);
    StudyOutcome study;
    std::vector<MeasuredPoint> measured;
    std::vector<Point> results;
    for (std::size_t i = 0; i < points.size(); ++i) {
        collect_faults(points[i].name(), outcomes[i], study);
        Json& result = outcomes[i].outcome.result;
        if (result.is_null() || result["host"]["completed"] == 0) {
            continue;
        }
        measured.push_back(measured_point(points[i], result));
        results.push_back(Point{points[i].parameters(), std::move(result)});
    }
    const std::vector<Json> values = derived(measured);
    for (std::size_t i = 0; i < results.size(); ++i) {
        results[i].derived = values[i];
    }
    study.result = make_study_result(study_info("tb_contention", line, began), results, {});
    const std::vector<Figure> figures = figures_of(measured);
    add_figures(study.result, figures);
    study.text = tables(measured, options.details || measured.size() <= kMostLines, style_for(1));
    return study;
}

}  // namespace solidtlm::testbench::contention
