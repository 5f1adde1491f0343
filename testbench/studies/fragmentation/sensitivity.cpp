// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "testbench/results/text_table.h"
#include "testbench/studies/fragmentation/point.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr double kPublishedShare = 40.0;
constexpr double kPublishedCost = -40.0;

bool has(const std::vector<std::string>& list, const char* value) {
    return std::ranges::find(list, value) != list.end();
}

/// As many requests on a part of the addresses.
Load on_part(const Load& load, double part, std::uint64_t requests) {
    Load smaller = load;
    smaller.line.workload = fmt::format("{},scale={},count={}", load.name, part, requests);
    return smaller;
}

/// Those of the PC application, by drive and log.
using Grid = std::map<double, std::map<std::uint32_t, Sensitivity>>;
Grid grid_of(std::span<const Sensitivity> all) {
    Grid grid;
    for (const Sensitivity& each : all) {
        if (each.load == kPcApplication) {
            grid[each.drive_gib][each.log_blocks] = each;
        }
    }
    return grid;
}

std::set<std::uint32_t> logs_of(const Grid& grid) {
    std::set<std::uint32_t> logs;
    for (const auto& [drive, row] : grid) {
        for (const auto& [log, cell] : row) {
            logs.insert(log);
        }
    }
    return logs;
}

Figure log_figure(std::span<const Sensitivity> all) {
    LineFigure figure;
    figure.text = {"log-size", "cost of the sequential rule over the size of the log: FAST, full striping",
                   "Change of what the flash work allows, with the rule against without; counted, not timed. "
                   "The study has 2,048 log blocks."};
    figure.x = {"log, NAND blocks", true};
    figure.y.label = "change of throughput, %";
    std::map<std::string, double> drives;  // of each load the largest
    for (const Sensitivity& each : all) {
        drives[each.load] = std::max(drives[each.load], each.drive_gib);
    }
    for (const auto& [load, drive] : drives) {
        LineFigure::Series& series = figure.series.emplace_back();
        series.name = load;
        for (const Sensitivity& each : all) {
            if (each.load == load && each.drive_gib == drive) {
                series.points.emplace_back(each.log_blocks, each.cost_percent);
            }
        }
    }
    return figure;
}

Figure wasted_figure(const Grid& grid) {
    LineFigure figure;
    figure.text = {
        "drive-size", "PC application on smaller drives: FAST, full striping",
        "As many requests on fewer blocks: the denser they are written, the more first writes come "
        "too late for their place."};
    figure.x = {"drive, GiB", true};
    figure.y.label = "%";
    figure.series = {
        {"update_wasted", {}}, {"block utilisation", {}}, {"update_wasted as published", {}, true}};
    for (const auto& [drive, row] : grid) {
        // The kinds of writes hardly depend on the log.
        const Sensitivity& largest = row.rbegin()->second;
        figure.series[0].points.emplace_back(drive, largest.wasted_percent);
        figure.series[1].points.emplace_back(drive, largest.utilisation);
        figure.series[2].points.emplace_back(drive, kPublishedShare);
    }
    return figure;
}

Figure cost_map(const Grid& grid) {
    HeatmapFigure figure;
    figure.text = {
        "cost-map", "PC application: change of throughput by the sequential rule",
        fmt::format("FAST, full striping; what the flash work allows, counted, not timed. Published: "
                    "{:.0f} % on a drive of unknown size.",
                    kPublishedCost)};
    figure.x.label = "log, NAND blocks";
    figure.y.label = "drive, GiB";
    figure.unit = "%";
    const std::set<std::uint32_t> logs = logs_of(grid);
    for (const std::uint32_t log : logs) {
        figure.x_categories.push_back(std::to_string(log));
    }
    for (const auto& [drive, row] : grid) {
        figure.y_categories.push_back(fmt::format("{:g}", drive));
        std::vector<std::optional<double>>& cells = figure.cells.emplace_back();
        for (const std::uint32_t log : logs) {
            const auto cell = row.find(log);
            cells.push_back(cell != row.end() ? std::optional(cell->second.cost_percent) : std::nullopt);
        }
    }
    return figure;
}

}  // namespace

