// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "testbench/studies/map_cache/map_cache.h"

namespace solidtlm::testbench::map_cache {
namespace {

/// Figure 2: the request that causes caching counts as distance 0, which has a bucket of its own.
HistogramFigure sle_figure(const Load& load) {
    constexpr std::int32_t kStep = 32;
    const SleHistogram& sle = load.properties.sle();
    HistogramFigure figure;
    figure.text = {figure_id("sle-" + load.name), load.name + ": spatial locality effect",
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

/// Lines over the size of the cache, one per policy.
struct Curves {
    std::string id;
    std::string title;
    std::string caption;
    Axis y;
    bool (*shown)(const std::string& policy);
    Value value;
};

bool adaptive(const std::string& policy) {
    return policy == "full_page" || policy == "half_page" || !fixed_window(policy);
}

const std::vector<Curves>& curves() {
    static const std::string closed = "Closed form with the bytes of the entries, hits included.";
    static const std::string timed = "The time that passed, with waiting for dies, channels and core.";
    static const Axis ratio{"hit ratio, %"};
    static const Axis us{"mean penalty of a page request, us", true};
    static const Value hits([](const Measured& point) { return kPercent * point.value("hit_ratio"); });
    static const std::vector<Curves> all{
        {"hits", "hit ratio, fixed windows", "Figure 3 of the study.", ratio, fixed_window, hits},
        {"penalty", "mean penalty, fixed windows", "Figure 4 of the study. " + closed, us, fixed_window,
         "penalty_entries_us"},
        {"hits-adaptive", "hit ratio, bsb and later policies",
         "Figure 5 of the study, and policies beyond it.", ratio, adaptive, hits},
        {"penalty-adaptive", "mean penalty, bsb and later policies",
         "Figure 6 of the study, and policies beyond it. " + closed, us, adaptive, "penalty_entries_us"},
        {"measured", "measured penalty, fixed windows", timed, us, fixed_window, "penalty_measured_us"},
        {"measured-adaptive", "measured penalty, bsb and later policies", timed, us, adaptive,
         "penalty_measured_us"}};
    return all;
}

double kib(const Measured& point) {
    return point.value("cache_bytes") / hal::kKiB;
}

/// The name in firmware.map_cache.bsb_candidates; `whole`: entries of a translation page.
std::string window_name(std::uint32_t entries, std::uint32_t whole) {
    return entries == whole ? "full" : "tafp_" + std::to_string(entries * 4);
}

CategoryFigure windows_over_time(const Measured& point, std::uint32_t whole) {
    const std::string load = point.text("workload");
    const std::string size = fmt::format("{:g}", kib(point));
    const Json& windows = point.more.at("windows");
    CategoryFigure figure{{figure_id("windows-" + size + "-" + load),
                           fmt::format("{}: windows that bsb chose over time, {} KiB", load, size),
                           "Share of the misses in each part of the load; parts without a miss are empty."},
                          CategoryFigure::Look::stacked_bars,
                          {"progress, %"},
                          {"share of the misses, %"},
                          {},
                          {}};
    for (const Json& window : windows) {
        figure.series.push_back({window_name(window.at("entries"), whole), {}});
    }
    const std::size_t parts = windows.front().at("over_time").size();
    for (std::size_t i = 0; i < parts; ++i) {
        figure.categories.push_back(
            fmt::format("{:.0f}", kPercent * static_cast<double>(i) / static_cast<double>(parts)));
        double misses = 0.0;
        for (const Json& window : windows) {
            misses += window.at("over_time")[i].get<double>();
        }
        for (std::size_t w = 0; w < windows.size(); ++w) {
            const double chosen = windows[w].at("over_time")[i];
            figure.series[w].values.push_back(misses > 0.0 ? kPercent * chosen / misses : kGap);
        }
    }
    return figure;
}

}  // namespace

std::vector<Figure> figures_of(Points points, std::span<const Load> loads, std::uint32_t whole) {
    std::vector<Figure> figures;
    for (const Load& load : loads) {
        const Selected of_load = select(points, {{"workload", load.name}});
        figures.emplace_back(sle_figure(load));
        for (const Curves& each : curves()) {
            Selected shown = of_load;
            std::erase_if(shown,
                          [&each](const Measured* point) { return !each.shown(point->text("policy")); });
            add_unless_empty(figures,
                             line_figure({figure_id(each.id + "-" + load.name), load.name + ": " + each.title,
                                          each.caption},
                                         {"cache, KiB", true}, each.y, shown, "policy", kib, each.value));
        }
        for (const Measured* point : of_load) {
            const auto windows = point->more.find("windows");
            if (windows != point->more.end() && !windows->empty() && windows->front().contains("over_time")) {
                figures.emplace_back(windows_over_time(*point, whole));
            }
        }
    }
    return figures;
}

}  // namespace solidtlm::testbench::map_cache
