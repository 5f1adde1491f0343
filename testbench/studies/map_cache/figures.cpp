// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace solidtlm::testbench::map_cache {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// Letters, digits, _ and - only.
std::string id_of(const std::string& what, const std::string& load) {
    std::string id = what + "-" + load;
    std::ranges::transform(id, id.begin(), [](char letter) {
        const auto code = static_cast<unsigned char>(letter);
        return std::isalnum(code) != 0 ? static_cast<char>(std::tolower(code)) : letter == '_' ? '_' : '-';
    });
    return id;
}

/// Figure 2: the request that causes caching counts as 0, which has a bucket of its own.
HistogramFigure sle_figure(const Load& load) {
    constexpr std::int32_t kStep = 32;
    const SleHistogram& sle = load.properties.sle();
    HistogramFigure figure;
    figure.text = {id_of("sle", load.name), load.name + ": spatial locality effect",
                   "Figure 2 of the study: position of a page request minus that of the one that had its "
                   "translation page cached; means over steps of 32 distances, 0 alone."};
    figure.x.label = "distance, entries";
    figure.y = {"page requests, % a distance", true};
    HistogramFigure::Series series{load.name, {}};
    const auto add = [&](std::int32_t first, std::int32_t last) {
        figure.edges.push_back(first);
        const double share =
            kPercent * static_cast<double>(sle.count(first, last)) / static_cast<double>(sle.total());
        series.counts.push_back(share / (last - first + 1));
    };
    for (std::int32_t first = -kLargestDistance; first < 0; first += kStep) {
        add(first, std::min(first + kStep - 1, -1));
    }
    add(0, 0);
    for (std::int32_t first = 1; first <= kLargestDistance; first += kStep) {
        add(first, std::min(first + kStep - 1, kLargestDistance));
    }
    figure.edges.push_back(kLargestDistance + 1);
    figure.series.push_back(std::move(series));
    return figure;
}

struct Curves {
    std::string id;
    std::string title;
    std::string caption;
    Axis y;
    std::function<bool(const Policy&)> shown;
    std::function<std::optional<double>(const Measured&)> value;
};

bool adaptive(const Policy& policy) {
    return policy.kind == fw::MapCachePolicy::full_page || policy.kind == fw::MapCachePolicy::half_page ||
           !policy.fixed();
}

std::vector<Curves> curves() {
    const auto fixed = [](const Policy& policy) { return policy.fixed(); };
    const auto hits = [](const Measured& m) -> std::optional<double> { return kPercent * m.hit_ratio; };
    const auto penalty = [](const Measured& m) -> std::optional<double> { return m.entries.total; };
    const auto measured = [](const Measured& m) {
        return m.measured ? std::optional(m.measured->total) : std::nullopt;
    };
    const std::string closed = "Closed form with the bytes of the entries, hits included.";
    const std::string timed = "The time that passed, with waiting for dies, channels and core.";
    const Axis ratio{"hit ratio, %"};
    const Axis us{"mean penalty of a page request, us", true};
    return {
        {"hits", "hit ratio, fixed windows", "Figure 3 of the study.", ratio, fixed, hits},
        {"penalty", "mean penalty, fixed windows", "Figure 4 of the study. " + closed, us, fixed, penalty},
        {"hits-adaptive", "hit ratio, bsb and later policies",
         "Figure 5 of the study, and policies beyond it.", ratio, adaptive, hits},
        {"penalty-adaptive", "mean penalty, bsb and later policies",
         "Figure 6 of the study, and policies beyond it. " + closed, us, adaptive, penalty},
        {"measured", "measured penalty, fixed windows", timed, us, fixed, measured},
        {"measured-adaptive", "measured penalty, bsb and later policies", timed, us, adaptive, measured}};
}

/// None if there is nothing to show.
std::optional<LineFigure> line_figure(std::span<const Measured> all, const std::string& load,
                                      const Curves& curves) {
    LineFigure figure;
    figure.text = {id_of(curves.id, load), load + ": " + curves.title, curves.caption};
    figure.x = {"cache, KiB", true};
    figure.y = curves.y;
    for (const Measured& each : all) {
        const auto value = curves.value(each);
        if (each.load != load || !curves.shown(each.policy) || !value) {
            continue;
        }
        auto series = std::ranges::find(figure.series, each.policy.name, &LineFigure::Series::name);
        if (series == figure.series.end()) {
            figure.series.push_back({each.policy.name, {}});
            series = figure.series.end() - 1;
        }
        series->points.emplace_back(static_cast<double>(each.size_bytes) / hal::kKiB, *value);
    }
    return figure.series.empty() ? std::nullopt : std::optional(figure);
}

CategoryFigure windows_over_time(const Measured& measured, std::uint32_t whole) {
    const std::string size = fmt::format("{:g}", static_cast<double>(measured.size_bytes) / hal::kKiB);
    CategoryFigure figure;
    figure.text = {id_of("windows-" + size, measured.load),
                   fmt::format("{}: windows that bsb chose over time, {} KiB", measured.load, size),
                   "Share of the misses in each part of the load; parts without a miss are empty."};
    figure.look = CategoryFigure::Look::stacked_bars;
    figure.x.label = "progress, %";
    figure.y.label = "share of the misses, %";
    const std::size_t intervals = measured.windows_over_time.front().size();
    for (std::size_t i = 0; i < intervals; ++i) {
        figure.categories.push_back(
            fmt::format("{:.0f}", kPercent * static_cast<double>(i) / static_cast<double>(intervals)));
    }
    for (std::size_t w = 0; w < measured.windows.size(); ++w) {
        CategoryFigure::Series series{window_name(measured.windows[w].entries, whole), {}};
        for (std::size_t i = 0; i < intervals; ++i) {
            std::uint64_t misses = 0;
            for (const auto& counts : measured.windows_over_time) {
                misses += counts[i];
            }
            series.values.push_back(misses == 0
                                        ? kGap
                                        : kPercent * static_cast<double>(measured.windows_over_time[w][i]) /
                                              static_cast<double>(misses));
        }
        figure.series.push_back(std::move(series));
    }
    return figure;
}

}  // namespace

std::vector<Figure> figures_of(std::span<const Measured> all, std::span<const Load> loads,
                               std::uint32_t whole) {
    std::vector<Figure> figures;
    for (const Load& load : loads) {
        figures.emplace_back(sle_figure(load));
        for (const Curves& each : curves()) {
            if (auto figure = line_figure(all, load.name, each)) {
                figures.emplace_back(std::move(*figure));
            }
        }
        for (const Measured& each : all) {
            if (each.load == load.name && !each.windows_over_time.empty()) {
                figures.emplace_back(windows_over_time(each, whole));
            }
        }
    }
    return figures;
}

}  // namespace solidtlm::testbench::map_cache
