// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "testbench/show/summary_sections.h"

namespace solidtlm::testbench {
namespace {

/// Time in some stages: of the mean command, of the slowest commands, and of the mean command of each kind.
struct StageRow {
    std::string name;
    double us = 0.0;
    double slowest_us = 0.0;
    std::vector<double> by_kind;
    bool has_bar = true;

    void add(const StageRow& other) {
        us += other.us;
        slowest_us += other.slowest_us;
        for (std::size_t i = 0; i < by_kind.size(); ++i) {
            by_kind[i] += other.by_kind[i];
        }
    }
};

/// The stages, longest first.
std::vector<StageRow> stage_rows(const Json& ledger) {
    std::vector<StageRow> rows;
    for (const auto& [name, us] : ledger.at("stages_us").items()) {
        StageRow row{name, number(us), 0.0, {}, true};
        if (const Json& slowest = ledger.at("slowest"); !slowest.empty()) {
            row.slowest_us = number(slowest.at("stages_us").at(name));
        }
        for (const Json& kind : ledger.at("by_operation")) {
            row.by_kind.push_back(number(kind.at(name)));
        }
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const StageRow& a, const StageRow& b) { return a.us > b.us; });
    return rows;
}

/// A table of the rows, longest first, with bars of at most `room` columns.
TextTable stage_table(const std::vector<StageRow>& rows, const StageRow& total, const Json& by_operation,
                      std::size_t room, const TextStyle& style) {
    const bool split = by_operation.size() > 1;
    TextTable table;
    table.column("stage", Align::left);
    table.column(split ? "all" : std::string(style.us()), Align::right);
    if (split) {
        for (const auto& [kind, unused] : by_operation.items()) {
            table.column(kind, Align::right);
        }
    }
    table.column("share", Align::right);
    table.column("slowest", Align::right);
    table.column("", Align::left);
    for (const StageRow& row : rows) {
        std::vector<TextTable::Cell> cells{row.name, grouped(row.us, 1)};
        for (std::size_t i = 0; split && i < row.by_kind.size(); ++i) {
            cells.emplace_back(grouped(row.by_kind[i], 1));
        }
        cells.emplace_back(percent(row.us / total.us));
        cells.emplace_back(grouped(row.slowest_us, 1));
        const double length = row.has_bar ? row.us / rows.front().us : 0.0;
        cells.emplace_back(bar(length, room, style.unicode));
        table.row(std::move(cells));
    }
    return table;
}

}  // namespace

std::string stage_section(const Json& result, const TextStyle& style) {
    const Json& ledger = result.at("ledger");
    const std::vector<StageRow> rows = stage_rows(ledger);
    const Json& by_operation = ledger.at("by_operation");
    const StageRow none{"", 0.0, 0.0, std::vector<double>(by_operation.size(), 0.0), false};
    StageRow total = none;
    for (const StageRow& row : rows) {
        total.add(row);
    }
    if (total.us <= 0.0) {
        return {};
    }
    total.name = "latency";

    std::vector<StageRow> shown;
    StageRow small = none;
    std::size_t small_stages = 0;
    for (const StageRow& row : rows) {
        if (row.us >= kShownShare * total.us || row.slowest_us >= kShownShare * total.slowest_us) {
            shown.push_back(row);
        } else if (row.us > 0.0) {
            small.add(row);
            ++small_stages;
        }
    }
    if (small_stages > 0) {
        small.name = fmt::format("{} more", small_stages);
        shown.push_back(small);
    }
    shown.push_back(total);
    const std::size_t used = stage_table(shown, total, by_operation, 0, style).natural_width();
    const std::size_t room = style.width > used ? std::min(style.width - used, kLongestBar) : 0;
    return heading(
               fmt::format("Where the time went, {} of the mean command and of the slowest 1 %", style.us()),
               style) +
           stage_table(shown, total, by_operation, room, style).render(style);
}

}  // namespace solidtlm::testbench
