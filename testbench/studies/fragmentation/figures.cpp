// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// Figure ids are made of a-z, 0-9, _ and -.
std::string id_of(const std::string& text) {
    std::string id = text;
    std::ranges::transform(id, id.begin(), [](char letter) {
        const bool upper = letter >= 'A' && letter <= 'Z';
        const bool plain =
            (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
        return upper ? static_cast<char>(letter - 'A' + 'a') : plain ? letter : '-';
    });
    return id;
}

std::string striped(const std::string& striping) {
    return striping == "full" ? "full striping" : "no striping";
}

/// With the rule, or without it where it was not run with it.
const Observed* shown(std::span<const Observed> all, const std::string& layer, const std::string& striping,
                      const std::string& load) {
    const Observed* with = find(all, System{layer, striping, true}, load);
    return with != nullptr ? with : find(all, System{layer, striping, false}, load);
}

/// Figure 6.
Figure utilisation(std::span<const Observed> all, const std::string& striping) {
    CategoryFigure figure;
    figure.text = {"utilisation-" + striping, "figure 6: block utilisation at the end, " + striped(striping),
                   "Pages programmed since the erase over the pages of all data blocks."};
    figure.x.label = "translation layer";
    figure.y.label = "block utilisation, %";
    figure.categories = layers_of(all);
    for (const std::string& load : loads_of(all)) {
        CategoryFigure::Series& series = figure.series.emplace_back();
        series.name = load;
        for (const std::string& layer : figure.categories) {
            const Observed* each = shown(all, layer, striping, load);
            series.values.push_back(each != nullptr ? each->utilisation.value_or(kNoValue) : kNoValue);
        }
    }
    return figure;
}

Figure utilisation_over_time(std::span<const Observed> all, const std::string& load,
                             const std::string& striping) {
    LineFigure figure;
    figure.text = {id_of("utilisation-over-time-" + load + "-" + striping),
                   "block utilisation over time: " + load + ", " + striped(striping), ""};
    figure.x.label = "written, GiB";
    figure.y.label = "block utilisation, %";
    for (const std::string& layer : layers_of(all)) {
        const Observed* each = shown(all, layer, striping, load);
        if (each != nullptr && !each->utilisation_over_time.empty()) {
            figure.series.push_back({layer, each->utilisation_over_time});
        }
    }
    return figure;
}

/// Figure 7.
Figure kinds_of_writes(std::span<const Observed> all, const std::string& load, const std::string& striping) {
    CategoryFigure figure;
    figure.text = {
        id_of("kinds-" + load + "-" + striping),
        "figure 7: kinds of page writes: " + load + ", " + striped(striping),
        "update_wasted: the page's own place is empty, but the rule of ascending pages forbids it."};
    figure.look = CategoryFigure::Look::stacked_bars;
    figure.x.label = "translation layer";
    figure.y.label = "share of the page writes, %";
    figure.categories = layers_of(all);
    figure.series = {{"write_data", {}}, {"update_pure", {}}, {"update_wasted", {}}};
    for (const std::string& layer : figure.categories) {
        const Observed* each = shown(all, layer, striping, load);
        const PageWrites writes = each != nullptr ? each->writes : PageWrites{};
        figure.series[0].values.push_back(writes.share(writes.data));
        figure.series[1].values.push_back(writes.share(writes.pure));
        figure.series[2].values.push_back(writes.share(writes.wasted));
    }
    return figure;
}

/// Figure 8.
Figure throughput(std::span<const Observed> all, const std::string& load, const std::string& striping) {
    const bool timed =
        std::ranges::any_of(all, [](const Observed& each) { return each.mb_per_s.has_value(); });
    CategoryFigure figure;
    figure.text = {
        id_of("throughput-" + load + "-" + striping),
        "figure 8: throughput: " + load + ", " + striped(striping),
        timed ? "wasted: with the rule of ascending pages; no_wasted: without."
              : "Not timed: what the flash work allows if every die is always busy. wasted: with the "
                "rule of ascending pages; no_wasted: without."};
    figure.x.label = "translation layer";
    figure.y.label = "throughput, MB/s";
    figure.categories = layers_of(all);
    for (const bool rule : {true, false}) {
        CategoryFigure::Series& series = figure.series.emplace_back();
        series.name = rule ? "wasted" : "no_wasted";
        for (const std::string& layer : figure.categories) {
            const Observed* each = find(all, System{layer, striping, rule}, load);
            series.values.push_back(each != nullptr ? each->throughput() : kNoValue);
        }
    }
    return figure;
}

}  // namespace

std::vector<Figure> access_patterns(std::span<const NamedProfile> loads) {
    std::vector<Figure> figures;
    for (const auto& [load, profile] : loads) {
        HeatmapFigure figure;
        figure.text = {
            id_of("pattern-" + load), "figure 5: access pattern: " + load,
            "Read and written in each part of the drive, while the requests go on from left to right."};
        figure.x.label = "requests, %";
        figure.y.label = "address, % of the drive";
        figure.unit = "MiB";
        for (std::size_t time = 0; time < Profile::kTimes; ++time) {
            figure.x_categories.push_back(std::to_string(100 * time / Profile::kTimes));
        }
        for (std::size_t place = 0; place < Profile::kPlaces; ++place) {
            figure.y_categories.push_back(std::to_string(100 * place / Profile::kPlaces));
            std::vector<std::optional<double>>& row = figure.cells.emplace_back();
            for (const double mib : profile.pattern[place]) {
                row.push_back(mib > 0.0 ? std::optional(mib) : std::nullopt);
            }
        }
        figures.emplace_back(std::move(figure));
    }
    return figures;
}

std::vector<Figure> study_figures(std::span<const Observed> all) {
    std::vector<Figure> figures;
    const std::vector<std::string> stripings = stripings_of(all);
    const std::vector<std::string> loads = loads_of(all);
    figures.reserve(stripings.size() * (1 + 3 * loads.size()));
    for (const std::string& striping : stripings) {
        figures.push_back(utilisation(all, striping));
    }
    for (const std::string& load : loads) {
        for (const std::string& striping : stripings) {
            figures.push_back(utilisation_over_time(all, load, striping));
            figures.push_back(kinds_of_writes(all, load, striping));
            figures.push_back(throughput(all, load, striping));
        }
    }
    return figures;
}

}  // namespace solidtlm::testbench::fragmentation
