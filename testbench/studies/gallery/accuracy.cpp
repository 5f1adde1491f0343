// SPDX-License-Identifier: Apache-2.0
//
// How far predicted figures are off, where the drive decides them, and what a null model says.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "testbench/studies/gallery/gallery.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::gallery {
namespace {

// Shares of time from which something is the limit. An adapter has no work between commands, a processor and
// a link have.
constexpr double kBusyAdapter = 0.97;
constexpr double kBusyProcessor = 0.95;
constexpr double kBusyLink = 0.93;
constexpr double kMostOfLatency = 0.7;

constexpr double kNear = 0.1;  // of the published value
constexpr double kSingle = 1;  // requests outstanding
constexpr double kFull = 32;

double sum_of(const Json& stages, std::span<const std::string_view> names) {
    return std::accumulate(names.begin(), names.end(), 0.0, [&stages](double sum, std::string_view name) {
        return sum + stages.value(std::string(name), 0.0);
    });
}

std::vector<double> errors_of(std::span<const Compared> figures, const std::vector<std::string>& metrics,
                              bool of_the_drive) {
    std::vector<double> errors;
    for (const Compared& figure : figures) {
        if (figure.model && !figure.fitted && has(metrics, figure.metric) &&
            !(of_the_drive && figure.outside)) {
            errors.push_back(figure.error());
        }
    }
    return errors;
}

void row(TextTable& table, const std::string& name, const std::vector<double>& errors) {
    const Accuracy accuracy = accuracy_of(errors);
    if (accuracy.figures > 0) {
        table.row({name, std::to_string(accuracy.figures), fmt::format("{:.1f}", kPercent * accuracy.median),
                   fmt::format("{:.1f}", kPercent * accuracy.mean),
                   fmt::format("{:+.1f}", kPercent * accuracy.bias),
                   fmt::format("{:.0f}", kPercent * accuracy.within)});
    }
}

/// The null model and the model on the same rates.
void roofline_rows(TextTable& table, std::span<const Compared> figures, bool of_the_drive) {
    std::vector<double> null_model;
    std::vector<double> model;
    for (const Compared& figure : figures) {
        const std::optional<double> rate = roofline(figure, figures);
        if (rate && figure.model && !figure.fitted && !(of_the_drive && figure.outside)) {
            null_model.push_back(*rate / figure.published - 1.0);
            model.push_back(figure.error());
        }
    }
    const std::string where = of_the_drive ? ", where the drive decides" : "";
    row(table, "rates of curves" + where + ": two published rates", null_model);
    row(table, "the same rates: the model", model);
}

}  // namespace

Accuracy accuracy_of(const std::vector<double>& errors) {
    Accuracy accuracy;
    if (errors.empty()) {
        return accuracy;
    }
    std::vector<double> off(errors.size());
    std::ranges::transform(errors, off.begin(), [](double error) { return std::abs(error); });
    std::ranges::sort(off);
    const auto count = static_cast<double>(off.size());
    accuracy.figures = off.size();
    accuracy.mean = std::accumulate(off.begin(), off.end(), 0.0) / count;
    accuracy.median = (off[(off.size() - 1) / 2] + off[off.size() / 2]) / 2.0;
    accuracy.bias = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
    accuracy.within = static_cast<double>(std::ranges::upper_bound(off, kNear) - off.begin()) / count;
    return accuracy;
}

std::string limit_of(const Json& result) {
    constexpr std::array<std::string_view, 1> kProcessor{"host_cpu"};
    constexpr std::array<std::string_view, 1> kAdapter{"hba_work"};
    constexpr std::array<std::string_view, 14> kPath{
        "link_wait",         "link_transfer",  "link_wake",     "completion", "doorbell",
        "sq_fetch",          "prp_fetch",      "hba_fetch",     "hba_dma",    "hba_wait",
        "interrupt_latency", "interrupt_wait", "host_cpu_wait", "host_cpu"};
    constexpr double kUsPerSecond = 1e6;
    const Json& stages = result["ledger"]["stages_us"];
    const double rate = result["host"].value("iops", 0.0) / kUsPerSecond;
    if (rate * sum_of(stages, kAdapter) > kBusyAdapter) {
        return "adapter";
    }
    if (rate * sum_of(stages, kProcessor) > kBusyProcessor) {
        return "processor";
    }
    if (result["utilization"]["link"].get<double>() > kBusyLink) {
        return "link";
    }
    double latency = -stages.value("host_queue", 0.0);  // waiting for a slot of the drive
    for (const Json& stage : stages) {
        latency += stage.get<double>();
    }
    const double outside = sum_of(stages, kPath) + sum_of(stages, kAdapter);
    return latency > 0.0 && outside > kMostOfLatency * latency ? "path" : kByDrive;
}

