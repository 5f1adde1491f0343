// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "testbench/show/summary_sections.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/studies/fragmentation/fragmentation.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/flash_cost.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr std::uint32_t kDies = 4;
constexpr std::uint32_t kPages = 8;

platform::Configuration four_dies(const platform::Configuration& base, const std::string& layer,
                                  std::uint32_t channels, const char* striping) {
    constexpr std::uint64_t kBlocks = 64;  // blocks per plane; exporting a third leaves room for any layer
    const hw::NandGeometry& geometry = base.nand.geometry;
    const std::uint64_t capacity = kBlocks * kDies * geometry.planes / 3 * geometry.block_bytes();
    return variant_of(base, {fmt::format("nand.geometry.channels={}", channels),
                             fmt::format("nand.geometry.dies={}", kDies / channels),
                             "nand.geometry.dies_per_way=1", fmt::format("nand.geometry.blocks={}", kBlocks),
                             fmt::format("ssd.capacity={}", capacity), "firmware.gc.foreground_threshold=1",
                             "firmware.gc.background_threshold=3", "firmware.translation=" + layer,
                             "firmware.block_map.log_blocks=0", "firmware.write_buffer.policy=write_through",
                             fmt::format("firmware.allocation.striping={}", striping)});
}

SimulationOutcome run_write(const platform::Configuration& configuration) {
    Load load;
    load.run.workload =
        fmt::format("sequential,read=0,size={},count=1", kPages * configuration.nand.geometry.page_bytes);
    return simulate(run_of(configuration, 1), *open(load, configuration), ClosedLoop(1),
                    {.scenario = "tb_fragmentation"});
}

/// The part of the write's latency that it spends on flash: the study's simulator has neither link nor DRAM.
double flash_us(const Json& result) {
    double total = 0.0;
    for (const auto& [stage, us] : result["ledger"]["by_operation"]["write"].items()) {
        const bool flash = stage == "array" || stage == "channel_transfer" || stage == "write_buffer_stall" ||
                           stage == "gc_stall" || stage.starts_with("die_wait") ||
                           stage.starts_with("channel_wait");
        total += flash ? us.get<double>() : 0.0;
    }
    return total;
}

/// The load with the same number of requests on a part of the addresses.
Load on_part(Load load, double part) {
    load.run.workload = fmt::format("{},scale={},count={}", load.name, part, load.profile.requests);
    return load;
}

/// Adds jobs with and without the rule, unless the log is less than a whole block or leaves no room for the
/// data.
void add_pair(const Load& load, const Sweep& sweep, const platform::Configuration& base,
              std::vector<StudyJob>& jobs) {
    try {
        for (const SystemPoint& point : {system_point({"fast", "full", true}, sweep, base),
                                         system_point({"fast", "full", false}, sweep, base)}) {
            StudyJob& job = jobs.emplace_back(system_job(point, load, 0));
            job.name = fmt::format("{}, {} log blocks, {}", load.name, sweep.log_blocks, point.system.name());
            job.parameters = {
                {"part", "sensitivity"},
                {"load", load.name},
                {"drive_gib", static_cast<double>(point.configuration.exported_bytes()) / hal::kGiB},
                {"log_blocks", sweep.log_blocks},
                {"sequential_rule", point.system.rule}};
            job.in_result = false;
        }
    } catch (const platform::ConfigurationError&) {
        return;
    }
}

/// Points with the sequential rule for which cost_of_rule() is known.
Selected swept(Points points, const Json& wanted = Json::object()) {
    Selected found = select(select(points, {{"part", "sensitivity"}, {"sequential_rule", true}}), wanted);
    std::erase_if(found, [points](const Measured* point) { return !cost_of_rule(points, *point); });
    return found;
}

/// The PC application by drive and log.
Matrix grid_of(Points points) {
    return {swept(points, {{"load", kPcApplication}}), "drive_gib", "log_blocks", Matrix::Order::ascending};
}

/// For each drive the point with the largest log: the kinds of writes hardly depend on the log.
Selected largest_logs(const Matrix& grid) {
    Selected largest;
    for (const Json& drive : grid.rows()) {
        const auto log = std::find_if(grid.columns().rbegin(), grid.columns().rend(),
                                      [&](const Json& each) { return grid.at(drive, each) != nullptr; });
        largest.push_back(grid.at(drive, *log));
    }
    return largest;
}

Value cost_in(Points points) {
    return {[points](const Measured& point) { return cost_of_rule(points, point); }};
}

/// For the largest drive of each load.
Figure log_figure(Points points) {
    Selected lines;
    for (const Json& load : sorted_values_of(swept(points), "load")) {
        const Json largest = sorted_values_of(swept(points, {{"load", load}}), "drive_gib").back();
        std::ranges::copy(swept(points, {{"load", load}, {"drive_gib", largest}}), std::back_inserter(lines));
    }
    return line_figure(
        {"log-size", "cost of the sequential rule over the size of the log: FAST, full striping",
         "Change of what the flash work allows, with the rule against without; counted, not timed. "
         "The study has 2,048 log blocks."},
        {"log, NAND blocks", true}, {"change of throughput, %"}, lines, "load", "log_blocks",
        cost_in(points));
}

