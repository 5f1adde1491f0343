// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/btree/study.h"

#include <fmt/format.h>

#include <chrono>

#include "testbench/results/summary.h"
#include "testbench/results/summary_sections.h"
#include "testbench/run/child_runs.h"
#include "testbench/studies/btree/device_run.h"
#include "testbench/studies/btree/figures.h"

namespace solidtlm::testbench::btree {
namespace {

/// Fits shown that have one buffer for all page sizes.
constexpr std::size_t kMostFits = 5;

/// The trees in memory and every layer's counts on them.
struct Counted {
    std::vector<TreeFacts> trees;
    Table table;
};

Counted count_all(const CommandLine& line, const Options& options, const Flash& flash) {
    Counted counted;
    for (const std::uint32_t size : options.page_bytes) {
        const LoadOutcome outcome = run_in_memory(options.load(size, line.configuration.seed));
        counted.trees.push_back({size, outcome.root.pages, outcome.height, outcome.buffer});
        for (const Layer layer : kLayers) {
            counted.table[{layer, size}] =
                counts_of(count(outcome.traffic, size, options.setting(layer), flash));
        }
    }
    return counted;
}

struct DriveRun {
    Layer layer;
    std::uint32_t page_bytes;
    platform::Configuration configuration;
};

Json derived_of(const DriveCell& cell) {
    Json derived{{"counted_writes", cell.counted.writes},
                 {"counted_erases", cell.counted.erases},
                 {"cost", cell.counted.cost()}};
    if (const auto study = published(cell.layer, cell.page_bytes)) {
        derived["study_writes"] = study->writes;
        derived["study_erases"] = study->erases;
        derived["study_cost"] = study->cost();
    }
    return derived;
}

DriveCell cell_of(const DriveRun& run, const Json& result, const Table& table) {
    constexpr double kMilli = 1e-3;
    const auto latency = [&result](const char* operation, const char* field) {
        const Json& value = result["host"][operation]["latency_us"][field];
        return value.is_null() ? 0.0 : value.get<double>() * kMilli;
    };
    DriveCell cell;
    cell.layer = run.layer;
    cell.page_bytes = run.page_bytes;
    cell.counts = counts_of(result);
    cell.counted = table.at({run.layer, run.page_bytes});
    cell.seconds = result["sim_time_s"];
    cell.write_ms = latency("write", "mean");
    cell.p99_write_ms = latency("write", "p99");
    cell.read_ms = latency("read", "mean");
    cell.reads_checked = result["verify"]["reads_checked"];
    return cell;
}

/// The runs on the drive and what they add to the result.
struct Driven {
    std::vector<DriveCell> cells;
    std::vector<Point> points;
};

Driven drive_all(const CommandLine& line, const Options& options, const Table& table, StudyOutcome& study) {
    std::vector<DriveRun> runs;
    std::vector<PointJob> jobs;
    for (const Layer layer : kLayers) {
        for (const std::uint32_t size : options.page_bytes) {
            runs.push_back({layer, size, with_layer(line.configuration, options.setting(layer))});
        }
    }
    for (const DriveRun& run : runs) {
        const Load load = options.load(run.page_bytes, line.configuration.seed);
        jobs.push_back({fmt::format("{}, pages of {}", layer_name(run.layer), size_text(run.page_bytes)),
                        [&run, load] { return run_on_drive(run.configuration, load); }});
    }
    std::vector<PointOutcome> outcomes = run_points(jobs, pool_of(line));
    Driven driven;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        collect_faults(jobs[i].name, outcomes[i], study);
        Json& result = outcomes[i].outcome.result;
        if (result.is_null()) {
            continue;
        }
        driven.cells.push_back(cell_of(runs[i], result, table));
        driven.points.push_back({{{"layer", layer_name(runs[i].layer)}, {"page_bytes", runs[i].page_bytes}},
                                 std::move(result),
                                 derived_of(driven.cells.back())});
    }
    return driven;
}

std::string intro(const Options& options, const Flash& flash) {
    return fmt::format(
        "{} random integers; entries of {} bytes, {} pages in the buffer{}; NAND pages of {} B, {} in a "
        "block, programmed "
        "in {} order; {} log blocks, {} mirrors\n",
        options.inserts, options.entry_bytes, options.buffer_pages, options.pin_root ? ", root pinned" : "",
        flash.page_bytes, flash.block_pages, flash.ascending_pages ? "ascending" : "any", options.log_blocks,
        options.mirror_blocks == 0 ? "all" : std::to_string(options.mirror_blocks));
}

}  // namespace

StudyOutcome run_study(const CommandLine& line, const Options& options) {
    const auto began = std::chrono::steady_clock::now();
    const Flash flash = flash_of(line.configuration);
    const TextStyle style = style_for(1);
    StudyOutcome study;
    const Counted counted = count_all(line, options, flash);
    Driven driven;
    if (!options.no_drive) {
        driven = drive_all(line, options, counted.table, study);
    }
    std::vector<CountedPoint> grid_points;
    std::vector<Fit> fits;
    if (!options.no_sensitivity) {
        Grid grid;
        grid.include(options);
        grid_points = run_grid(grid, options, flash, line, study);
        if (options.inserts == kPublishedInserts) {
            fits = best_fits(grid_points, kMostFits);
        }
    }
    const std::vector<Claim> claims = complete(counted.table)
                                          ? claims_of(counted.table, options.inserts == kPublishedInserts)
                                          : std::vector<Claim>{};
    study.result = make_study_result(study_info("tb_btree", line, began), driven.points, claims);
    add_figures(study.result, count_figures(counted.table, options.page_bytes));
    add_figures(study.result, drive_figures(driven.cells));
    study.text = intro(options, flash) + heading("Trees", style) + tree_table(counted.trees, style) +
                 heading("Table 1, counted", style) +
                 count_table(counted.table, options.page_bytes, options.inserts == kPublishedInserts, style);
    if (!driven.cells.empty()) {
        study.text += heading("On the simulated drive", style) + drive_table(driven.cells, style);
    }
    if (!fits.empty()) {
        add_figures(study.result, distance_figures(distance_map(grid_points)));
        study.text += heading("Settings nearest to table 1 (none of them is a default)", style) +
                      fit_table(fits, style);
    }
    add_figures(study.result, sensitivity_figures(grid_points, options, flash));
    study.text += claims_table(study.result.at("claims"), style);
    return study;
}

}  // namespace solidtlm::testbench::btree
