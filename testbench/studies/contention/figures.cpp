// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/figures.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "testbench/studies/parts/panels.h"

namespace solidtlm::testbench::contention {
namespace {

using Points = std::span<const MeasuredPoint>;
using Value = std::function<double(const MeasuredPoint&)>;

std::string id_of(const std::string& what, const Panel& panel) {
    std::string id = what + "-" + panel.policy + "-" + panel.order + "-" + std::to_string(panel.dies) + "-" +
                     std::to_string(panel.depth);
    std::ranges::transform(id, id.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return id;
}

FigureText text_of(Points panel, const std::string& what, const std::string& title, std::string caption) {
    const Panel& of = panel.front().panel;
    return {id_of(what, of), title + ": " + of.name(), std::move(caption)};
}

std::string channels_name(std::uint32_t count) {
    return std::to_string(count) + (count == 1 ? " channel" : " channels");
}

HeatmapFigure heat_map(Points panel, FigureText text, const std::string& unit,
                       std::pair<double, double> range, const Value& value) {
    HeatmapFigure figure;
    figure.text = std::move(text);
    figure.x.label = "channels";
    figure.y.label = "map cache";
    figure.unit = unit;
    figure.range = range;
    for (const std::uint32_t count : channels_of(panel)) {
        figure.x_categories.push_back(std::to_string(count));
    }
    for (const std::uint64_t cache : caches_of(panel)) {
        figure.y_categories.push_back(cache_name(cache));
        std::vector<std::optional<double>>& row = figure.cells.emplace_back();
        for (const std::uint32_t count : channels_of(panel)) {
            const MeasuredPoint* point = find(panel, count, cache);
            row.push_back(point != nullptr ? std::optional(value(*point)) : std::nullopt);
        }
    }
    return figure;
}

LineFigure over_channels(Points panel) {
    LineFigure figure;
    figure.text = text_of(panel, "over-channels", "throughput over channels",
                          "Where a line becomes level, more channels stop helping; the tables say why.");
    figure.x = {"channels", true};
    figure.y = {"throughput, MB/s"};
    for (const std::uint64_t cache : caches_of(panel)) {
        LineFigure::Series& series = figure.series.emplace_back();
        series.name = cache_name(cache);
        for (const std::uint32_t count : channels_of(panel)) {
            if (const MeasuredPoint* point = find(panel, count, cache); point != nullptr) {
                series.points.emplace_back(count, point->measured.mb_per_s);
            }
        }
    }
    return figure;
}

CategoryFigure over_caches(Points panel) {
    CategoryFigure figure;
    figure.text = text_of(panel, "over-caches", "throughput over the size of the map cache",
                          "Where a line becomes level, a larger cache stops helping; the tables say why.");
    figure.look = CategoryFigure::Look::lines;
    figure.x.label = "map cache";
    figure.y.label = "throughput, MB/s";
    const std::vector<std::uint64_t> caches = caches_of(panel);
    for (const std::uint64_t cache : caches) {
        figure.categories.push_back(cache_name(cache));
    }
    for (const std::uint32_t count : channels_of(panel)) {
        CategoryFigure::Series& series = figure.series.emplace_back();
        series.name = channels_name(count);
        for (const std::uint64_t cache : caches) {
            const MeasuredPoint* point = find(panel, count, cache);
            series.values.push_back(point != nullptr ? point->measured.mb_per_s
                                                     : std::numeric_limits<double>::quiet_NaN());
        }
    }
    return figure;
}

/// A layer of stacked bars. Names of ledger stages have the colours that these have everywhere.
struct Layer {
    const char* name;
    std::initializer_list<Part> parts;
};

/// One bar a point; layers that are nowhere to be seen are left out.
CategoryFigure bars(Points panel, FigureText text, const std::string& label, std::span<const Layer> layers,
                    const std::function<double(const Measured&)>& whole) {
    CategoryFigure figure;
    figure.text = std::move(text);
    figure.look = CategoryFigure::Look::stacked_bars;
    figure.x.label = "channels, map cache";
    figure.y.label = label;
    for (const MeasuredPoint& point : panel) {
        figure.categories.push_back(std::to_string(point.channels) + ", " + cache_name(point.cache_bytes));
    }
    for (const Layer& layer : layers) {
        CategoryFigure::Series series{layer.name, {}, false};
        for (const MeasuredPoint& point : panel) {
            double share = 0.0;
            for (const Part part : layer.parts) {
                share += point.measured.share(part);
            }
            series.values.push_back(share * whole(point.measured));
        }
        if (std::ranges::any_of(series.values, [](double value) { return value > 0.0; })) {
            figure.series.push_back(std::move(series));
        }
    }
    return figure;
}

const std::initializer_list<Part> kMiss{Part::miss_core,
                                        Part::miss_queue,
                                        Part::miss_dram_ecc,
                                        Part::miss_channel_transfer,
                                        Part::miss_array,
                                        Part::miss_channel_wait_host,
                                        Part::miss_channel_wait_map,
                                        Part::miss_channel_wait_gc,
                                        Part::miss_die_wait_host,
                                        Part::miss_die_wait_map,
                                        Part::miss_die_wait_gc};

CategoryFigure request_bars(Points panel) {
    const Layer layers[] = {{"link_transfer", {Part::link}},
                            {"firmware_execute", {Part::core}},
                            {"write_buffer_stall", {Part::queue}},
                            {"dram_transfer", {Part::dram_ecc}},
                            {"channel_transfer", {Part::channel_transfer}},
                            {"array", {Part::array}},
                            {"channel_wait_host", {Part::channel_wait_host}},
                            {"channel_wait_map", {Part::channel_wait_map}},
                            {"channel_wait_gc", {Part::channel_wait_gc}},
                            {"die_wait_host", {Part::die_wait_host}},
                            {"die_wait_map", {Part::die_wait_map}},
                            {"die_wait_gc", {Part::die_wait_gc}},
                            {"map_read", kMiss}};
    return bars(panel,
                text_of(panel, "shares", "where the time of a request goes",
                        "Shares of the mean request. map_read is all that misses take; the link and the core "
                        "have their waits with them, dram_transfer the ECC, write_buffer_stall all queues."),
                "share of the time, %", layers, [](const Measured&) { return 100.0; });
}

CategoryFigure miss_bars(Points panel) {
    const Layer layers[] = {{"lock, buffer", {Part::miss_queue}},
                            {"firmware_execute", {Part::miss_core}},
                            {"dram_transfer", {Part::miss_dram_ecc}},
                            {"channel_transfer", {Part::miss_channel_transfer}},
                            {"array", {Part::miss_array}},
                            {"channel_wait_host", {Part::miss_channel_wait_host}},
                            {"channel_wait_map", {Part::miss_channel_wait_map}},
                            {"channel_wait_gc", {Part::miss_channel_wait_gc}},
                            {"die_wait_host", {Part::miss_die_wait_host}},
                            {"die_wait_map", {Part::miss_die_wait_map}},
                            {"die_wait_gc", {Part::miss_die_wait_gc}}};
    return bars(
        panel,
        text_of(panel, "misses", "what the misses of a request consist of",
                "The part map_read of the figure above. array is tR: with nothing to wait for there is "
                "little else. A lock is waited for while another miss reads the same translation page."),
        "misses of a mean request, us", layers, [](const Measured& measured) { return measured.mean_us; });
}

}  // namespace

std::vector<Figure> figures_of(std::span<const MeasuredPoint> points) {
    double fastest = 0.0;
    for (const MeasuredPoint& point : points) {
        fastest = std::max(fastest, point.measured.mb_per_s);
    }
    std::vector<Figure> figures;
    for (const Points panel : by_panel(points)) {
        figures.emplace_back(heat_map(
            panel,
            text_of(panel, "throughput", "throughput", "All maps of throughput have the same colours."),
            "MB/s", {0.0, fastest}, [](const MeasuredPoint& point) { return point.measured.mb_per_s; }));
        figures.emplace_back(
            heat_map(panel,
                     text_of(panel, "miss-share", "share of the time that goes to misses in the map cache",
                             "High: a larger cache shortens requests, as far as nothing else is full."),
                     "%", {0.0, 100.0},
                     [](const MeasuredPoint& point) { return 100.0 * point.measured.miss_share(); }));
        if (channels_of(panel).size() > 1) {
            figures.emplace_back(over_channels(panel));
        }
        if (caches_of(panel).size() > 1) {
            figures.emplace_back(over_caches(panel));
        }
        figures.emplace_back(request_bars(panel));
        figures.emplace_back(miss_bars(panel));
    }
    return figures;
}

}  // namespace solidtlm::testbench::contention
