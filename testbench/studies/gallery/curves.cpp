// SPDX-License-Identifier: Apache-2.0
//
// Curves of published figures beside those of the model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "testbench/studies/gallery/gallery.h"
#include "testbench/studies/kit/figures.h"

namespace solidtlm::testbench::gallery {
namespace {

constexpr const char* kDashed = "Dashed: published. Solid: the model.";

bool is_rate(const std::string& metric) {
    return has(groups().front().metrics, metric);
}

std::string axis_of(const std::string& metric) {
    return metric == "iops" ? "IOPS" : is_rate(metric) ? "throughput, MB/s" : "latency, us";
}

/// Published (dashed) and model over depth: one figure for rates, one for latencies.
std::vector<Figure> curves(const Selected& points, const std::string& title) {
    std::vector<Figure> figures;
    const Measured& first = *points.front();
    for (const bool rates : {true, false}) {
        LineFigure figure{{figure_id(fmt::format("{}-{}-{}-{}", first.text("drive"), first.text("campaign"),
                                                 first.text("test"), rates ? "rate" : "latency")),
                           title + ": " + first.text("test"), kDashed},
                          {"requests outstanding", true},
                          {"", !rates},
                          {}};
        for (const std::string_view metric : kMetrics) {
            const std::string name(metric);
            const std::string published = "published_" + name;
            if (!(rates ? is_rate(name) : name.ends_with("_us")) || !first.find(published)) {
                continue;
            }
            figure.y.label = axis_of(name);
            for (const bool dashed : {true, false}) {
                LineFigure::Series series{dashed ? name + ", published" : name + ", model", {}, dashed};
                for (const Measured* point : points) {
                    series.points.emplace_back(point->value("depth"),
                                               point->value(dashed ? published : name));
                }
                figure.series.push_back(std::move(series));
            }
        }
        add_unless_empty(figures, std::move(figure));
    }
    return figures;
}

/// Errors of all campaigns side by side, for predicted figures only.
CategoryFigure errors_figure(Points points) {
    CategoryFigure figure{{"errors", "mean absolute error of the predicted figures",
                           "By drive and source. Rates: IOPS and MB/s."},
                          CategoryFigure::Look::bars,
                          {"drive, source"},
                          {"mean absolute error, %"},
                          {},
                          {}};
    const Selected measured = select(points, {{"guess", nullptr}});
    const std::vector<Group> shown = groups_of_figures(compared(measured));
    for (const Group& group : shown) {
        figure.series.push_back({group.heading, {}, false});
    }
    for (const Selected& of_campaign : groups_of(measured, {"drive", "campaign"})) {
        const std::vector<Compared> figures = compared(of_campaign);
        figure.categories.push_back(of_campaign.front()->text("drive") + ", " +
                                    of_campaign.front()->text("campaign"));
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const MeanError error = mean_error(figures, shown[i].metrics, false);
            figure.series[i].values.push_back(error.figures == 0 ? kGap : kPercent * error.error);
        }
    }
    return figure;
}

/// For one campaign: the speed of each write test over the amount written. Tests at several depths have
/// curves over depth instead.
LineFigure written_figure(const Selected& campaign, const std::string& title) {
    LineFigure figure{{figure_id(fmt::format("{}-{}-written", campaign.front()->text("drive"),
                                             campaign.front()->text("campaign"))),
                       title + ": write speed over amount written",
                       std::string(kDashed) + " Warm-up included; of the drive as the model scales it."},
                      {"written, GB"},
                      {"throughput, MB/s"},
                      {}};
    for (const Selected& test : groups_of(campaign, {"test"})) {
        const Json& curve = test.front()->more["written"];
        if (test.size() > 1 || curve.size() < 2) {
            continue;
        }
        const std::string name = test.front()->text("test");
        LineFigure::Series model{name + ", model", curve.get<std::vector<std::pair<double, double>>>()};
        if (const auto published = test.front()->find("published_bandwidth")) {
            figure.series.push_back(
                {name + ", published",
                 {{model.points.front().first, *published}, {model.points.back().first, *published}},
                 true});
        }
        figure.series.push_back(std::move(model));
    }
    return figure;
}

/// Steady write rates of a family of drives over over-provisioning.
LineFigure over_provisioning_figure(Points points, const std::vector<Drive>& drives,
                                    const std::string& family) {
    LineFigure figure{
        {figure_id("over-provisioning-" + family), family + ": steady state over over-provisioning", kDashed},
        {"over-provisioning, %"},
        {"IOPS"},
        {}};
    Selected of_family;
    for (const Drive& drive : drives) {
        if (drive.family == family) {
            std::ranges::copy(select(points, {{"drive", drive.name}, {"guess", nullptr}}),
                              std::back_inserter(of_family));
        }
    }
    std::ranges::stable_sort(of_family, {},
                             [](const Measured* point) { return point->value("over_provisioning"); });
    for (const Selected& test : groups_of(of_family, {"campaign", "test"})) {
        const bool steady = test.front()->text("test").ends_with("steady");
        if (!steady || test.front()->value("over_provisioning") == test.back()->value("over_provisioning")) {
            continue;
        }
        const std::string name = test.front()->text("campaign") + ", " + test.front()->text("test");
        for (const bool dashed : {true, false}) {
            LineFigure::Series series{name + (dashed ? ", published" : ", model"), {}, dashed};
            for (const Measured* point : test) {
                series.points.emplace_back(kPercent * point->value("over_provisioning"),
                                           point->value(dashed ? "published_iops" : "iops"));
            }
            figure.series.push_back(std::move(series));
        }
    }
    return figure;
}

}  // namespace

Json rate_over_written(const Json& series) {
    Json pairs = Json::array();
    const auto writes = series["operations"].find("write");
    if (writes == series["operations"].end()) {
        return pairs;
    }
    constexpr std::size_t kMostPoints = 64;
    constexpr double kBytesPerGb = 1e9;
    const Json& bytes = (*writes)["bytes"];
    const Json& edges = series["time_us"];
    const std::size_t step = (bytes.size() + kMostPoints - 1) / kMostPoints;
    double written = 0.0;
    for (std::size_t from = 0; from + step <= bytes.size(); from += step) {
        double of_step = 0.0;
        for (std::size_t i = from; i < from + step; ++i) {
            of_step += bytes[i].get<double>();
        }
        written += of_step;
        pairs.push_back({written / kBytesPerGb,
                         of_step / (edges[from + step].get<double>() - edges[from].get<double>())});
    }
    return pairs;
}

std::vector<Figure> figures_of(Points points, const std::vector<Drive>& drives) {
    std::vector<Figure> figures{errors_figure(points)};
    for (const std::string& family : families_of(drives)) {
        add_unless_empty(figures, over_provisioning_figure(points, drives, family));
    }
    for (const Drive& drive : drives) {
        for (const Selected& campaign :
             groups_of(select(points, {{"drive", drive.name}, {"guess", nullptr}}), {"campaign"})) {
            const std::string title = drive.title + ", " + campaign.front()->text("campaign");
            for (const Selected& test : groups_of(campaign, {"test"})) {
                if (test.size() > 1) {
                    std::ranges::move(curves(test, title), std::back_inserter(figures));
                }
            }
            add_unless_empty(figures, written_figure(campaign, title));
        }
    }
    return figures;
}

}  // namespace solidtlm::testbench::gallery
