// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/tables.h"

#include <fmt/format.h>

#include "testbench/show/summary_sections.h"

namespace solidtlm::testbench {

Column number(const std::string& heading, Value value, int decimals) {
    return {heading, [value = std::move(value), decimals](const Measured& point) {
                const auto found = value(point);
                return TextTable::Cell(found ? grouped(*found, decimals) : "-");
            }};
}

Column plain(const std::string& heading, Value value, int decimals, double scale) {
    return {heading, [value = std::move(value), decimals, scale](const Measured& point) {
                const auto found = value(point);
                return TextTable::Cell(found ? fmt::format("{:.{}f}", scale * *found, decimals) : "-");
            }};
}

Column text(const std::string& heading, Label label, Align align) {
    return {heading,
            [label = std::move(label)](const Measured& point) { return TextTable::Cell(label(point)); },
            align};
}

std::string rows_table(const Selected& points, const std::vector<Column>& columns, const TextStyle& style) {
    TextTable table;
    for (const Column& column : columns) {
        table.column(column.heading, column.align);
    }
    for (const Measured* point : points) {
        std::vector<TextTable::Cell> cells;
        cells.reserve(columns.size());
        for (const Column& column : columns) {
            cells.push_back(column.cell(*point));
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

std::string titled_table(const Selected& points, const std::string& title, const std::vector<Column>& columns,
                         const TextStyle& style) {
    return points.empty() ? "" : heading(title, style) + rows_table(points, columns, style);
}

std::string matrix_table(const Matrix& matrix, const MatrixText& text, const TextStyle& style) {
    TextTable table;
    table.column(text.corner, text.rows);
    for (const Json& column : matrix.columns()) {
        table.column(text.column(column), Align::right);
    }
    for (const Json& row : matrix.rows()) {
        std::vector<TextTable::Cell> cells{text.row(row)};
        for (const Json& column : matrix.columns()) {
            const Measured* point = matrix.at(row, column);
            cells.push_back(point == nullptr ? TextTable::Cell(text.missing) : text.cell(*point));
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

std::string counted(std::uint64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace solidtlm::testbench
