// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/tables.h"

#include <fmt/format.h>

#include "platform/units.h"
#include "testbench/results/summary_sections.h"
#include "testbench/results/text_table.h"
#include "testbench/studies/parts/lines_table.h"
#include "testbench/studies/trim/claims.h"

namespace solidtlm::testbench::trim {
namespace {

using Points = std::span<const Measured>;
using Pointers = std::vector<const Measured*>;

std::string size_of(const Json& bytes) {
    return platform::format_size(bytes.get<std::uint64_t>());
}

std::string shape_of(const Measured& point) {
    return fmt::format("{}, {}", point.parameters["contiguous"] == true ? "contiguous" : "scattered",
                       point.parameters["aligned"] == true ? "aligned" : "unaligned");
}

/// Times of commands: a line for each size, a column for each placement and start. `points` are those of a
/// device and a number of ranges.
std::string size_table(const Pointers& points, const TextStyle& style) {
    std::vector<std::string> shapes;
    for (const Measured* point : points) {
        if (std::ranges::find(shapes, shape_of(*point)) == shapes.end()) {
            shapes.push_back(shape_of(*point));
        }
    }
    TextTable table;
    table.column("range", Align::right);
    for (const std::string& shape : shapes) {
        table.column(shape + ", us", Align::right);
        table.column("us/MB", Align::right);
    }
    for (const Json& bytes : values_of(points, "range_bytes")) {
        std::vector<TextTable::Cell> cells{size_of(bytes)};
        for (const std::string& shape : shapes) {
            std::string time = "-";
            std::string rate = "-";
            for (const Measured* point : points) {
                if (point->parameters["range_bytes"] == bytes && shape_of(*point) == shape) {
                    time = grouped(point->value("command_us"), 1);
                    rate = grouped(point->value("us_per_mb"), 1);
                }
            }
            cells.emplace_back(time);
            cells.emplace_back(rate);
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

std::string ranges_text(Points points, const TextStyle& style) {
    std::string text;
    const Json part{{"part", "ranges"}};
    for (const Json& name : values_of(select(points, part), "device")) {
        const Json device = with(part, "device", name);
        for (const Json& ranges : values_of(select(points, device), "ranges")) {
            const Pointers of = select(points, with(device, "ranges", ranges));
            if (of.size() < 2) {
                continue;  // a number of ranges of the one size alone: below
            }
            text += heading(fmt::format("{}: time of a TRIM command of {} range{}", name.get<std::string>(),
                                        ranges.get<int>(), ranges == 1 ? "" : "s"),
                            style) +
                    size_table(of, style);
        }
    }
    return text;
}

std::string counts_text(Points points, const TextStyle& style) {
    const Json line{
        {"part", "ranges"}, {"range_bytes", kStudyRangeBytes}, {"contiguous", false}, {"aligned", true}};
    const Pointers all = select(points, line);
    std::vector<Json> counts = values_of(all, "ranges");
    if (counts.size() < 2) {
        return {};
    }
    std::ranges::sort(counts);
    TextTable table;
    table.column("device", Align::left);
    for (const Json& count : counts) {
        table.column(fmt::format("{} x {}", kStudyRanges / count.get<double>(), count.get<int>()),
                     Align::right);
    }
    for (const Json& device : values_of(all, "device")) {
        std::vector<TextTable::Cell> cells{device.get<std::string>()};
        for (const Json& count : counts) {
            const Pointers found = select(points, with(with(line, "device", device), "ranges", count));
            cells.emplace_back(found.empty() ? "-"
                                             : grouped(kStudyRanges * found.front()->value("range_us"), 1));
        }
        table.row(std::move(cells));
    }
    return heading(fmt::format("64 scattered ranges of 16 KiB: {} in commands x ranges", style.us()), style) +
           table.render(style);
}

std::string stages_text(Points points, const TextStyle& style) {
    std::string text;
    for (const Batching& pair : batchings(points)) {
        TextTable table;
        table.column("stage", Align::left);
        table.column("64 commands, us", Align::right);
        table.column("one command, us", Align::right);
        table.column("saved, us", Align::right);
        for (const auto& [stage, time] : pair.single->stages.items()) {
            const double before = kStudyRanges * time.get<double>();
            const double after = pair.batched->stages[stage].get<double>();
            constexpr double kShown = 0.05;
            if (before >= kShown || after >= kShown) {
                table.row({stage, grouped(before, 1), grouped(after, 1), grouped(before - after, 1)});
            }
        }
        const double before = kStudyRanges * pair.single->value("command_us");
        const double after = pair.batched->value("command_us");
        table.row({"all", grouped(before, 1), grouped(after, 1), grouped(before - after, 1)});
        text += heading(fmt::format("{}: 64 ranges of 16 KiB, {:.1f} % saved", pair.single->text("device"),
                                    100.0 * pair.saved()),
                        style) +
                table.render(style);
    }
    return text;
}

}  // namespace

std::string tables_of(Points points, const TextStyle& style) {
    return ranges_text(points, style) + counts_text(points, style) + stages_text(points, style) +
           lines_table(select(points, {{"part", "filesystem"}}), "On a file system",
                       {"device", "benchmark", "discard"},
                       {{"ops/s", "operations_per_s", 0},
                        {"with sync", "synced_operations_per_s", 0},
                        {"trims", "trims", 0},
                        {"ranges", "trim_ranges", 0},
                        {"us a trim", "trim_us", 1},
                        {"commits s", "commit_s", 3},
                        {"for trims s", "commit_trim_s", 3}},
                       style) +
           lines_table(select(points, {{"part", "latency"}}), "Random reads while TRIMs run",
                       {"device", "discard"},
                       {{"mean us", "read_mean_us", 1},
                        {"p99 us", "read_p99_us", 1},
                        {"IOPS", "read_iops", 0},
                        {"held back us", "read_host_queue_us", 1},
                        {"trims", "trims", 0},
                        {"us a trim", "trim_us", 1}},
                       style) +
           lines_table(select(points, {{"part", "ageing"}}), "After ageing with TRIMs among the writes",
                       {"device", "trim_share"},
                       {{"WA", "write_amplification", 2},
                        {"writes/s", "write_iops", 0},
                        {"mean us", "write_mean_us", 1}},
                       style);
}

}  // namespace solidtlm::testbench::trim
