// SPDX-License-Identifier: Apache-2.0
//
// Published figures beside those of the model, as tables and curves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "testbench/gallery/gallery.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::gallery {
namespace {

constexpr double kPercent = 100.0;

const std::vector<std::string> kRates{"iops", "mb_per_s"};
const std::vector<std::string> kMiddles{"mean_us", "p50_us"};

/// The columns of errors.
struct Group {
    const char* heading;
    std::vector<std::string> metrics;
};
const std::vector<Group>& groups() {
    static const std::vector<Group> all{
        {"rate", kRates}, {"mean, p50", kMiddles}, {"p99", {"p99_us"}}, {"p99.9", {"p999_us"}}};
    return all;
}

std::string error_text(const MeanError& error) {
    return error.figures == 0 ? "-" : fmt::format("{:.1f} /{}", kPercent * error.error, error.figures);
}

void errors_row(TextTable& table, const std::string& name, std::span<const Compared> figures, bool fitted) {
    std::vector<TextTable::Cell> cells{name, fitted ? "fitted" : "predicted"};
    bool any = false;
    for (const Group& group : groups()) {
        const MeanError error = mean_error(figures, group.metrics, fitted);
        any = any || error.figures > 0;
        cells.emplace_back(error_text(error));
    }
    if (any) {
        table.row(std::move(cells));
    }
}

std::string errors_table(Points points, const TextStyle& style) {
    TextTable table;
    table.column("drive, source", Align::left);
    table.column("figures", Align::left);
    for (const Group& group : groups()) {
        table.column(group.heading, Align::right);
    }
    std::vector<Compared> all;
    for (const Selected& group : groups_of(select(points, {{"guess", nullptr}}), {"drive", "campaign"})) {
        const std::vector<Compared> figures = compared(group);
        const std::string name = group.front()->text("drive") + ", " + group.front()->text("campaign");
        errors_row(table, name, figures, true);
        errors_row(table, name, figures, false);
        all.insert(all.end(), figures.begin(), figures.end());
    }
    errors_row(table, "all", all, true);
    errors_row(table, "all", all, false);
    return "\n" + style.bold("Mean absolute error in % / number of figures") + "\n" + table.render(style);
}

/// How far the model's figure moves while guesses move in their ranges, one at a time.
struct Spread {
    double least = 0.0;
    double most = 0.0;
};
std::optional<Spread> spread_of(Points points, const Compared& figure) {
    Json wanted = figure.point->parameters;
    std::optional<Spread> spread;
    for (const Measured& each : points) {
        if (each.parameters.contains("guess") && each.parameters["drive"] == wanted["drive"] &&
            each.matches(wanted)) {
            const double model = each.value(figure.metric);
            spread = spread.value_or(Spread{figure.model, figure.model});
            spread->least = std::min(spread->least, model);
            spread->most = std::max(spread->most, model);
        }
    }
    return spread;
}

std::string spread_text(const Spread& spread, const Compared& figure) {
    const bool any = spread.least <= figure.published && figure.published <= spread.most;
    return fmt::format("{:+.1f} to {:+.1f}{}", kPercent * (spread.least / figure.published - 1.0),
                       kPercent * (spread.most / figure.published - 1.0), any ? " (a guess)" : "");
}

std::string figures_table(Points points, const Drive& drive, const Campaign& campaign,
                          const TextStyle& style) {
    const Selected selected =
        select(points, {{"drive", drive.name}, {"campaign", campaign.name}, {"guess", nullptr}});
    if (selected.empty()) {
        return {};
    }
    const std::vector<Compared> figures = compared(selected);
    const bool guesses =
        std::ranges::any_of(points, [&](const Measured& each) { return each.parameters.contains("guess"); });
    TextTable table;
    table.column("test", Align::left);
    for (const char* heading : {"depth", "figure", "published", "model", "error %"}) {
        table.column(heading, heading == std::string("figure") ? Align::left : Align::right);
    }
    if (guesses) {
        table.column("while guesses move", Align::left);
    }
    table.column("", Align::left);
    for (const Compared& figure : figures) {
        std::vector<TextTable::Cell> cells{figure.point->text("test"),
                                           figure.point->text("depth"),
                                           figure.metric,
                                           grouped(figure.published, 1),
                                           grouped(figure.model, 1),
                                           fmt::format("{:+.1f}", kPercent * figure.error())};
        if (guesses) {
            const auto spread = spread_of(points, figure);
            cells.emplace_back(spread ? spread_text(*spread, figure) : "-");
        }
        cells.emplace_back(figure.fitted                                  ? "fitted"
                           : figure.point->derived.value("drifts", false) ? "drifts"
                                                                          : "");
        table.row(std::move(cells));
    }
    return "\n" + style.bold(drive.title + "; " + campaign.host.title) + "\n" + campaign.source + "\n" +
           table.render(style);
}

std::string missing_table(Points points, const std::vector<Drive>& drives, const TextStyle& style) {
    TextTable table;
    table.column("drive", Align::left);
    table.column("what the model lacks", Align::wrap);
    table.column("figures", Align::right);
    table.column("error %", Align::right);
    bool any = false;
    for (const Drive& drive : drives) {
        const std::vector<Compared> figures =
            compared(select(points, {{"drive", drive.name}, {"guess", nullptr}}));
        for (const Missing& missing : drive.missing) {
            double error = 0.0;
            std::size_t count = 0;
            for (const Compared& figure : figures) {
                if (std::ranges::any_of(missing.figures,
                                        [&](const auto& each) { return matches(figure.id(), each); })) {
                    error += std::abs(figure.error());
                    ++count;
                }
            }
            if (count > 0 || missing.figures.empty()) {
                any = true;
                table.row({drive.name, missing.mechanism,
                           missing.figures.empty() ? "not posed" : std::to_string(count),
                           count == 0
                               ? "-"
                               : fmt::format("{:.1f}", kPercent * error / static_cast<double>(count))});
            }
        }
    }
    return any ? "\n" + style.bold("Mechanisms that are missing, and the figures that they would explain") +
                     "\n" + table.render(style)
               : "";
}

bool is_rate(const std::string& metric) {
    return has(kRates, metric);
}

std::string axis_of(const std::string& metric) {
    return metric == "iops" ? "IOPS" : metric == "mb_per_s" ? "throughput, MB/s" : "latency, us";
}

/// Published (dashed) and model over depth: one figure for rates, one for latencies.
std::vector<Figure> curves(const Selected& points, const std::string& title) {
    std::vector<Figure> figures;
    const Measured& first = *points.front();
    for (const bool rates : {true, false}) {
        LineFigure figure{{figure_id(fmt::format("{}-{}-{}-{}", first.text("drive"), first.text("campaign"),
                                                 first.text("test"), rates ? "rate" : "latency")),
                           title + ": " + first.text("test"), "Dashed: published. Solid: the model."},
                          {"requests outstanding", true},
                          {"", !rates},
                          {}};
        for (const std::string_view metric : kMetrics) {
            const std::string name(metric);
            const std::string published = "published_" + name;
            if (is_rate(name) != rates || !first.find(published)) {
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

/// Errors of every campaign side by side, predicted figures alone.
CategoryFigure errors_figure(Points points) {
    CategoryFigure figure{{"errors", "mean absolute error of the predicted figures",
                           "By drive and source. Rates: IOPS and MB/s."},
                          CategoryFigure::Look::bars,
                          {"drive, source"},
                          {"mean absolute error, %"},
                          {},
                          {}};
    for (const Group& group : groups()) {
        figure.series.push_back({group.heading, {}, false});
    }
    for (const Selected& of_campaign :
         groups_of(select(points, {{"guess", nullptr}}), {"drive", "campaign"})) {
        const std::vector<Compared> figures = compared(of_campaign);
        figure.categories.push_back(of_campaign.front()->text("drive") + ", " +
                                    of_campaign.front()->text("campaign"));
        for (std::size_t i = 0; i < groups().size(); ++i) {
            const MeanError error = mean_error(figures, groups()[i].metrics, false);
            figure.series[i].values.push_back(error.figures == 0 ? kGap : kPercent * error.error);
        }
    }
    return figure;
}

}  // namespace

std::string Compared::id() const {
    return fmt::format("{}/{}/{}/{}", point->text("campaign"), point->text("test"), point->text("depth"),
                       metric);
}

std::vector<Compared> compared(const Selected& points) {
    std::vector<Compared> figures;
    for (const Measured* point : points) {
        const std::string fitted = "," + point->derived.value("fitted", std::string()) + ",";
        for (const std::string_view metric : kMetrics) {
            const std::string name(metric);
            if (const auto published = point->find("published_" + name)) {
                figures.push_back({point, name, *published, point->value(name),
                                   fitted.find("," + name + ",") != std::string::npos});
            }
        }
    }
    return figures;
}

MeanError mean_error(std::span<const Compared> figures, const std::vector<std::string>& metrics,
                     bool fitted) {
    MeanError mean;
    for (const Compared& figure : figures) {
        if (figure.fitted == fitted && has(metrics, figure.metric)) {
            ++mean.figures;
            mean.error += std::abs(figure.error());
        }
    }
    mean.error /= mean.figures == 0 ? 1.0 : static_cast<double>(mean.figures);
    return mean;
}

std::string tables(Points points, const std::vector<Drive>& drives, bool details, const TextStyle& style) {
    std::string text;
    for (const Drive& drive : drives) {
        for (const Campaign& campaign : drive.campaigns) {
            text += details ? figures_table(points, drive, campaign, style) : "";
        }
    }
    return text + errors_table(points, style) + missing_table(points, drives, style);
}

std::vector<Figure> figures_of(Points points, const std::vector<Drive>& drives) {
    std::vector<Figure> figures{errors_figure(points)};
    for (const Drive& drive : drives) {
        const Selected of_drive = select(points, {{"drive", drive.name}, {"guess", nullptr}});
        for (const Selected& test : groups_of(of_drive, {"campaign", "test"})) {
            if (test.size() > 1) {
                std::ranges::move(curves(test, drive.title + ", " + test.front()->text("campaign")),
                                  std::back_inserter(figures));
            }
        }
    }
    return figures;
}

}  // namespace solidtlm::testbench::gallery
