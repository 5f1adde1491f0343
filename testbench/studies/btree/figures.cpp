// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "testbench/studies/btree/btree.h"
#include "testbench/studies/kit/figures.h"

namespace solidtlm::testbench::btree {
namespace {

struct Measure {
    const char* id;
    const char* label;
    std::function<double(const Counts&)> value;
};

const std::vector<Measure>& measures() {
    static const std::vector<Measure> all{
        {"writes", "sectors programmed",
         [](const Counts& counts) { return static_cast<double>(counts.writes); }},
        {"erases", "blocks erased", [](const Counts& counts) { return static_cast<double>(counts.erases); }}};
    return all;
}

/// A parameter that is varied alone.
struct Parameter {
    const char* id;
    const char* label;
    const char* caption;
    std::function<double(const CountedPoint&)> value;
};

/// Whether a point has the settings of `options` for its layer in everything except this parameter.
bool only_differs_in(const Parameter& parameter, const CountedPoint& point, const Options& options,
                     const Flash& flash) {
    CountedPoint base = point;
    base.tree = {point.tree.page_bytes, options.buffer_pages, options.entry_bytes, options.pin_root};
    base.log_blocks = point.layer == Layer::mtbs ? 0 : options.setting(point.layer).log_blocks;
    base.ascending = flash.ascending_pages;
    const std::string id = parameter.id;
    if (id == "buffer") {
        base.tree.buffer_pages = point.tree.buffer_pages;
    } else if (id == "entry") {
        base.tree.entry_bytes = point.tree.entry_bytes;
    } else if (point.layer != Layer::mtbs && point.log_blocks != 0) {
        base.log_blocks = point.log_blocks;
    }
    return base.tree == point.tree && base.log_blocks == point.log_blocks &&
           base.ascending == point.ascending;
}

LineFigure parameter_figure(const Parameter& parameter, const Measure& measure, std::uint32_t size,
                            std::span<const CountedPoint> points, const Options& options,
                            const Flash& flash) {
    LineFigure figure;
    figure.text = {
        fmt::format("{}-{}-{}", parameter.id, measure.id, size),
        fmt::format("{} against {}, tree pages of {}", measure.label, parameter.label, size_text(size)),
        parameter.caption};
    figure.x = {parameter.label, std::string(parameter.id) != "entry"};
    figure.y = {measure.label, true};
    for (const Layer layer : kLayers) {
        LineFigure::Series series{std::string(layer_name(layer)), {}, false};
        for (const CountedPoint& point : points) {
            const bool unlimited = point.layer != Layer::mtbs && point.log_blocks == 0;
            if (point.layer == layer && point.tree.page_bytes == size &&
                only_differs_in(parameter, point, options, flash) &&
                !(std::string(parameter.id) == "logs" && (unlimited || layer == Layer::mtbs))) {
                series.points.emplace_back(parameter.value(point), measure.value(point.counts));
            }
        }
        std::ranges::sort(series.points);
        if (series.points.empty()) {
            continue;
        }
        const auto [first, last] = std::pair(series.points.front().first, series.points.back().first);
        figure.series.push_back(std::move(series));
        if (const auto study = published(layer, size)) {
            const double value = measure.value(*study);
            figure.series.push_back(
                {std::string(layer_name(layer)) + ", study", {{first, value}, {last, value}}, true});
        }
    }
    return figure;
}

const std::vector<Parameter>& parameters() {
    static const std::vector<Parameter> all{
        {"buffer", "buffer pages",
         "Dashed: the study's number. Where a line crosses its dashed one, this buffer explains it.",
         [](const CountedPoint& point) { return point.tree.buffer_pages; }},
        {"logs", "log blocks",
         "fmax: as many mirrors; the study's text speaks of no limit. mtbs has no log blocks.",
         [](const CountedPoint& point) { return point.log_blocks; }},
        {"entry", "entry bytes", "Larger entries make more pages, and the buffer holds fewer of them.",
         [](const CountedPoint& point) { return point.tree.entry_bytes; }}};
    return all;
}

/// On/off settings side by side: "default", "the other rule", "the root the other way".
CategoryFigure switch_figure(const Measure& measure, std::uint32_t size, std::span<const CountedPoint> points,
                             const Options& options) {
    CategoryFigure figure;
    figure.text = {
        fmt::format("switches-{}-{}", measure.id, size),
        fmt::format("{}: rule of ascending pages, pinned root; tree pages of {}", measure.label,
                    size_text(size)),
        "A root that is used at every descent never leaves an LRU buffer: pinning changes nothing."};
    figure.x = {"layer"};
    figure.y = {measure.label};
    for (const Layer layer : kLayers) {
        figure.categories.emplace_back(layer_name(layer));
    }
    for (const bool ascending : {false, true}) {
        for (const bool pin_root : {false, true}) {
            CategoryFigure::Series series{
                fmt::format("{}{}", ascending ? "ascending pages" : "pages in any order",
                            pin_root ? ", pinned root" : ""),
                std::vector<double>(kLayers.size(), kGap), false};
            for (const CountedPoint& point : points) {
                const TreePoint tree{size, options.buffer_pages, options.entry_bytes, pin_root};
                const std::uint32_t logs =
                    point.layer == Layer::mtbs ? 0 : options.setting(point.layer).log_blocks;
                if (point.tree == tree && point.log_blocks == logs && point.ascending == ascending) {
                    series.values[static_cast<std::size_t>(std::ranges::find(kLayers, point.layer) -
                                                           kLayers.begin())] = measure.value(point.counts);
                }
            }
            figure.series.push_back(std::move(series));
        }
    }
    return figure;
}

}  // namespace

std::vector<Figure> count_figures(const Table& table, std::span<const std::uint32_t> sizes) {
    std::vector<Figure> figures;
    for (const Measure& measure : measures()) {
        CategoryFigure figure;
        figure.text = {fmt::format("table-{}", measure.id), fmt::format("Table 1: {}", measure.label),
                       "The study's number beside ours with the defaults."};
        figure.x = {"layer, bytes of a tree page"};
        figure.y = {measure.label, true};
        CategoryFigure::Series study{"study", {}, false};
        CategoryFigure::Series here{"here", {}, false};
        for (const Layer layer : kLayers) {
            for (const std::uint32_t size : sizes) {
                figure.categories.push_back(fmt::format("{} {}", layer_name(layer), size_text(size)));
                const auto wanted = published(layer, size);
                study.values.push_back(wanted ? measure.value(*wanted) : kGap);
                here.values.push_back(measure.value(table.at({layer, size})));
            }
        }
        figure.series = {study, here};
        figures.emplace_back(std::move(figure));
    }
    return figures;
}

std::vector<Figure> drive_figures(const Selected& cells) {
    if (cells.empty()) {
        return {};
    }
    CategoryFigure figure;
    figure.text = {"drive-time", "The tree on the simulated drive",
                   "Cost: 8 for a write and 65 for an erase, scaled so that all bars together are as high as "
                   "the simulated ones."};
    figure.x = {"layer, bytes of a tree page"};
    figure.y = {"seconds"};
    figure.series = {{"simulated", {}, false}, {"cost 1 : 8 : 65", {}, false}};
    double seconds = 0;
    double cost = 0;
    for (const Measured* cell : cells) {
        seconds += cell->value("seconds");
        cost += cell->value("drive_cost");
    }
    for (const Measured* cell : cells) {
        figure.categories.push_back(
            fmt::format("{} {}", cell->text("layer"), size_text(cell->parameters["page_bytes"])));
        figure.series[0].values.push_back(cell->value("seconds"));
        figure.series[1].values.push_back(cell->value("drive_cost") * seconds / cost);
    }
    return {figure};
}

std::vector<Figure> sensitivity_figures(std::span<const CountedPoint> points, const Options& options,
                                        const Flash& flash) {
    std::set<std::uint32_t> sizes;
    for (const CountedPoint& point : points) {
        sizes.insert(point.tree.page_bytes);
    }
    std::vector<Figure> figures;
    for (const Parameter& parameter : parameters()) {
        for (const Measure& measure : measures()) {
            for (const std::uint32_t size : sizes) {
                figures.emplace_back(parameter_figure(parameter, measure, size, points, options, flash));
            }
        }
    }
    for (const Measure& measure : measures()) {
        for (const std::uint32_t size : sizes) {
            figures.emplace_back(switch_figure(measure, size, points, options));
        }
    }
    return figures;
}

std::vector<Figure> distance_figures(const DistanceMap& map) {
    HeatmapFigure figure;
    figure.text = {"distance", "Which settings come near table 1",
                   "Typical factor between our counts and the study's over all cells, with the entry size, "
                   "rule and mirrors "
                   "that do best. 1.0 would be the study's table."};
    figure.x = {"buffer pages"};
    figure.y = {"log blocks"};
    figure.unit = "x";
    for (const std::uint32_t buffer_pages : map.buffer_pages) {
        figure.x_categories.push_back(std::to_string(buffer_pages));
    }
    for (const std::uint32_t log_blocks : map.log_blocks) {
        figure.y_categories.push_back(std::to_string(log_blocks));
    }
    figure.cells = map.factor;
    figure.range = {1.0, 8.0};  // larger factors all count as far
    return {figure};
}

}  // namespace solidtlm::testbench::btree