bool link_decides(const Json& result, double mb_per_s) {
    const double mean = result["host"].value("mb_per_s", 0.0);
    return mean > 0.0 && result["utilization"]["link"].get<double>() * mb_per_s / mean > kBusyLink;
}

std::optional<double> roofline(const Compared& figure, std::span<const Compared> figures) {
    const double depth = figure.point->value("depth");
    if (!has(groups().front().metrics, figure.metric) || depth == kSingle || depth == kFull) {
        return {};
    }
    const auto at = [&](double wanted) {
        return std::ranges::find_if(figures, [&](const Compared& other) {
            return other.metric == figure.metric && other.point->value("depth") == wanted &&
                   other.point->text("drive") == figure.point->text("drive") &&
                   other.point->text("campaign") == figure.point->text("campaign") &&
                   other.point->text("test") == figure.point->text("test");
        });
    };
    const auto single = at(kSingle);
    const auto full = at(kFull);
    if (single == figures.end() || full == figures.end()) {
        return {};
    }
    return std::min(depth * single->published, full->published);
}

std::string accuracy_table(const std::string& title, std::span<const Compared> figures,
                           const TextStyle& style) {
    TextTable table;
    table.column("predicted figures", Align::left);
    for (const char* heading : {"figures", "median", "mean", "bias", "within 10 %"}) {
        table.column(heading, Align::right);
    }
    for (const Group& group : groups()) {
        const std::vector<double> all = errors_of(figures, group.metrics, false);
        const std::vector<double> of_the_drive = errors_of(figures, group.metrics, true);
        row(table, group.heading, all);
        if (of_the_drive.size() < all.size()) {
            row(table, fmt::format("{}, where the drive decides", group.heading), of_the_drive);
        }
    }
    roofline_rows(table, figures, false);
    roofline_rows(table, figures, true);
    return "\n" +
           style.bold(title +
                      ": error in %, median and mean of absolute values, mean with sign, share of figures") +
           "\n" + table.render(style);
}

OwnValues own_values(const Drive& drive) {
    OwnValues count;
    std::set<std::string> seen;  // a host's values once for all campaigns on it
    const auto note = [&](const std::vector<Setting>& settings, const std::string& where) {
        for (const Setting& setting : settings) {
            const bool own = std::ranges::any_of(setting.figures, [&drive](const std::string& figure) {
                return figure.starts_with(drive.name + "/");
            });
            if (own && seen.insert(where + setting.key).second) {
                ++(setting.evidence == Evidence::fitted ? count.fitted : count.derived);
            }
        }
    };
    note(drive.settings, "");
    for (const Campaign& campaign : drive.campaigns) {
        note(campaign.host.settings, campaign.host.name + "/");
        count.derived += static_cast<std::size_t>(std::ranges::count_if(
            campaign.tests, [](const Test& test) { return !test.state_figures.empty(); }));
    }
    return count;
}

std::string own_values_table(const std::vector<Drive>& drives, const TextStyle& style) {
    TextTable table;
    table.column("drive", Align::left);
    table.column("fitted", Align::right);
    table.column("computed", Align::right);
    bool any = false;
    for (const Drive& drive : drives) {
        const OwnValues values = own_values(drive);
        if (values.fitted + values.derived > 0) {
            any = true;
            table.row({drive.name, std::to_string(values.fitted), std::to_string(values.derived)});
        }
    }
    return any ? "\n" + style.bold("Values that a drive's own figures determine") + "\n" + table.render(style)
               : "";
}

}  // namespace solidtlm::testbench::gallery
