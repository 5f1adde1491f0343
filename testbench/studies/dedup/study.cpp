// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/study.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <list>

#include "testbench/results/summary.h"
#include "testbench/studies/dedup/claims.h"
#include "testbench/studies/dedup/figures.h"
#include "testbench/studies/dedup/jobs.h"
#include "testbench/studies/dedup/tables.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench::dedup {
namespace {

/// All runs, and what they are given: loads of sensitivities stay where they are.
struct Plan {
    std::vector<Load> loads;
    std::list<Load> varied;
    std::vector<StudyJob> jobs;
};

/// What is varied, and what the systems are given for it.
struct Axis {
    Variation variation;
    std::string workload;
    double share = 1.0;     ///< of its requests
    std::string more = {};  ///< added to its description
};

/// Parts of the load: enough of it where nothing needs to be collected.
constexpr double kPart = 0.25;

void add_loads(const Options& options, std::vector<Axis>& axes) {
    constexpr double kPercent = 100.0;
    for (const std::uint32_t percent : options.duplicates) {
        axes.push_back({{"duplicates", static_cast<double>(percent)},
                        "webvm",
                        1.0,
                        fmt::format(",duplicates={}", percent / kPercent)});
    }
    for (const std::string& idle : options.idles) {
        const double ms = std::chrono::duration<double, std::milli>(*parse_duration(idle)).count();
        axes.push_back({{"idle", ms}, "app_install", 1.0, ",idle=" + idle});
    }
    for (const double speed : options.speeds) {
        axes.push_back({{"speed", speed, {}, speed}, "app_install"});
    }
}

void add_drives(const Options& options, std::vector<Axis>& axes) {
    constexpr double kKilo = 1000.0;
    for (const std::string& byte_time : options.byte_times) {
        const double ns = std::chrono::duration<double, std::nano>(*parse_duration(byte_time)).count();
        axes.push_back({{"byte_time", ns, {"nand.bus.byte_time=" + byte_time}}, "webvm", kPart});
    }
    for (const std::uint32_t us : options.md5_us) {
        axes.push_back(
            {{"md5", static_cast<double>(us), {fmt::format("hash.md5_per_4k={}us", us)}}, "webvm", kPart});
    }
    for (const std::string& table : options.tables) {
        const std::uint64_t bytes = *parse_size(table);
        axes.push_back({{"table",
                         static_cast<double>(bytes) / kKilo,
                         {fmt::format("firmware.dedup.table_size={}", bytes)}},
                        "webvm",
                        kPart});
    }
}

void add_sensitivity(const CommandLine& line, const Options& options, const Drive& drive, Plan& plan) {
    std::vector<Axis> axes;
    add_loads(options, axes);
    add_drives(options, axes);
    for (const Axis& axis : axes) {
        const LoadSpec spec = options.varied(axis.workload, axis.share, axis.more);
        plan.varied.push_back(std::move(read_loads({&spec, 1}, line).front()));
        for (const std::string& system : options.systems) {
            const bool searches = axis.variation.parameter == "md5" || axis.variation.parameter == "table";
            if (system != "none" || !searches) {
                plan.jobs.push_back(
                    sensitivity_job(plan.varied.back(), system_named(system), drive, axis.variation));
            }
        }
    }
}

void add_power(const Options& options, const Drive& drive, Plan& plan) {
    std::vector<System> systems;
    for (const std::string& name : options.systems) {
        if (name != "online") {
            systems.push_back(system_named(name));
            continue;
        }
        for (const char* protection : {"none", "capacitor", "journal"}) {
            systems.push_back(online_with(protection));
        }
    }
    for (const System& system : systems) {
        for (const Moment moment : {Moment::at_once, Moment::idle}) {
            plan.jobs.push_back(power_job(system, moment, drive));
        }
    }
}

Plan plan_of(const CommandLine& line, const Options& options) {
    Plan plan;
    const Drive drive{line.configuration, options.used, line.speed};
    if (options.has("systems")) {
        plan.loads = read_loads(options.loads(), line);
        for (const Load& load : plan.loads) {
            for (const std::string& name : options.systems) {
                const System system = name == "online" ? online_with(options.protection) : system_named(name);
                plan.jobs.push_back(system_job(load, system, drive));
            }
        }
    }
    if (options.has("power")) {
        add_power(options, drive, plan);
    }
    if (options.has("sensitivity")) {
        add_sensitivity(line, options, drive, plan);
    }
    return plan;
}

/// What is in the load, beside what was measured on it.
void add_load(const Json& name, const std::vector<Load>& loads, Json& derived) {
    for (const Load& load : loads) {
        if (name == load.name) {
            for (const char* property :
                 {"distinct_contents", "repeated_share", "duplicate_share", "idle_share"}) {
                derived[property] = load.properties[property];
            }
        }
    }
}

void tell_absent(const Options& options, bool quiet) {
    for (const std::string& path : options.absent()) {
        if (!quiet && options.has("systems")) {
            std::cout << fmt::format("{} is not there: left out\n", path) << std::flush;
        }
    }
}

}  // namespace

StudyOutcome run_study(const CommandLine& line, const Options& options) {
    const auto began = std::chrono::steady_clock::now();
    tell_absent(options, line.quiet);
    const Plan plan = plan_of(line, options);
    std::vector<PointOutcome> outcomes = run_jobs(plan.jobs, line);
    StudyOutcome study;
    std::vector<Measured> measured;
    std::vector<Point> points;
    std::vector<Curve> curves;
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
        const StudyJob& job = plan.jobs[i];
        collect_faults(job.name, outcomes[i], study);
        Json& result = outcomes[i].outcome.result;
        if (result.is_null()) {
            continue;
        }
        measured.push_back(Measured{job.parameters, derived_of(job.parameters, result), Json(nullptr)});
        if (job.parameters["part"] == "systems") {
            add_load(job.parameters["load"], plan.loads, measured.back().derived);
            curves.push_back(
                {measured.back().text("load"), measured.back().text("system"), found_over_time(result)});
        }
        points.push_back(Point{job.parameters, std::move(result), measured.back().derived});
    }
    study.result = make_study_result(study_info("tb_dedup", line, began), points, claims_of(measured));
    const std::vector<Figure> figures = figures_of(measured, curves);
    add_figures(study.result, figures);
    const TextStyle style = style_for(1);
    study.text = tables_of(measured, plan.loads, style) + claims_table(study.result.at("claims"), style);
    return study;
}

}  // namespace solidtlm::testbench::dedup
