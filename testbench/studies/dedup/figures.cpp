// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace solidtlm::testbench::dedup {
namespace {

using Pointers = std::vector<const Measured*>;
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

struct Part {
    const char* name;
    const char* value;
};

/// As an id of a figure.
std::string id_of(const char* begin, const std::string& load) {
    std::string id = fmt::format("{}-{}", begin, load);
    std::ranges::replace_if(
        id, [](char c) { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_'; }, '-');
    return id;
}

/// The systems of a load side by side, each the sum of its parts over `total` of the system `unit`.
void add_stacked(Points points, const FigureText& text, const std::string& load, const char* unit,
                 const char* total, std::span<const Part> parts, std::vector<Figure>& figures) {
    const Measured* one = find(points, load, unit);
    if (one == nullptr || one->value(total) <= 0.0) {
        return;
    }
    CategoryFigure figure;
    figure.text = text;
    figure.look = CategoryFigure::Look::stacked_bars;
    figure.x = Axis{"system"};
    figure.y = Axis{fmt::format("{} = 1", unit)};
    for (const Part& part : parts) {
        figure.series.push_back({part.name, {}});
    }
    for (const Measured* point : select(points, {{"part", "systems"}, {"load", load}})) {
        double sum = 0.0;
        for (const Part& part : parts) {
            sum += point->value(part.value);
        }
        if (sum <= 0.0) {
            continue;  // has none of it
        }
        figure.categories.push_back(point->text("system"));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            figure.series[i].values.push_back(point->value(parts[i].value) / one->value(total));
        }
    }
    figures.emplace_back(std::move(figure));
}

/// Figures 3 and 4 of the study, for each load.
void add_times(Points points, std::vector<Figure>& figures) {
    constexpr std::array<Part, 4> kResponse{{{"CRC32 and fingerprints", "write_hash_us"},
                                             {"flash", "write_flash_us"},
                                             {"waiting for destaging", "write_buffer_us"},
                                             {"rest", "write_rest_us"}}};
    constexpr std::array<Part, 4> kSteps{{{"CRC32", "dedup_crc_s"},
                                          {"fingerprints", "dedup_fingerprint_s"},
                                          {"reading", "dedup_read_s"},
                                          {"comparing", "dedup_compare_s"}}};
    for (const std::string& load : loads_of(points)) {
        add_stacked(points,
                    FigureText{id_of("response", load), fmt::format("Mean write response, {}", load),
                               "Figure 3 of the study: what a write waits for."},
                    load, "online", "write_mean_us", kResponse, figures);
        add_stacked(
            points,
            FigureText{id_of("time", load), fmt::format("Time spent deduplicating, {}", load),
                       "Figure 4 of the study: steps of hashing, reading and comparing, waits included."},
            load, "offline", "dedup_total_s", kSteps, figures);
    }
}

/// Figure 5.
void add_moves(Points points, std::vector<Figure>& figures) {
    CategoryFigure figure;
    figure.text = FigureText{"moves", "Pages moved by garbage collection",
                             "Figure 5 of the study: over what online moves. A gap where online moves none."};
    figure.x = Axis{"load"};
    figure.y = Axis{"online = 1"};
    figure.categories = loads_of(points);
    bool any = false;
    for (const Json& name : values_of(select(points, {{"part", "systems"}}), "system")) {
        CategoryFigure::Series series{name.get<std::string>(), {}};
        for (const std::string& load : figure.categories) {
            const auto times =
                ratio(find(points, load, series.name), find(points, load, "online"), "gc_moved_pages");
            any |= times.has_value();
            series.values.push_back(times.value_or(kGap));
        }
        figure.series.push_back(std::move(series));
    }
    if (any) {
        figures.emplace_back(std::move(figure));
    }
}

void add_curves(Points points, std::span<const Curve> curves, std::vector<Figure>& figures) {
    for (const std::string& load : loads_of(points)) {
        LineFigure figure{
            FigureText{id_of("found", load), fmt::format("Duplicates found over time, {}", load), ""},
            Axis{"time, s"},
            Axis{"pages"},
            {}};
        for (const Curve& curve : curves) {
            if (curve.load == load && !curve.found.empty()) {
                figure.series.push_back({curve.system, curve.found});
            }
        }
        if (!figure.series.empty()) {
            figures.emplace_back(std::move(figure));
        }
    }
}

struct Dependence {
    const char* id;
    const char* parameter;
    const char* value;
    const char* title;
    const char* x;
    const char* y;
    bool log;
    bool log_y = false;
};
constexpr std::array<Dependence, 10> kDependences{
    {{"duplicates-response", "duplicates", "write_mean_us", "Mean write response by the share of duplicates",
      "duplicates, %", "us", false},
     {"duplicates-moves", "duplicates", "gc_moved_pages",
      "Pages moved by garbage collection by the share of duplicates", "duplicates, %", "pages", false},
     {"idle-found", "idle", "duplicates", "Duplicates found by the mean pause between bursts", "pause, ms",
      "pages", true},
     {"idle-moves", "idle", "gc_moved_pages",
      "Pages moved by garbage collection by the mean pause between bursts", "pause, ms", "pages", true},
     {"speed-response", "speed", "write_mean_us", "Mean write response by the speed of arrivals",
      "times as fast", "us", true, true},
     {"byte_time-response", "byte_time", "write_mean_us",
      "Mean write response by the time of a byte on the flash bus", "ns", "us", true},
     {"byte_time-time", "byte_time", "dedup_total_s",
      "Time spent deduplicating by the time of a byte on the flash bus", "ns", "s", true},
     {"md5-response", "md5", "write_mean_us", "Mean write response by the time of an MD5", "us for 4 KiB",
      "us", true},
     {"md5-time", "md5", "dedup_total_s", "Time spent deduplicating by the time of an MD5", "us for 4 KiB",
      "s", true},
     {"table-found", "table", "duplicates", "Duplicates found by the size of the table", "KB", "pages",
      true}}};

void add_dependence(Points points, const Dependence& what, std::vector<Figure>& figures) {
    const Pointers all = select(points, {{"part", "sensitivity"}, {"parameter", what.parameter}});
    if (all.empty()) {
        return;
    }
    LineFigure figure{FigureText{what.id, what.title, fmt::format("On {}.", all.front()->text("load"))},
                      Axis{what.x, what.log},
                      Axis{what.y, what.log_y},
                      {}};
    for (const Json& system : values_of(all, "system")) {
        LineFigure::Series series{system.get<std::string>(), {}};
        for (const Measured* point : all) {
            if (point->parameters["system"] == system && point->derived.contains(what.value)) {
                series.points.emplace_back(point->parameters["value"].get<double>(),
                                           point->value(what.value));
            }
        }
        if (!series.points.empty()) {
            std::ranges::sort(series.points);
            figure.series.push_back(std::move(series));
        }
    }
    figures.emplace_back(std::move(figure));
}

}  // namespace

std::vector<std::pair<double, double>> found_over_time(const Json& result) {
    constexpr double kUsPerSecond = 1e6;
    std::vector<std::pair<double, double>> curve;
    if (!result.contains("series") || !result["series"].contains("dedup")) {
        return curve;
    }
    const Json& edges = result["series"]["time_us"];
    const Json& found = result["series"]["dedup"]["duplicates"];
    double sum = 0.0;
    curve.reserve(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        sum += found[i].get<double>();
        curve.emplace_back(edges[i + 1].get<double>() / kUsPerSecond, sum);
    }
    return curve;
}

std::vector<Figure> figures_of(Points points, std::span<const Curve> curves) {
    std::vector<Figure> figures;
    add_times(points, figures);
    add_moves(points, figures);
    add_curves(points, curves, figures);
    for (const Dependence& what : kDependences) {
        add_dependence(points, what, figures);
    }
    return figures;
}

}  // namespace solidtlm::testbench::dedup
