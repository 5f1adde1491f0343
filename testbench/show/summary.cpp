// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "testbench/show/summary_sections.h"
#include "testbench/show/trace_section.h"

namespace solidtlm::testbench {
namespace {

bool has_ideal_link(const Json& result) {
    static const Json::json_pointer generation("/config/sata/generation");
    return result.value(generation, Json()) == "ideal";
}

/// A line that the reader must not overlook; `which` names the devices with such a link.
std::string ideal_link_line(const std::string& which, const TextStyle& style) {
    std::string text;
    for (const std::string& line :
         wrap_words("ideal link: frames take no time (sata.generation=ideal)" + which, style.width)) {
        text += style.yellow(line) + '\n';
    }
    return text;
}

/// The numbers are those of a drive that goes on like this.
bool is_lasting(const Json& state) {
    return (state.at("kind") == "steady" || state.at("kind") == "unwritten") &&
           state.at("limited_by") != "host queue";
}

std::vector<std::string> warnings_of(const Json& result) {
    return result.value("warnings", std::vector<std::string>());
}

std::string warning_lines(const std::string& warning, const TextStyle& style) {
    std::string text;
    for (const std::string& line : wrap_words("warning: " + warning, style.width)) {
        text += style.yellow(line) + '\n';
    }
    return text;
}

std::string run_heading(const Json& result, const TextStyle& style) {
    const double simulated = number(result.at("sim_time_s"));
    const double wall = number(result.at("wall_time_s"));
    const Json& host = result.at("host");
    std::string text =
        style.bold(result.at("scenario").get<std::string>()) +
        fmt::format(": {} requests, {} simulated in {}", grouped(number(host.at("requests")), 0),
                    seconds_text(simulated), seconds_text(wall));
    const double rate = number(result.at("requests_per_wall_s"));
    if (rate > 0.0) {
        text += fmt::format(" ({} requests/s)", grouped(rate, 0));
    }
    text += '\n';
    if (const auto at = result.find("interrupted_at_s"); at != result.end()) {
        text += style.yellow(fmt::format("interrupted at {}: this was measured until then",
                                         seconds_text(number(*at)))) +
                '\n';
    }
    if (has_ideal_link(result)) {
        text += ideal_link_line("", style);
    }
    if (const auto traces = result.find("traces"); traces != result.end()) {
        text += trace_lines(*traces, style);
    }
    if (const auto ageing = result.find("precondition"); ageing != result.end()) {
        const std::string drive = fmt::format("drive: {} ({})", ageing->at("text").get<std::string>(),
                                              seconds_text(number(ageing->at("wall_time_s"))));
        for (const std::string& line : wrap_words(drive, style.width)) {
            text += line + '\n';
        }
    }
    static const Json::json_pointer warm_up("/steady_state/warm_up/text");
    if (result.contains(warm_up)) {
        for (const std::string& line :
             wrap_words("warm-up: " + result.at(warm_up).get<std::string>(), style.width)) {
            text += line + '\n';
        }
    }
    if (const auto state = result.find("state"); state != result.end()) {
        for (const std::string& line :
             wrap_words("state: " + state->at("text").get<std::string>(), style.width)) {
            text += (is_lasting(*state) ? line : style.yellow(line)) + '\n';
        }
    }
    for (const std::string& warning : warnings_of(result)) {
        text += warning_lines(warning, style);
    }
    return text;
}

std::string run_summary(const Json& result, const TextStyle& style) {
    return run_heading(result, style) + filesystem_lines(result, style) + throughput_section(result, style) +
           latency_section(result, style) + stage_section(result, style) + nand_section(result, style) +
           dedup_lines(result, style) + utilization_section(result, style) + energy_section(result, style) +
           power_section(result, style) + verdict_section(result, style);
}

/// Names of the parameters that differ between points (all of them if there is only one point).
std::vector<std::string> varied_parameters(const Json& points) {
    std::vector<std::string> names;
    for (const Json& point : points) {
        for (const auto& [name, value] : point.at("parameters").items()) {
            const bool known = std::find(names.begin(), names.end(), name) != names.end();
            const bool varies =
                points.size() == 1 ||
                std::any_of(points.begin(), points.end(), [&n = name, &v = value](const Json& p) {
                    return p.at("parameters").value(n, Json()) != v;
                });
            if (!known && varies) {
                names.push_back(name);
            }
        }
    }
    return names;
}

struct Measure {
    std::string heading;
    std::string (*text)(const Json& result);
};

double host_number(const Json& result, const char* field) {
    return number(result.at("host").at(field));
}

/// In order of importance: if space is short, the last ones are left out first.
std::vector<Measure> measures(const TextStyle& style) {
    const std::string us(style.us());
    return {{"MB/s", [](const Json& r) { return grouped(host_number(r, "mb_per_s"), 1); }},
            {"IOPS", [](const Json& r) { return grouped(host_number(r, "iops"), 0); }},
            {"mean " + us, [](const Json& r) { return latency_text(r.at("host").at("latency_us"), "mean"); }},
            {"WA", [](const Json& r) { return ratio_text(r.at("write_amplification")); }},
            {"p99 " + us, [](const Json& r) { return latency_text(r.at("host").at("latency_us"), "p99"); }},
            {"erases", [](const Json& r) { return grouped(number(r.at("nand").at("erases")), 0); }},
            {"max " + us, [](const Json& r) { return latency_text(r.at("host").at("latency_us"), "max"); }},
            {"bad", [](const Json& r) { return grouped(count_of_faults(r), 0); }}};
}

struct Line {
    std::vector<std::string> labels;
    const Json* result;
};

std::string comparison(const std::vector<std::string>& headings, const std::vector<Line>& lines,
                       const TextStyle& style) {
    std::vector<Measure> columns = measures(style);
    // The column "bad" is shown first, and only if some value is not zero.
    if (std::all_of(lines.begin(), lines.end(),
                    [](const Line& line) { return count_of_faults(*line.result) == 0.0; })) {
        columns.pop_back();
    } else {
        std::rotate(columns.begin(), columns.end() - 1, columns.end());
    }
    for (;; columns.pop_back()) {
        TextTable table;
        for (const std::string& heading : headings) {
            table.column(heading, Align::wrap);
        }
        for (const Measure& measure : columns) {
            table.column(measure.heading, Align::right);
        }
        for (const Line& line : lines) {
            std::vector<TextTable::Cell> cells(line.labels.begin(), line.labels.end());
            for (const Measure& measure : columns) {
                cells.emplace_back(line.result->contains("host") ? measure.text(*line.result) : "-");
            }
            table.row(std::move(cells));
        }
        if (table.natural_width() <= style.width || columns.size() <= 3) {
            return table.render(style);
        }
    }
}

std::string points_section(const Json& points, const TextStyle& style) {
    if (points.empty()) {
        return {};
    }
    const std::vector<std::string> names = varied_parameters(points);
    std::vector<Line> lines;
    for (const Json& point : points) {
        Line line{{}, &point.at("result")};
        for (const std::string& name : names) {
            line.labels.push_back(value_text(point.at("parameters").value(name, Json())));
        }
        lines.push_back(std::move(line));
    }
    return heading("Points", style) + comparison(names, lines, style);
}

TextTable::Cell verdict_cell(const std::string& verdict) {
    return {verdict, [verdict](const TextStyle& style, const std::string& text) {
                return verdict == "reproduced" ? style.green(text)
                       : verdict == "partly"   ? style.yellow(text)
                                               : style.red(text);
            }};
}

}  // namespace

std::string claims_table(const Json& claims, const TextStyle& style) {
    if (claims.empty()) {
        return {};
    }
    TextTable table;
    table.column("", Align::left);
    table.column("claim", Align::wrap);
    table.column("published", Align::wrap);
    table.column("measured", Align::wrap);
    table.column("verdict", Align::left);
    std::string reasons;
    for (const Json& claim : claims) {
        const std::string id = value_text(claim.at("id"));
        table.row({id, value_text(claim.at("claim")), value_text(claim.at("published")),
                   value_text(claim.at("measured")), verdict_cell(value_text(claim.at("verdict")))});
        if (claim.contains("reason")) {
            const std::string text = id + ": " + value_text(claim.at("reason"));
            for (const std::string& line : wrap_words(text, style.width - 2)) {
                reasons += "  " + line + '\n';
            }
        }
    }
    return heading("Claims", style) + table.render(style) + reasons;
}

namespace {

std::string study_summary(const Json& document, const TextStyle& style) {
    const Json& points = document.at("points");
    std::string text = style.bold(document.at("scenario").get<std::string>()) +
                       fmt::format(": {} point{} in {}\n", points.size(), points.size() == 1 ? "" : "s",
                                   seconds_text(number(document.at("wall_time_s"))));
    if (const auto missing = document.find("points_interrupted"); missing != document.end()) {
        text += style.yellow(fmt::format("interrupted: {} more have not ended", missing->dump())) + '\n';
    }
    const auto ideal =
        std::ranges::count_if(points, [](const Json& point) { return has_ideal_link(point.at("result")); });
    if (ideal > 0) {
        text += ideal_link_line(static_cast<std::size_t>(ideal) == points.size()
                                    ? std::string()
                                    : fmt::format(" at {} of {} points", ideal, points.size()),
                                style);
    }
    const auto passing = [](const Json& point) {
        const auto state = point.at("result").find("state");
        return state != point.at("result").end() && !is_lasting(*state);
    };
    if (const auto first = std::ranges::find_if(points, passing); first != points.end()) {
        for (const std::string& line :
             wrap_words(fmt::format("state: {} of {} points would not go on like this, the first: {}",
                                    std::ranges::count_if(points, passing), points.size(),
                                    first->at("result").at("state").at("text").get<std::string>()),
                        style.width)) {
            text += style.yellow(line) + '\n';
        }
    }
    const auto warned = [](const Json& point) { return !warnings_of(point.at("result")).empty(); };
    if (const auto first = std::ranges::find_if(points, warned); first != points.end()) {
        text += warning_lines(
            fmt::format("{} of {} points have warnings, the first: {}", std::ranges::count_if(points, warned),
                        points.size(), warnings_of(first->at("result")).front()),
            style);
    }
    return text + points_section(points, style) + claims_table(document.at("claims"), style);
}

}  // namespace

std::string summarize(const Json& document, const TextStyle& style) {
    return document.contains("points") ? study_summary(document, style) : run_summary(document, style);
}

std::string compare(const std::vector<std::pair<std::string, Json>>& results, const TextStyle& style) {
    std::vector<Line> lines;
    lines.reserve(results.size());
    std::string ideal;
    for (const auto& [label, result] : results) {
        lines.push_back({{label}, &result});
        if (has_ideal_link(result)) {
            ideal += (ideal.empty() ? ": " : ", ") + label;
        }
    }
    return (ideal.empty() ? ideal : ideal_link_line(ideal, style)) + comparison({""}, lines, style);
}

}  // namespace solidtlm::testbench
