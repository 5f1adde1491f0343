// SPDX-License-Identifier: Apache-2.0
//
// Tables of published figures beside those of the model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "testbench/studies/gallery/gallery.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::gallery {
namespace {

std::string id_of(const Measured& point) {
    return fmt::format("{}/{}/{}/{}", point.text("drive"), point.text("campaign"), point.text("test"),
                       point.text("depth"));
}

std::string error_text(const MeanError& error) {
    return error.figures == 0 ? "-" : fmt::format("{:.1f} /{}", kPercent * error.error, error.figures);
}

void errors_row(TextTable& table, const std::vector<Group>& shown, const std::string& name,
                std::span<const Compared> figures, const char* which, bool fitted) {
    std::vector<TextTable::Cell> cells{name, which};
    bool any = false;
    for (const Group& group : shown) {
        const MeanError error = mean_error(figures, group.metrics, fitted);
        any = any || error.figures > 0;
        cells.emplace_back(error_text(error));
    }
    if (any) {
        table.row(std::move(cells));
    }
}

/// SATA and NVMe apart.
std::map<std::string, std::vector<Compared>> by_interface(const std::vector<Compared>& figures) {
    std::map<std::string, std::vector<Compared>> apart;
    for (const Compared& figure : figures) {
        const bool nvme = figure.point->more.value("interface", std::string()) == "nvme";
        apart[nvme ? "NVMe" : "SATA"].push_back(figure);
    }
    return apart;
}

/// What was published and is not in the errors.
std::string without_figures(const std::vector<Compared>& figures) {
    std::vector<std::string> names;
    for (const Compared& figure : figures) {
        if (!figure.model) {
            names.push_back(figure.point->text("drive") + "/" + figure.id());
        }
    }
    return names.empty() ? ""
                         : fmt::format("The model has none of {} of {} figures: {}\n", names.size(),
                                       figures.size(), fmt::join(names, ", "));
}

std::string errors_table(Points points, const Spreads& spreads, const TextStyle& style) {
    const Selected measured = select(points, {{"guess", nullptr}});
    std::vector<Compared> all = compared(measured);
    const std::vector<Group> shown = groups_of_figures(all);
    TextTable table;
    table.column("drive, source", Align::left);
    table.column("figures", Align::left);
    for (const Group& group : shown) {
        table.column(group.heading, Align::right);
    }
    for (const Selected& group : groups_of(measured, {"drive", "campaign"})) {
        const std::vector<Compared> figures = compared(group);
        const std::string name = group.front()->text("drive") + ", " + group.front()->text("campaign");
        errors_row(table, shown, name, figures, "fitted", true);
        errors_row(table, shown, name, figures, "predicted", false);
    }
    for (const auto& [interface, figures] : by_interface(all)) {
        errors_row(table, shown, "all " + interface, figures, "fitted", true);
        errors_row(table, shown, "all " + interface, figures, "predicted", false);
    }
    if (!spreads.empty()) {
        std::erase_if(all, [&spreads](const Compared& figure) {
            const auto spread = spreads.of(figure);
            return spread && spread->no_evidence(figure.published);
        });
        errors_row(table, shown, "all", all, "evidence", false);
    }
    std::string text = "\n" + style.bold("Mean absolute error in % / number of figures") + "\n" +
                       table.render(style) + without_figures(compared(measured));
    for (const auto& [interface, figures] : by_interface(compared(measured))) {
        text += accuracy_table(interface + " drives", figures, style);
    }
    return text;
}

std::string spread_text(const Spread& spread, double published) {
    return fmt::format("{:+.1f} to {:+.1f}{}", kPercent * (spread.least / published - 1.0),
                       kPercent * (spread.most / published - 1.0),
                       spread.no_evidence(published) ? ": no evidence" : "");
}

std::string figures_table(Points points, const Spreads& spreads, const Drive& drive, const Campaign& campaign,
                          const TextStyle& style) {
    const Selected selected =
        select(points, {{"drive", drive.name}, {"campaign", campaign.name}, {"guess", nullptr}});
    if (selected.empty()) {
        return {};
    }
    const std::vector<Compared> figures = compared(selected);
    TextTable table;
    table.column("test", Align::left);
    for (const char* heading : {"depth", "figure", "published", "model", "error %"}) {
        table.column(heading, heading == std::string("figure") ? Align::left : Align::right);
    }
    if (!spreads.empty()) {
        table.column("error while guesses move", Align::left);
    }
    table.column("", Align::left);
    for (const Compared& figure : figures) {
        std::vector<TextTable::Cell> cells{
            figure.point->text("test"),
            figure.point->text("depth"),
            figure.metric,
            grouped(figure.published, 1),
            figure.model ? grouped(*figure.model, 1) : "none",
            figure.model ? fmt::format("{:+.1f}", kPercent * figure.error()) : "-"};
        if (!spreads.empty()) {
            const auto spread = spreads.of(figure);
            cells.emplace_back(spread ? spread_text(*spread, figure.published) : "-");
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
                if (figure.model && std::ranges::any_of(missing.figures, [&](const auto& each) {
                        return matches(figure.id(), each);
                    })) {
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

}  // namespace

std::string Compared::id() const {
    return fmt::format("{}/{}/{}/{}", point->text("campaign"), point->text("test"), point->text("depth"),
                       metric);
}

std::vector<Compared> compared(const Selected& points) {
    std::vector<Compared> figures;
    const auto lists = [](const Measured& point, const char* name, const std::string& metric) {
        const std::string names = "," + point.derived.value(name, std::string()) + ",";
        return names.find("," + metric + ",") != std::string::npos;
    };
    for (const Measured* point : points) {
        for (const std::string_view metric : kMetrics) {
            const std::string name(metric);
            if (const auto published = point->find("published_" + name)) {
                figures.push_back({point, name, *published, point->find(name), lists(*point, "fitted", name),
                                   lists(*point, "outside", name)});
            }
        }
    }
    return figures;
}

MeanError mean_error(std::span<const Compared> figures, const std::vector<std::string>& metrics,
                     bool fitted) {
    MeanError mean;
    for (const Compared& figure : figures) {
        if (figure.model && figure.fitted == fitted && has(metrics, figure.metric)) {
            ++mean.figures;
            mean.error += std::abs(figure.error());
        }
    }
    mean.error /= mean.figures == 0 ? 1.0 : static_cast<double>(mean.figures);
    return mean;
}

const std::vector<Group>& groups() {
    static const std::vector<Group> all{
        {"rate", {"iops", "mb_per_s", "before_mb_per_s", "behind_mb_per_s", "rested_mb_per_s"}},
        {"SLC cache", {"cliff_gb"}},
        {"mean, p50", {"mean_us", "p50_us"}},
        {"p99", {"p99_us"}},
        {"p99.9", {"p999_us"}},
        {"power", {"power_w", "idle_w"}}};
    return all;
}

std::vector<Group> groups_of_figures(std::span<const Compared> figures) {
    std::vector<Group> present;
    std::ranges::copy_if(groups(), std::back_inserter(present), [figures](const Group& group) {
        return std::ranges::any_of(
            figures, [&group](const Compared& figure) { return has(group.metrics, figure.metric); });
    });
    return present;
}

Spreads::Spreads(Points points) {
    for (const Measured& point : points) {
        if (point.parameters.contains("guess")) {
            guessed_[id_of(point)].push_back(&point);
        }
    }
}

std::optional<Spread> Spreads::of(const Compared& figure) const {
    const auto guessed = guessed_.find(id_of(*figure.point));
    if (guessed == guessed_.end() || !figure.model) {
        return {};
    }
    Spread spread{*figure.model, *figure.model};
    for (const Measured* point : guessed->second) {
        const double moved = point->find(figure.metric).value_or(*figure.model);
        spread.least = std::min(spread.least, moved);
        spread.most = std::max(spread.most, moved);
    }
    return spread;
}

std::string tables(Points points, const std::vector<Drive>& drives, bool details, const TextStyle& style) {
    const Spreads spreads(points);
    std::string text;
    for (const Drive& drive : drives) {
        for (const Campaign& campaign : drive.campaigns) {
            text += details ? figures_table(points, spreads, drive, campaign, style) : "";
        }
    }
    return text + errors_table(points, spreads, style) + amplification_table(points, drives, style) +
           own_values_table(drives, style) + missing_table(points, drives, style);
}

}  // namespace solidtlm::testbench::gallery
