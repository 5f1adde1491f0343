// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/parts/lines_table.h"

#include "testbench/results/summary_sections.h"
#include "testbench/results/text_table.h"

namespace solidtlm::testbench {
namespace {

std::string text_of(const Measured& point, const ValueColumn& column) {
    const auto found = point.derived.find(column.value);
    return found != point.derived.end() && found->is_number() ? grouped(found->get<double>(), column.decimals)
                                                              : "-";
}

}  // namespace

std::string lines_table(std::span<const Measured* const> points, const std::string& title,
                        const std::vector<const char*>& labels, const std::vector<ValueColumn>& columns,
                        const TextStyle& style) {
    if (points.empty()) {
        return {};
    }
    TextTable table;
    for (const char* label : labels) {
        table.column(label, Align::left);
    }
    for (const ValueColumn& column : columns) {
        table.column(column.heading, Align::right);
    }
    for (const Measured* point : points) {
        std::vector<TextTable::Cell> cells;
        cells.reserve(labels.size() + columns.size());
        for (const char* label : labels) {
            const auto found = point->parameters.find(label);
            cells.emplace_back(found == point->parameters.end() ? "-" : value_text(*found));
        }
        for (const ValueColumn& column : columns) {
            cells.emplace_back(text_of(*point, column));
        }
        table.row(std::move(cells));
    }
    return heading(title, style) + table.render(style);
}

}  // namespace solidtlm::testbench
