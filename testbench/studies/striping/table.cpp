// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "testbench/results/text_table.h"
#include "testbench/studies/parts/panels.h"

namespace solidtlm::testbench::striping {
namespace {

/// Values of a member in order of first appearance.
std::vector<std::uint32_t> values(std::span<const MeasuredPoint> points,
                                  std::uint32_t MeasuredPoint::*member) {
    std::vector<std::uint32_t> found;
    for (const MeasuredPoint& point : points) {
        if (std::ranges::find(found, point.*member) == found.end()) {
            found.push_back(point.*member);
        }
    }
    return found;
}

const MeasuredPoint* find(std::span<const MeasuredPoint> points, std::uint32_t channels, std::uint32_t dies) {
    const auto point = std::ranges::find_if(points, [channels, dies](const MeasuredPoint& each) {
        return each.channels == channels && each.dies == dies;
    });
    return point == points.end() ? nullptr : &*point;
}

std::string matrix(std::span<const MeasuredPoint> points, const TextStyle& style) {
    TextTable table;
    table.column("dies a channel", Align::left);
    const std::vector<std::uint32_t> channels = values(points, &MeasuredPoint::channels);
    for (const std::uint32_t count : channels) {
        table.column(std::to_string(count) + (count == 1 ? " channel" : " channels"), Align::right);
    }
    for (const std::uint32_t dies : values(points, &MeasuredPoint::dies)) {
        std::vector<TextTable::Cell> cells{std::to_string(dies)};
        for (const std::uint32_t count : channels) {
            const MeasuredPoint* point = find(points, count, dies);
            cells.emplace_back(
                point == nullptr
                    ? std::string("failed")
                    : fmt::format("{:.1f} {:<8}", point->measured.mb_per_s,
                                  kResourceNames[static_cast<std::size_t>(point->bounds.binding())]));
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

std::string percent(double value) {
    return fmt::format("{:.0f}", value);
}

std::string rows(std::span<const MeasuredPoint> points, const TextStyle& style) {
    TextTable table;
    for (const char* heading : {"ch", "dies", "MB/s", "bound", "%", "bound by", "IOPS", "mean us", "p99 us",
                                "ch wait %", "die wait %", "link", "ch", "die", "dram", "core"}) {
        table.column(heading, heading == std::string_view("bound by") ? Align::left : Align::right);
    }
    for (const MeasuredPoint& point : points) {
        const Measured& measured = point.measured;
        std::vector<TextTable::Cell> cells{
            std::to_string(point.channels),
            std::to_string(point.dies),
            fmt::format("{:.1f}", measured.mb_per_s),
            fmt::format("{:.1f}", point.bounds.least),
            percent(point.of_bound()),
            std::string(kResourceNames[static_cast<std::size_t>(point.bounds.binding())]),
            grouped(measured.iops, 0),
            grouped(measured.mean_us, 0),
            grouped(measured.p99_us, 0),
            percent(measured.channel.total),
            percent(measured.die.total)};
        for (const double busy : measured.busy) {
            cells.emplace_back(percent(busy));
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

struct Map {
    std::string id;
    std::string title;
    std::string caption;
    std::string unit;
    std::optional<std::pair<double, double>> range;
    std::function<double(const MeasuredPoint&)> value;
};

HeatmapFigure heat_map(std::span<const MeasuredPoint> points, const Map& map) {
    const Panel& panel = points.front().panel;
    HeatmapFigure figure;
    std::string id = map.id + "-" + panel.pattern + "-" + panel.operation + "-" + panel.order + "-" +
                     panel.striping + "-" + panel.allocation;
    std::ranges::transform(id, id.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    figure.text = {id, map.title + ": " + panel.name(), map.caption};
    figure.x.label = "channels";
    figure.y.label = "dies a channel";
    figure.unit = map.unit;
    figure.range = map.range;
    const std::vector<std::uint32_t> channels = values(points, &MeasuredPoint::channels);
    for (const std::uint32_t count : channels) {
        figure.x_categories.push_back(std::to_string(count));
    }
    for (const std::uint32_t dies : values(points, &MeasuredPoint::dies)) {
        figure.y_categories.push_back(std::to_string(dies));
        std::vector<std::optional<double>>& row = figure.cells.emplace_back();
        for (const std::uint32_t count : channels) {
            const MeasuredPoint* point = find(points, count, dies);
            row.push_back(point != nullptr ? std::optional(map.value(*point)) : std::nullopt);
        }
    }
    return figure;
}

std::vector<Map> maps_of(double fastest) {
    const std::pair<double, double> whole{0.0, 100.0};
    return {
        {"throughput", "throughput", "All maps of throughput have the same colours.", "MB/s",
         std::pair(0.0, fastest), [](const MeasuredPoint& point) { return point.measured.mb_per_s; }},
        {"of-bound", "throughput, share of the bound",
         "100 %: as fast as the slowest resource allows. Less: they wait for each other.", "%", std::nullopt,
         [](const MeasuredPoint& point) { return point.of_bound(); }},
        {"channel-wait", "share of the latency that requests wait for a channel",
         "High: more channels or a faster bus shorten the latency.", "%", whole,
         [](const MeasuredPoint& point) { return point.measured.channel.total; }},
        {"die-wait", "share of the latency that requests wait for a die",
         "High: more dies, or requests spread over more of them, shorten the latency.", "%", whole,
         [](const MeasuredPoint& point) { return point.measured.die.total; }},
    };
}

/// Maps that show nothing are left out.
bool worth_showing(std::span<const MeasuredPoint> points, const Map& map) {
    constexpr double kMissesBound = 5.0;
    constexpr double kWaits = 1.0;
    return std::ranges::any_of(points, [&map](const MeasuredPoint& point) {
        const double value = map.value(point);
        return map.id == "throughput" ||
               (map.id == "of-bound" ? std::abs(value - 100.0) > kMissesBound : value > kWaits);
    });
}

}  // namespace

Json MeasuredPoint::derived() const {
    Json json{{"mb_per_s", measured.mb_per_s},
              {"iops", measured.iops},
              {"bound_mb_per_s", bounds.least},
              {"measured_of_bound", of_bound() / 100.0},
              {"bound_by", kResourceNames[static_cast<std::size_t>(bounds.binding())]}};
    for (std::size_t i = 0; i < kResources; ++i) {
        json["bound_" + std::string(kResourceNames[i]) + "_mb_per_s"] = bounds.mb_per_s[i];
    }
    json["channel_wait_share"] = measured.channel.total / 100.0;
    json["channel_wait_host_share"] = measured.channel.host / 100.0;
    json["channel_wait_gc_share"] = measured.channel.gc / 100.0;
    json["die_wait_share"] = measured.die.total / 100.0;
    json["die_wait_host_share"] = measured.die.host / 100.0;
    json["die_wait_gc_share"] = measured.die.gc / 100.0;
    return json;
}

std::string tables(std::span<const MeasuredPoint> points, bool details, const TextStyle& style) {
    std::string text;
    for (const std::span<const MeasuredPoint> panel : by_panel(points)) {
        text += "\n" + style.bold(panel.front().panel.name()) + "\n";
        text += details ? rows(panel, style) : matrix(panel, style);
    }
    return text;
}

std::vector<Figure> heat_maps(std::span<const MeasuredPoint> points) {
    double fastest = 0.0;
    for (const MeasuredPoint& point : points) {
        fastest = std::max(fastest, point.measured.mb_per_s);
    }
    std::vector<Figure> figures;
    for (const std::span<const MeasuredPoint> panel : by_panel(points)) {
        for (const Map& map : maps_of(fastest)) {
            if (worth_showing(panel, map)) {
                figures.emplace_back(heat_map(panel, map));
            }
        }
    }
    return figures;
}

}  // namespace solidtlm::testbench::striping
