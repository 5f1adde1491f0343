// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/study.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "testbench/results/summary.h"
#include "testbench/run/child_runs.h"
#include "testbench/studies/striping/jasmine.h"
#include "testbench/studies/striping/point.h"
#include "testbench/studies/striping/table.h"

namespace solidtlm::testbench::striping {
namespace {

using Clock = std::chrono::steady_clock;

/// A table of so many points is read line by line; more are shown as matrices.
constexpr std::size_t kMostLines = 48;

std::vector<PointOutcome> run_all(const CommandLine& line, const Options& options,
                                  const std::vector<SweepPoint>& points,
                                  const std::vector<StreamPlan>& plans) {
    std::vector<PointJob> jobs;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SweepPoint& point = points[i];
        const StreamPlan& plan = plans[i];
        jobs.push_back(PointJob{
            point.name(), [&point, &plan] { return run_point(point.configuration, point.stream, plan); }});
    }
    if (!line.quiet) {
        const Sweep& sweep = options.sweep;
        const std::size_t panels = points.size() / (sweep.channels.size() * sweep.dies.size());
        std::cout << fmt::format(
                         "{} points: {} numbers of channels, {} of dies, {} kinds of traffic; {} at a time\n",
                         points.size(), sweep.channels.size(), sweep.dies.size(), panels, line.jobs)
                  << std::flush;
    }
    return run_points(jobs, pool_of(line));
}

}  // namespace

StudyOutcome run_sweep(const CommandLine& line, const Options& options) {
    const auto began = Clock::now();
    const std::vector<SweepPoint> points = points_of(options.sweep, line.configuration);
    std::vector<Bounds> bounds;
    std::vector<StreamPlan> plans;
    for (const SweepPoint& point : points) {
        bounds.push_back(bounds_of(point.configuration, point.stream));
        plans.push_back(plan_stream(point.configuration, point.stream, options.requests_for(point.stream),
                                    bounds.back().fill_share()));
    }
    std::vector<PointOutcome> outcomes = run_all(line, options, points, plans);
    StudyOutcome study;
    std::vector<MeasuredPoint> measured;
    std::vector<Point> results;
    for (std::size_t i = 0; i < points.size(); ++i) {
        collect_faults(points[i].name(), outcomes[i], study);
        Json& result = outcomes[i].outcome.result;
        if (result.is_null()) {
            continue;
        }
        measured.push_back(MeasuredPoint{points[i].panel, points[i].channels, points[i].dies,
                                         measured_of(result, points[i].stream.operation), bounds[i]});
        results.push_back(Point{points[i].parameters(), std::move(result), measured.back().derived()});
    }
    study.result = make_study_result(study_info("tb_striping", line, began), results, {});
    const std::vector<Figure> figures = heat_maps(measured);
    add_figures(study.result, figures);
    study.text = tables(measured, options.details || measured.size() <= kMostLines, style_for(1));
    return study;
}

StudyOutcome run_jasmine(const CommandLine& line, const Options& options) {
    const auto began = Clock::now();
    const Stream stream = jasmine_stream();
    std::vector<PointJob> jobs;
    for (const JasmineCase& which : jasmine_cases()) {
        const platform::Configuration configuration = jasmine_configuration(which, line.configuration);
        const StreamPlan plan = plan_stream(configuration, stream, options.requests_for(stream),
                                            bounds_of(configuration, stream).fill_share());
        jobs.push_back(PointJob{
            which.claim, [configuration, stream, plan] { return run_point(configuration, stream, plan); }});
    }
    std::vector<PointOutcome> outcomes = run_points(jobs, pool_of(line));
    StudyOutcome study;
    std::vector<Point> results;
    std::vector<Claim> claims;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const JasmineCase& which = jasmine_cases()[i];
        collect_faults(which.claim, outcomes[i], study);
        Json& result = outcomes[i].outcome.result;
        if (result.is_null()) {
            continue;
        }
        claims.push_back(jasmine_claim(which, measured_of(result, Operation::read).mb_per_s));
        results.push_back(Point{{{"channels", which.channels}, {"ways", which.ways}}, std::move(result)});
    }
    study.result = make_study_result(study_info("tb_striping", line, began), results, claims);
    study.text = summarize(study.result, style_for(1));
    return study;
}

}  // namespace solidtlm::testbench::striping
