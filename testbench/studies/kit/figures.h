// SPDX-License-Identifier: Apache-2.0
//
// Measured points as figures for the report.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "testbench/show/figure.h"
#include "testbench/studies/kit/measured.h"

namespace solidtlm::testbench {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// A text in the form of FigureText::id: lower case, with - in place of characters that are not allowed.
[[nodiscard]] std::string figure_id(std::string text);

/// Lines, each through consecutive points with the same `series`. Points without a value and lines without
/// points are left out.
[[nodiscard]] LineFigure line_figure(FigureText text, Axis x, Axis y, const Selected& points,
                                     const Label& series, const Value& x_of, const Value& y_of);

/// One category per distinct `category` and one series per distinct `series`, in order of first appearance; a
/// gap where there is no point.
[[nodiscard]] CategoryFigure category_figure(FigureText text, CategoryFigure::Look look, Axis x, Axis y,
                                             const Selected& points, const Label& category,
                                             const Label& series, const Value& value);

/// A layer of stacked bars.
struct Layer {
    std::string name;
    Value value;
};
enum class Layers : std::uint8_t { seen, all };
/// One bar per point; layers that are 0 everywhere are left out, unless all are requested.
[[nodiscard]] CategoryFigure stacked_figure(FigureText text, Axis x, Axis y, const Selected& points,
                                            const Label& category, const std::vector<Layer>& layers,
                                            Layers wanted = Layers::seen);

/// Cells without a point are empty. `x_name` and `y_name` format the texts of columns and rows.
struct HeatText {
    FigureText text;
    std::string x;
    std::string y;
    std::string unit;
    std::optional<std::pair<double, double>> range = {};
    std::function<std::string(const Json&)> x_name;
    std::function<std::string(const Json&)> y_name;
};
[[nodiscard]] HeatmapFigure heat_figure(const HeatText& text, const Matrix& matrix, const Value& value);

/// Appends the figure unless it is empty.
template <class Shown>
void add_unless_empty(std::vector<Figure>& figures, Shown figure) {
    if (!figure.series.empty()) {
        figures.emplace_back(std::move(figure));
    }
}

}  // namespace solidtlm::testbench
