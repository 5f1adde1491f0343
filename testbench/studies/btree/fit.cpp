// SPDX-License-Identifier: Apache-2.0
//
// The trees of a grid, and the settings that come nearest to table 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "testbench/studies/btree/btree.h"

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
    SimulationOutcome result{Json::object(), {}};
    Json& rows = result.noted["rows"] = Json::array();
    for (std::size_t layer = 0; layer < kLayers.size(); ++layer) {
        for (const std::uint32_t log_blocks : log_blocks_of(kLayers[layer], grid)) {
            for (const bool ascending : {false, true}) {
                if (ascending != given.ascending_pages && !has_both_rules(log_blocks, grid)) {
                    continue;
                }
                const Flash flash{given.page_bytes, given.block_pages, ascending};
                const Counts counts =
                    counts_of(count(outcome.traffic, tree.page_bytes, {kLayers[layer], log_blocks}, flash));
                rows.push_back(Json{layer, log_blocks, ascending, counts.writes, counts.erases});
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

constexpr double kFar = std::numeric_limits<double>::infinity();

/// All parameters except the tree's page and buffer size, for all layers together.
struct Combination {
    std::uint32_t entry_bytes;
    std::uint32_t log_blocks;
    std::uint32_t mirror_blocks;
    bool ascending;
};

/// Distances of whole columns, summed over the layers.
class Columns {
  public:
    explicit Columns(std::span<const CountedPoint> points) {
        for (const CountedPoint& point : points) {
            const auto wanted = published(point.layer, point.tree.page_bytes);
            if (!wanted) {
                continue;
            }
            const TreePoint& tree = point.tree;
            cells_[{tree.page_bytes, tree.buffer_pages, tree.entry_bytes, point.ascending, point.layer,
                    point.log_blocks}] = squared_distance(point.counts, *wanted);
            sizes.insert(tree.page_bytes);
            buffers.insert(tree.buffer_pages);
            entries_.insert(tree.entry_bytes);
            if (point.layer == Layer::fast) {
                logs.insert(point.log_blocks);
            }
            if (point.layer == Layer::fmax) {
                mirrors_.insert(point.log_blocks);
            }
        }
    }

    /// Infinite if one of the cells was not run.
    [[nodiscard]] double distance(std::uint32_t page_bytes, std::uint32_t buffer_pages,
                                  const Combination& with) const {
        double sum = 0;
        for (const Layer layer : kLayers) {
            const std::uint32_t log_blocks = layer == Layer::mtbs   ? 0
                                             : layer == Layer::fmax ? with.mirror_blocks
                                                                    : with.log_blocks;
            const auto cell =
                cells_.find({page_bytes, buffer_pages, with.entry_bytes, with.ascending, layer, log_blocks});
            if (cell == cells_.end()) {
                return kFar;
            }
            sum += cell->second;
        }
        return sum;
    }
    [[nodiscard]] std::vector<Combination> combinations() const {
        std::vector<Combination> all;
        for (const std::uint32_t entry_bytes : entries_) {
            for (const std::uint32_t log_blocks : logs) {
                for (const std::uint32_t mirror_blocks : mirrors_) {
                    for (const bool ascending : {false, true}) {
                        if (mirror_blocks == 0 || mirror_blocks == log_blocks) {
                            all.push_back({entry_bytes, log_blocks, mirror_blocks, ascending});
                        }
                    }
                }
            }
        }
        return all;
    }

    std::set<std::uint32_t> sizes;
    std::set<std::uint32_t> buffers;
    std::set<std::uint32_t> logs;  ///< for bast and fast

  private:
    using Cell = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool, Layer, std::uint32_t>;
    std::map<Cell, double> cells_;
    std::set<std::uint32_t> entries_;
    std::set<std::uint32_t> mirrors_;
};

/// Converts a sum over some columns to the root mean square over their cells, which have two counts each.
double root_mean(double sum, std::size_t columns) {
    return std::sqrt(sum / static_cast<double>(columns * kLayers.size() * 2));
}

Fit make_fit(const std::string& what, const Combination& with, std::vector<std::uint32_t> page_bytes,
             std::vector<std::uint32_t> buffer_pages, double sum) {
    const double distance = root_mean(sum, page_bytes.size());
    return {what,
            std::move(page_bytes),
            std::move(buffer_pages),
            with.entry_bytes,
            with.log_blocks,
            with.mirror_blocks,
            with.ascending,
            distance};
}

void keep_best(std::vector<Fit>& fits, std::size_t most) {
    std::erase_if(fits, [](const Fit& fit) { return !std::isfinite(fit.distance); });
    std::ranges::stable_sort(fits, {}, &Fit::distance);
    fits.resize(std::min(fits.size(), most));
}

/// One buffer for all page sizes: an equal number of pages, or of bytes.
std::vector<Fit> common_fits(const Columns& columns, bool equal_bytes) {
    const std::vector<std::uint32_t> sizes(columns.sizes.begin(), columns.sizes.end());
    std::vector<Fit> fits;
    for (const Combination& with : columns.combinations()) {
        for (const std::uint32_t first : columns.buffers) {
            double sum = 0;
            std::vector<std::uint32_t> buffer_pages;
            for (const std::uint32_t size : sizes) {
                buffer_pages.push_back(equal_bytes ? first * sizes.front() / size : first);
                sum += columns.distance(size, buffer_pages.back(), with);
            }
            fits.push_back(
                make_fit(equal_bytes ? "buffer bytes" : "buffer pages", with, sizes, buffer_pages, sum));
        }
    }
    return fits;
}

/// The best buffer for each page size.
std::vector<Fit> own_buffer_fits(const Columns& columns, const std::vector<std::uint32_t>& sizes,
                                 const std::string& what) {
    std::vector<Fit> fits;
    for (const Combination& with : columns.combinations()) {
        double sum = 0;
        std::vector<std::uint32_t> buffer_pages;
        for (const std::uint32_t size : sizes) {
            const auto best = std::ranges::min_element(columns.buffers, {}, [&](std::uint32_t buffer) {
                return columns.distance(size, buffer, with);
            });
            buffer_pages.push_back(*best);
            sum += columns.distance(size, *best, with);
        }
        fits.push_back(make_fit(what, with, sizes, buffer_pages, sum));
    }
    return fits;
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

std::vector<StudyJob> grid_jobs(const Grid& grid, const Options& options, const Flash& flash,
                                std::uint64_t seed) {
    std::vector<StudyJob> jobs;
    for (const TreePoint& tree : trees_of(grid, options)) {
        jobs.push_back(
            {fmt::format("pages of {}, {} in the buffer, entries of {}", tree.page_bytes, tree.buffer_pages,
                         tree.entry_bytes),
             {{"part", "grid"},
              {"page_bytes", tree.page_bytes},
              {"buffer_pages", tree.buffer_pages},
              {"entry_bytes", tree.entry_bytes},
              {"pin_root", tree.pin_root}},
             [tree, &grid, &options, flash, seed] { return run_tree(tree, grid, options, flash, seed); },
             {},
             false});
    }
    return jobs;
}

std::vector<CountedPoint> counted_points(Points points) {
    std::vector<CountedPoint> counted;
    for (const Measured* point : select(points, {{"part", "grid"}})) {
        const Json& at = point->parameters;
        const TreePoint tree{at["page_bytes"], at["buffer_pages"], at["entry_bytes"], at["pin_root"]};
        for (const Json& row : point->more["rows"]) {
            counted.push_back({tree, kLayers[row[0].get<std::size_t>()], row[1], row[2], {row[3], row[4]}});
        }
    }
    return counted;
}

double squared_distance(const Counts& counts, const Counts& published) {
    const auto log_ratio = [](std::uint64_t found, std::uint64_t wanted) {
        return std::log(static_cast<double>(std::max<std::uint64_t>(found, 1)) / static_cast<double>(wanted));
    };
    const double writes = log_ratio(counts.writes, published.writes);
    const double erases = log_ratio(counts.erases, published.erases);
    return writes * writes + erases * erases;
}

double Fit::factor() const {
    return std::exp(distance);
}

std::vector<Fit> best_fits(std::span<const CountedPoint> points, std::size_t most) {
    const Columns columns(points);
    const std::vector<std::uint32_t> sizes(columns.sizes.begin(), columns.sizes.end());
    std::vector<Fit> best;
    if (sizes.empty()) {
        return best;
    }
    const auto add = [&best](std::vector<Fit> fits, std::size_t count) {
        keep_best(fits, count);
        best.insert(best.end(), fits.begin(), fits.end());
    };
    if (sizes.size() > 1) {
        add(common_fits(columns, false), most);
        add(common_fits(columns, true), 1);
        add(own_buffer_fits(columns, sizes, "all but buffer"), 1);
    }
    for (const std::uint32_t size : sizes) {
        add(own_buffer_fits(columns, {size}, "one size alone"), 1);
    }
    return best;
}

DistanceMap distance_map(std::span<const CountedPoint> points) {
    const Columns columns(points);
    DistanceMap map{
        {columns.buffers.begin(), columns.buffers.end()}, {columns.logs.begin(), columns.logs.end()}, {}};
    const std::vector<Combination> combinations = columns.combinations();
    for (const std::uint32_t log_blocks : map.log_blocks) {
        std::vector<std::optional<double>>& row = map.factor.emplace_back();
        for (const std::uint32_t buffer_pages : map.buffer_pages) {
            double least = kFar;
            for (const Combination& with : combinations) {
                double sum = with.log_blocks == log_blocks ? 0 : kFar;
                for (const std::uint32_t size : columns.sizes) {
                    sum += columns.distance(size, buffer_pages, with);
                }
                least = std::min(least, sum);
            }
            row.push_back(std::isfinite(least)
                              ? std::optional(std::exp(root_mean(least, columns.sizes.size())))
                              : std::nullopt);
        }
    }
    return map;
}

}  // namespace solidtlm::testbench::btree
