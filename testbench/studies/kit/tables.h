// SPDX-License-Identifier: Apache-2.0
//
// Measured points as tables for the terminal: a line for each point, or a matrix over two parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbench/show/terminal.h"
#include "testbench/show/text_table.h"
#include "testbench/studies/kit/measured.h"

namespace solidtlm::testbench {

/// A column of a table with one line per point.
struct Column {
    std::string heading;
    std::function<TextTable::Cell(const Measured&)> cell;
    Align align = Align::right;
};
/// "12,345.6"; "-" for a point without the value.
[[nodiscard]] Column number(const std::string& heading, Value value, int decimals);
/// "12345.6", times `scale`.
[[nodiscard]] Column plain(const std::string& heading, Value value, int decimals, double scale = 1.0);
[[nodiscard]] inline Column percent(const std::string& heading, Value share) {
    return plain(heading, std::move(share), 0, 100.0);
}
[[nodiscard]] Column text(const std::string& heading, Label label, Align align = Align::left);

/// A table with one line per point; without points, only the headings.
[[nodiscard]] std::string rows_table(const Selected& points, const std::vector<Column>& columns,
                                     const TextStyle& style);
/// rows_table() under a heading; empty without points.
[[nodiscard]] std::string titled_table(const Selected& points, const std::string& title,
                                       const std::vector<Column>& columns, const TextStyle& style);

/// Texts of a matrix: its corner, the heading over its columns, its rows, and its cells.
struct MatrixText {
    std::string corner;
    std::function<std::string(const Json&)> column;
    std::function<std::string(const Json&)> row;
    std::function<TextTable::Cell(const Measured&)> cell;
    std::string missing = "failed";
    Align rows = Align::left;
};
[[nodiscard]] std::string matrix_table(const Matrix& matrix, const MatrixText& text, const TextStyle& style);

/// "1 channel", "2 channels".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& what);

}  // namespace solidtlm::testbench