SensitivityStudy::SensitivityStudy(const Options& options, const platform::Configuration& base,
                                   std::span<const NamedProfile> profiles) {
    const Sweep& sweep = options.sweep;
    if (!has(sweep.layers, "fast") || !has(sweep.striping, "full") || sweep.rules.size() < 2) {
        return;
    }
    for (std::size_t i = 0; i < options.loads.size(); ++i) {
        const Load& load = options.loads[i];
        const Profile& profile = profiles[i].profile;
        for (const std::uint32_t log_blocks : options.log_sweep) {
            Sweep other = sweep;
            other.log_blocks = log_blocks;
            if (load.name != kPcApplication) {
                add(load, profile, other, base);
                continue;
            }
            for (const double part : options.drive_sweep) {
                other.drive = part;
                add(on_part(load, sweep.scale * part, profile.requests), profile, other, base);
            }
        }
    }
}

void SensitivityStudy::add(const Load& load, const Profile& profile, const Sweep& sweep,
                           const platform::Configuration& base) {
    try {
        variants_.push_back(Variant{load, profile, system_point(System{"fast", "full", true}, sweep, base),
                                    system_point(System{"fast", "full", false}, sweep, base),
                                    sweep.log_blocks});
    } catch (const platform::ConfigurationError&) {
        // Left out: the log is no whole block, or leaves no room for the data.
    }
}

void SensitivityStudy::add_jobs(std::vector<PointJob>& jobs) const {
    for (const Variant& variant : variants_) {
        for (const SystemPoint* point : {&variant.with, &variant.without}) {
            jobs.push_back(
                PointJob{fmt::format("{}, {} log blocks, {}", variant.load.name, variant.log_blocks,
                                     point->system.name()),
                         [&variant, point] { return run_counted(*point, variant.load, variant.profile); }});
        }
    }
}

std::vector<Sensitivity> SensitivityStudy::collect(std::span<PointOutcome> outcomes) const {
    std::vector<Sensitivity> all;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
        const Variant& variant = variants_[i];
        Json& with = outcomes[2 * i].outcome.result;
        Json& without = outcomes[2 * i + 1].outcome.result;
        if (with.is_null() || without.is_null()) {
            continue;
        }
        const std::vector<Observed> pair{
            observed_of(variant.with, variant.load.name, variant.profile.bytes, with),
            observed_of(variant.without, variant.load.name, variant.profile.bytes, without)};
        all.push_back(Sensitivity{
            variant.load.name, static_cast<double>(variant.with.configuration.exported_bytes()) / hal::kGiB,
            variant.log_blocks, pair[0].writes.share(pair[0].writes.wasted),
            cost_of_rule(pair, pair[0]).value_or(0.0), pair[0].utilisation.value_or(0.0)});
    }
    return all;
}

std::vector<Figure> sensitivity_figures(std::span<const Sensitivity> all) {
    std::vector<Figure> figures;
    if (!all.empty()) {
        figures.push_back(log_figure(all));
    }
    const Grid grid = grid_of(all);
    if (grid.size() > 1) {
        figures.push_back(wasted_figure(grid));
        figures.push_back(cost_map(grid));
    }
    return figures;
}

std::string sensitivity_table(std::span<const Sensitivity> all, const TextStyle& style) {
    const Grid grid = grid_of(all);
    if (grid.empty()) {
        return {};
    }
    TextTable table;
    table.column("drive GiB", Align::right);
    table.column("wasted %", Align::right);
    const std::set<std::uint32_t> logs = logs_of(grid);
    for (const std::uint32_t log : logs) {
        table.column(grouped(log, 0), Align::right);
    }
    for (const auto& [drive, row] : grid) {
        std::vector<TextTable::Cell> cells{fmt::format("{:g}", drive),
                                           fmt::format("{:.1f}", row.rbegin()->second.wasted_percent)};
        for (const std::uint32_t log : logs) {
            const auto cell = row.find(log);
            cells.emplace_back(cell != row.end() ? fmt::format("{:+.0f} %", cell->second.cost_percent)
                                                 : std::string("-"));
        }
        table.row(std::move(cells));
    }
    return "\n" +
           style.bold(
               "What the sequential rule costs the PC application, by size of drive and log (NAND blocks)") +
           "\nFAST, full striping; change of what the flash work allows, counted. Published: about 40 % "
           "wasted, "
           "-40 %.\n" +
           table.render(style);
}

}  // namespace solidtlm::testbench::fragmentation
