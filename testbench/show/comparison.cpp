// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fw/hal/check.h"
#include "testbench/show/summary_sections.h"

namespace solidtlm::testbench {
namespace {

struct Device {
    std::string name;
    const Json* result;
};

std::vector<Device> devices_of(const Json& document) {
    SOLIDTLM_CHECK(document.at("points").size() >= 2, "devices to compare");
    std::vector<Device> devices;
    for (const Json& point : document.at("points")) {
        devices.push_back({value_text(point.at("parameters").at("device")), &point.at("result")});
    }
    return devices;
}

/// A number of a result that is compared.
struct ComparedMeasure {
    std::string name;
    double (*value)(const Json& result);
    int decimals;
};

double latency(const Json& result, const char* field) {
    return number(result.at("host").at("latency_us").at(field));
}

double mean_of(const Json& values) {
    double sum = 0.0;
    for (const Json& value : values) {
        sum += number(value);
    }
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double utilization(const Json& result, const char* part) {
    return 100.0 * number(result.at("utilization").at(part));
}

std::vector<ComparedMeasure> compared_measures(const TextStyle& style) {
    const std::string us(style.us());
    return {{"throughput, MB/s", [](const Json& r) { return number(r.at("host").at("mb_per_s")); }, 1},
            {"commands/s", [](const Json& r) { return number(r.at("host").at("iops")); }, 0},
            {"latency, mean " + us, [](const Json& r) { return latency(r, "mean"); }, 1},
            {"  p50", [](const Json& r) { return latency(r, "p50"); }, 1},
            {"  p99", [](const Json& r) { return latency(r, "p99"); }, 1},
            {"  p99.9", [](const Json& r) { return latency(r, "p999"); }, 1},
            {"write amplification", [](const Json& r) { return number(r.at("write_amplification")); }, 3},
            {"page reads", [](const Json& r) { return number(r.at("nand").at("reads")); }, 0},
            {"page programs", [](const Json& r) { return number(r.at("nand").at("programs")); }, 0},
            {"block erases", [](const Json& r) { return number(r.at("nand").at("erases")); }, 0},
            {"link busy, %", [](const Json& r) { return utilization(r, "link"); }, 1},
            {"core", [](const Json& r) { return utilization(r, "core"); }, 1},
            {"DRAM", [](const Json& r) { return utilization(r, "dram"); }, 1},
            {"channels, mean",
             [](const Json& r) { return 100.0 * mean_of(r.at("utilization").at("channels")); }, 1},
            {"dies, mean", [](const Json& r) { return 100.0 * mean_of(r.at("utilization").at("dies")); }, 1}};
}

std::string value_cell(double value, int decimals) {
    return std::isfinite(value) ? grouped(value, decimals) : "-";
}

/// "+12.3 %"; empty if there is no value to compare with.
std::string change_cell(double before, double after) {
    if (!std::isfinite(before) || !std::isfinite(after)) {
        return "-";
    }
    if (before == after) {
        return "=";
    }
    return before != 0.0 ? fmt::format("{:+.1f} %", 100.0 * (after - before) / before) : "new";
}

std::string measures_table(const std::vector<Device>& devices, const TextStyle& style) {
    TextTable table;
    table.column("", Align::left);
    for (const Device& device : devices) {
        table.column(device.name, Align::right);
        if (&device != &devices.front()) {
            table.column("change", Align::right);
        }
    }
    for (const ComparedMeasure& measure : compared_measures(style)) {
        std::vector<TextTable::Cell> cells{measure.name};
        const double before = measure.value(*devices.front().result);
        for (const Device& device : devices) {
            const double value = measure.value(*device.result);
            cells.emplace_back(value_cell(value, measure.decimals));
            if (&device != &devices.front()) {
                cells.emplace_back(change_cell(before, value));
            }
        }
        table.row(std::move(cells));
    }
    return heading("Side by side, changes against " + devices.front().name, style) + table.render(style);
}

struct StageChange {
    std::string name;
    double before = 0.0;
    double after = 0.0;

    [[nodiscard]] double difference() const { return after - before; }
    void add(const StageChange& other) {
        before += other.before;
        after += other.after;
    }
};

/// The stages of all these mean commands. Drives of different kinds have some that others do not.
std::vector<std::string> stages_in(const std::vector<const Json*>& all) {
    std::vector<std::string> names;
    for (const Json* stages : all) {
        for (const auto& [name, unused] : stages->items()) {
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    return names;
}

double stage_us(const Json& stages, const std::string& name) {
    const auto stage = stages.find(name);
    return stage == stages.end() ? 0.0 : number(*stage);
}

/// The stages of two mean commands: those that differ most come first, and those that hardly differ are
/// summed.
std::vector<StageChange> stage_changes(const Json& before, const Json& after, StageChange& total) {
    std::vector<StageChange> rows;
    for (const std::string& name : stages_in({&before, &after})) {
        rows.push_back({name, stage_us(before, name), stage_us(after, name)});
        total.add(rows.back());
    }
    std::stable_sort(rows.begin(), rows.end(), [](const StageChange& a, const StageChange& b) {
        return std::abs(a.difference()) > std::abs(b.difference());
    });
    const double least = kShownShare * std::max(total.before, total.after);
    const auto small = std::find_if(rows.begin(), rows.end(), [least](const StageChange& row) {
        return std::abs(row.difference()) < least;
    });
    StageChange rest{"all other stages"};
    std::for_each(small, rows.end(), [&rest](const StageChange& row) { rest.add(row); });
    rows.erase(small, rows.end());
    if (rest.before > 0.0 || rest.after > 0.0) {
        rows.push_back(rest);
    }
    return rows;
}

std::string stages_table(const Json& before, const Json& after, const Device& first, const Device& other,
                         const TextStyle& style) {
    StageChange total{"latency"};
    std::vector<StageChange> rows = stage_changes(before, after, total);
    const bool differs = std::abs(total.difference()) >= kShownShare * std::max(total.before, total.after);
    rows.push_back(total);
    TextTable table;
    table.column("stage", Align::left);
    table.column(first.name, Align::right);
    table.column(other.name, Align::right);
    table.column("difference", Align::right);
    table.column("share of it", Align::right);
    for (const StageChange& row : rows) {
        table.row({row.name, grouped(row.before, 2), grouped(row.after, 2),
                   fmt::format("{:+.2f}", row.difference()),
                   differs ? percent(row.difference() / total.difference()) : std::string("-")});
    }
    return table.render(style);
}

/// Stage by stage: for all commands and, if there are several kinds, for each kind that both devices
/// completed.
std::string stages_sections(const Device& first, const Device& other, const TextStyle& style) {
    const Json& before = first.result->at("ledger");
    const Json& after = other.result->at("ledger");
    const auto title = [&](const std::string& what) {
        return heading(fmt::format("{} to {}: {} of the mean {}", first.name, other.name, style.us(), what),
                       style);
    };
    std::string text =
        title("command") + stages_table(before.at("stages_us"), after.at("stages_us"), first, other, style);
    const Json& kinds = before.at("by_operation");
    for (const auto& [kind, stages] : kinds.items()) {
        if (kinds.size() > 1 && after.at("by_operation").contains(kind)) {
            text +=
                title(kind) + stages_table(stages, after.at("by_operation").at(kind), first, other, style);
        }
    }
    return text;
}

CategoryFigure bars(const std::vector<Device>& devices, FigureText text, CategoryFigure::Look look) {
    CategoryFigure figure;
    figure.text = std::move(text);
    figure.look = look;
    figure.x.label = "device";
    figure.y.label = "latency, us";
    for (const Device& device : devices) {
        figure.categories.push_back(device.name);
    }
    return figure;
}

}  // namespace

std::string comparison_text(const Json& document, const TextStyle& style) {
    const std::vector<Device> devices = devices_of(document);
    std::string text = measures_table(devices, style);
    for (std::size_t i = 1; i < devices.size(); ++i) {
        text += stages_sections(devices.front(), devices[i], style);
    }
    return text;
}

std::vector<Figure> comparison_figures(const Json& document) {
    const std::vector<Device> devices = devices_of(document);
    CategoryFigure stages = bars(devices,
                                 {"compare-stages", "Where the time goes on each device",
                                  "Stages of the mean command; each bar is as high as the mean latency."},
                                 CategoryFigure::Look::stacked_bars);
    std::vector<const Json*> commands;
    for (const Device& device : devices) {
        commands.push_back(&device.result->at("ledger").at("stages_us"));
    }
    for (const std::string& name : stages_in(commands)) {
        CategoryFigure::Series series{name, {}};
        for (const Json* command : commands) {
            series.values.push_back(stage_us(*command, name));
        }
        if (std::ranges::any_of(series.values, [](double us) { return us > 0.0; })) {
            stages.series.push_back(std::move(series));
        }
    }
    CategoryFigure percentiles =
        bars(devices, {"compare-latency", "Latency on each device", "All commands together."},
             CategoryFigure::Look::bars);
    for (const char* field : {"mean", "p50", "p99", "p999"}) {
        CategoryFigure::Series series{field, {}};
        for (const Device& device : devices) {
            series.values.push_back(latency(*device.result, field));
        }
        percentiles.series.push_back(std::move(series));
    }
    return {std::move(stages), std::move(percentiles)};
}

}  // namespace solidtlm::testbench