Figure wasted_figure(const Matrix& grid) {
    constexpr double kPublished = 40.0;
    LineFigure figure{
        {"drive-size", "PC application on smaller drives: FAST, full striping",
         "As many requests on fewer blocks: the denser they are written, the more first writes "
         "come too late for their place."},
        {"drive, GiB", true},
        {"%"},
        {{"update_wasted", {}}, {"block utilisation", {}}, {"update_wasted as published", {}, true}}};
    for (const Measured* point : largest_logs(grid)) {
        const double drive = point->value("drive_gib");
        figure.series[0].points.emplace_back(drive, point->value("wasted"));
        figure.series[1].points.emplace_back(drive, point->value("utilisation"));
        figure.series[2].points.emplace_back(drive, kPublished);
    }
    return figure;
}

std::string gib(const Json& drive) {
    return fmt::format("{:g}", drive.get<double>());
}

}  // namespace

double write_time_us(std::uint32_t pages, std::uint32_t dies, std::uint32_t channels, double transfer_us,
                     double program_us) {
    struct Unit {
        std::uint32_t left = 0;
        double ready = 0.0;  ///< asks for the bus from this time on
    };
    std::vector<Unit> units(dies);
    std::vector<double> bus(channels, 0.0);
    for (std::uint32_t page = 0; page < pages; ++page) {
        ++units[page % dies].left;
    }
    double end = 0.0;
    for (std::uint32_t page = 0; page < pages; ++page) {
        std::size_t first = dies;
        for (std::size_t die = 0; die < dies; ++die) {
            if (units[die].left > 0 && (first == dies || units[die].ready < units[first].ready)) {
                first = die;
            }
        }
        double& channel = bus[first % channels];
        channel = std::max(channel, units[first].ready) + transfer_us;
        units[first].ready = channel + program_us;
        --units[first].left;
        end = std::max(end, units[first].ready);
    }
    return end;
}

std::vector<StudyJob> speed_up_jobs(const platform::Configuration& base, const std::string& layer) {
    const FlashCost program = program_cost(base, 1);
    const auto time_us = [&program](std::uint32_t dies, std::uint32_t channels) {
        return write_time_us(kPages, dies, channels, program.bus_us, program.die_us - program.bus_us);
    };
    std::vector<StudyJob> jobs;
    for (const std::uint32_t channels : {1U, 2U, 4U}) {
        for (const char* striping : {"none", "full"}) {
            jobs.push_back(
                {fmt::format("eight pages, {} channels, striping {}", channels, striping),
                 {{"part", "speed_up"}, {"channels", channels}, {"striping", striping}},
                 [drive = four_dies(base, layer, channels, striping)] { return run_write(drive); },
                 [expected = time_us(1, 1) / time_us(kDies, channels)](const Json& result, Measured& point) {
                     point.more = {{"flash_us", flash_us(result)}, {"expected", expected}};
                 },
                 false});
        }
    }
    return jobs;
}

std::vector<StudyJob> sensitivity_jobs(const Sweep& sweep, const std::vector<std::uint32_t>& log_sweep,
                                       const std::vector<double>& drive_sweep, std::span<const Load> loads,
                                       const platform::Configuration& base) {
    std::vector<StudyJob> jobs;
    if (!has(sweep.layers, "fast") || !has(sweep.striping, "full") || sweep.rules.size() < 2) {
        return jobs;
    }
    Sweep other = sweep;
    for (const Load& load : loads) {
        const bool drives = load.name == kPcApplication;
        for (const std::uint32_t log_blocks : log_sweep) {
            other.log_blocks = log_blocks;
            for (const double part : drives ? drive_sweep : std::vector{sweep.drive}) {
                other.drive = part;
                add_pair(drives ? on_part(load, sweep.scale * part) : load, other, base, jobs);
            }
        }
    }
    return jobs;
}

std::vector<Figure> sensitivity_figures(Points points) {
    std::vector<Figure> figures;
    if (!swept(points).empty()) {
        figures.push_back(log_figure(points));
    }
    const Matrix grid = grid_of(points);
    if (grid.rows().size() > 1) {
        figures.push_back(wasted_figure(grid));
        figures.emplace_back(heat_figure(
            {{"cost-map", "PC application: change of throughput by the sequential rule",
              "FAST, full striping; what the flash work allows, counted, not timed. Published: -40 % on a "
              "drive of unknown size."},
             "log, NAND blocks",
             "drive, GiB",
             "%",
             {},
             [](const Json& log) { return log.dump(); },
             gib},
            grid, cost_in(points)));
    }
    return figures;
}

std::string sensitivity_table(Points points, const TextStyle& style) {
    const Matrix grid = grid_of(points);
    if (grid.rows().empty()) {
        return {};
    }
    std::vector<Column> columns{
        text(
            "drive GiB", [](const Measured& point) { return gib(point.parameters["drive_gib"]); },
            Align::right),
        plain("wasted %", "wasted", 1)};
    for (const Json& log : grid.columns()) {
        columns.push_back(text(
            grouped(log.get<double>(), 0),
            [&grid, log, points](const Measured& largest) {
                const Measured* point = grid.at(largest.parameters["drive_gib"], log);
                return point == nullptr ? "-" : fmt::format("{:+.0f} %", *cost_of_rule(points, *point));
            },
            Align::right));
    }
    return heading(
               "What the sequential rule costs the PC application, by size of drive and log (NAND blocks)",
               style) +
           "FAST, full striping; change of what the flash work allows, counted. Published: about 40 % "
           "wasted, "
           "-40 %.\n" +
           rows_table(largest_logs(grid), columns, style);
}

}  // namespace solidtlm::testbench::fragmentation
