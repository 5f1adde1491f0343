// SPDX-License-Identifier: Apache-2.0
//
// Runs the trees of a grid.
#include <fmt/format.h>

#include <algorithm>

#include "testbench/studies/btree/sensitivity.h"

namespace solidtlm::testbench::btree {
namespace {

void insert_sorted(std::vector<std::uint32_t>& values, std::uint32_t value) {
    const auto at = std::ranges::lower_bound(values, value);
    if (at == values.end() || *at != value) {
        values.insert(at, value);
    }
}

std::vector<std::uint32_t> log_blocks_of(Layer layer, const Grid& grid) {
    if (layer == Layer::mtbs) {
        return {0};
    }
    std::vector<std::uint32_t> values = grid.log_blocks;
    if (layer == Layer::fmax) {
        insert_sorted(values, 0);
    }
    if (layer == Layer::fast) {
        std::erase_if(values, [](std::uint32_t value) { return value < 2; });
    }
    return values;
}

bool has_both_rules(std::uint32_t log_blocks, const Grid& grid) {
    return log_blocks == 0 || std::ranges::binary_search(grid.both_rules, log_blocks);
}

/// [layer, log blocks, ascending, writes, erases] for every layer on one tree.
SimulationOutcome run_tree(const TreePoint& tree, const Grid& grid, const Options& options,
                           const Flash& given, std::uint64_t seed) {
    Load load = options.load(tree.page_bytes, seed);
    load.buffer_pages = tree.buffer_pages;
    load.shape = {tree.entry_bytes, tree.pin_root};
    const LoadOutcome outcome = run_in_memory(load);
    SimulationOutcome result;
    result.result = Json::array();
    for (std::size_t layer = 0; layer < kLayers.size(); ++layer) {
        for (const std::uint32_t log_blocks : log_blocks_of(kLayers[layer], grid)) {
            for (const bool ascending : {false, true}) {
                if (ascending != given.ascending_pages && !has_both_rules(log_blocks, grid)) {
                    continue;
                }
                const Flash flash{given.page_bytes, given.block_pages, ascending};
                const Counts counts =
                    counts_of(count(outcome.traffic, tree.page_bytes, {kLayers[layer], log_blocks}, flash));
                result.result.push_back(Json{layer, log_blocks, ascending, counts.writes, counts.erases});
            }
        }
    }
    return result;
}

std::vector<TreePoint> trees_of(const Grid& grid, const Options& options) {
    std::vector<TreePoint> trees;
    for (const std::uint32_t page_bytes : options.page_bytes) {
        for (const std::uint32_t entry_bytes : grid.entry_bytes) {
            for (const std::uint32_t buffer_pages : grid.buffer_pages) {
                trees.push_back({page_bytes, buffer_pages, entry_bytes, options.pin_root});
            }
        }
        trees.push_back({page_bytes, options.buffer_pages, options.entry_bytes, !options.pin_root});
    }
    return trees;
}

}  // namespace

void Grid::include(const Options& options) {
    insert_sorted(buffer_pages, options.buffer_pages);
    insert_sorted(entry_bytes, options.entry_bytes);
    for (const std::uint32_t given : {options.log_blocks, options.mirror_blocks}) {
        if (given != 0) {
            insert_sorted(log_blocks, given);
            insert_sorted(both_rules, given);
        }
    }
}

std::vector<CountedPoint> run_grid(const Grid& grid, const Options& options, const Flash& flash,
                                   const CommandLine& line, StudyOutcome& study) {
    const std::vector<TreePoint> trees = trees_of(grid, options);
    std::vector<PointJob> jobs;
    jobs.reserve(trees.size());
    for (const TreePoint& tree : trees) {
        jobs.push_back({fmt::format("pages of {}, {} in the buffer, entries of {}", tree.page_bytes,
                                    tree.buffer_pages, tree.entry_bytes),
                        [&tree, &grid, &options, flash, &line] {
                            return run_tree(tree, grid, options, flash, line.configuration.seed);
                        }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, pool_of(line));
    std::vector<CountedPoint> points;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        collect_faults(jobs[i].name, outcomes[i], study);
        for (const Json& row : outcomes[i].outcome.result) {
            points.push_back(
                {trees[i], kLayers[row[0].get<std::size_t>()], row[1], row[2], {row[3], row[4]}});
        }
    }
    return points;
}

}  // namespace solidtlm::testbench::btree
