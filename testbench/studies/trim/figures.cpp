// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/figures.h"

#include <fmt/format.h>

#include <limits>

#include "testbench/studies/trim/claims.h"

namespace solidtlm::testbench::trim {
namespace {

using Points = std::span<const Measured>;
using Pointers = std::vector<const Measured*>;

/// As an id of a figure.
std::string id_of(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == ' ' || c == ','; }, '-');
    return text;
}

std::string shape_name(const Measured& point) {
    return fmt::format("{}, {}", point.parameters["contiguous"] == true ? "contiguous" : "scattered",
                       point.parameters["aligned"] == true ? "aligned" : "unaligned");
}

/// `value` of commands with one range over its size, a line for each placement and start.
LineFigure over_size(const Pointers& points, const char* value, const FigureText& text, const char* label) {
    LineFigure figure{text, Axis{"size of the range, KB", true}, Axis{label, true}, {}};
    for (const Measured* point : points) {
        const std::string name = shape_name(*point);
        if (figure.series.empty() || figure.series.back().name != name) {
            figure.series.push_back({name, {}});
        }
        constexpr double kKilo = 1024.0;
        figure.series.back().points.emplace_back(point->parameters["range_bytes"].get<double>() / kKilo,
                                                 point->value(value));
    }
    return figure;
}

void add_sizes(Points points, std::vector<Figure>& figures) {
    const Json single{{"part", "ranges"}, {"ranges", 1}};
    for (const Json& device : values_of(select(points, single), "device")) {
        const Pointers of = select(points, with(single, "device", device));
        const auto name = device.get<std::string>();
        figures.emplace_back(over_size(of, "command_us",
                                       FigureText{"time-" + id_of(name), "Time of a TRIM command, " + name,
                                                  "One range a command, one command at a time."},
                                       "time of a command, us"));
        figures.emplace_back(over_size(of, "us_per_mb",
                                       FigureText{"per-mb-" + id_of(name), "Time for each megabyte, " + name,
                                                  "The cost of the command itself is shared by more."},
                                       "time of a megabyte, us"));
    }
}

/// 1 to 64 ranges of 16 KiB.
void add_counts(Points points, std::vector<Figure>& figures) {
    const Json line{
        {"part", "ranges"}, {"range_bytes", kStudyRangeBytes}, {"contiguous", false}, {"aligned", true}};
    LineFigure figure{FigureText{"counts", "64 scattered ranges of 16 KiB: time by ranges a command",
                                 "64 ranges take 64 / n commands of n ranges."},
                      Axis{"ranges a command", true},
                      Axis{"time of 64 ranges, us", true},
                      {}};
    for (const Measured* point : select(points, line)) {
        if (figure.series.empty() || figure.series.back().name != point->text("device")) {
            figure.series.push_back({point->text("device"), {}});
        }
        figure.series.back().points.emplace_back(point->parameters["ranges"].get<double>(),
                                                 kStudyRanges * point->value("range_us"));
    }
    for (LineFigure::Series& series : figure.series) {
        std::ranges::sort(series.points);
    }
    if (!figure.series.empty()) {
        figures.emplace_back(figure);
    }
}

/// Where the time of 64 ranges went, in 64 commands and in one.
void add_stages(Points points, std::vector<Figure>& figures) {
    CategoryFigure figure;
    figure.text = {"batching-stages", "64 scattered ranges of 16 KiB: where the time goes",
                   "The stages of the commands added up."};
    figure.look = CategoryFigure::Look::stacked_bars;
    figure.y = Axis{"time, us"};
    const std::vector<Batching> pairs = batchings(points);
    if (pairs.empty()) {
        return;
    }
    for (const auto& [stage, unused] : pairs.front().single->stages.items()) {
        CategoryFigure::Series series{stage, {}};
        double largest = 0.0;
        for (const Batching& pair : pairs) {
            series.values.push_back(kStudyRanges * pair.single->stages[stage].get<double>());
            series.values.push_back(pair.batched->stages[stage].get<double>());
            largest = std::max({largest, series.values.back(), series.values[series.values.size() - 2]});
        }
        if (largest > 0.0) {
            figure.series.push_back(series);
        }
    }
    for (const Batching& pair : pairs) {
        figure.categories.push_back(pair.single->text("drive") + ", 64 x 1");
        figure.categories.push_back(pair.single->text("drive") + ", 1 x 64");
    }
    figures.emplace_back(figure);
}

/// Bars of `value`: a category for each of `by`, a series for each way of sending.
void add_bars(Points points, const Json& wanted, const FigureText& text, const char* value, const char* label,
              std::vector<Figure>& figures) {
    const Pointers all = select(points, wanted);
    if (all.empty()) {
        return;
    }
    CategoryFigure figure;
    figure.text = text;
    figure.y = Axis{label};
    const auto category = [](const Measured& point) {
        return point.parameters.contains("benchmark") ? point.text("benchmark") + ", " + point.text("device")
                                                      : point.text("device");
    };
    for (const Measured* point : all) {
        if (figure.categories.empty() || figure.categories.back() != category(*point)) {
            figure.categories.push_back(category(*point));
        }
    }
    for (const Json& discard : values_of(all, "discard")) {
        CategoryFigure::Series series{discard.get<std::string>(), {}};
        for (const std::string& name : figure.categories) {
            double found = std::numeric_limits<double>::quiet_NaN();
            for (const Measured* point : all) {
                if (point->parameters["discard"] == discard && category(*point) == name) {
                    found = point->value(value);
                }
            }
            series.values.push_back(found);
        }
        figure.series.push_back(series);
    }
    figures.emplace_back(figure);
}

void add_ageing(Points points, std::vector<Figure>& figures) {
    LineFigure figure{FigureText{"ageing", "Write amplification after ageing, by the share of TRIMs",
                                 "The same random writes; so much of the capacity less holds data."},
                      Axis{"TRIMs among the requests, %"},
                      Axis{"write amplification"},
                      {}};
    for (const Measured* point : select(points, {{"part", "ageing"}})) {
        if (figure.series.empty() || figure.series.back().name != point->text("device")) {
            figure.series.push_back({point->text("device"), {}});
        }
        figure.series.back().points.emplace_back(point->parameters["trim_share"].get<double>() * 100.0,
                                                 point->value("write_amplification"));
    }
    if (!figure.series.empty()) {
        figures.emplace_back(figure);
    }
}

}  // namespace

std::vector<Figure> figures_of(Points points) {
    std::vector<Figure> figures;
    add_sizes(points, figures);
    add_counts(points, figures);
    add_stages(points, figures);
    add_bars(
        points, {{"part", "filesystem"}},
        FigureText{"filesystem", "Operations a second on a file system, by how freed extents are sent", ""},
        "synced_operations_per_s", "operations a second", figures);
    const Json latency{{"part", "latency"}};
    add_bars(points, latency,
             FigureText{"read-mean", "Mean latency of reads while TRIMs run",
                        "A freed range of 16 KiB for every 16 reads of 4 KiB, 8 requests outstanding."},
             "read_mean_us", "latency, us", figures);
    add_bars(points, latency, FigureText{"read-p99", "99th percentile of reads while TRIMs run", ""},
             "read_p99_us", "latency, us", figures);
    add_ageing(points, figures);
    return figures;
}

}  // namespace solidtlm::testbench::trim
