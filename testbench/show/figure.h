// SPDX-License-Identifier: Apache-2.0
//
// Figures that a scenario adds to its result, as plain data; the report decides how they look. docs/result.md
// explains the JSON.
//
// A series named after a ledger stage or a holder gets the colour that this stage or holder has everywhere in
// the report. A value that is not finite is a gap, and so is a cell without a value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// `label` includes the unit, for example "throughput, MB/s".
struct Axis {
    std::string label;
    bool log = false;  ///< values that are not above 0 then become gaps
};

/// `id` is unique within a result and consists of a-z, 0-9, _ and -. The caption says in a sentence or two
/// what the figure shows; it may be empty.
struct FigureText {
    std::string id;
    std::string title;
    std::string caption;
};

/// Lines through points with numeric x. Series may have different x.
struct LineFigure {
    struct Series {
        std::string name;
        std::vector<std::pair<double, double>> points;
        bool dashed = false;  ///< for values that were not measured: a formula, a published value
    };
    FigureText text;
    Axis x;
    Axis y;
    std::vector<Series> series;
};

/// Values by category: lines, adjacent bars, or stacked bars.
struct CategoryFigure {
    enum class Look { lines, bars, stacked_bars };
    struct Series {
        std::string name;
        std::vector<double> values;  ///< one per category
        bool dashed = false;         ///< for lines only, see LineFigure
    };
    FigureText text;
    Look look = Look::bars;
    Axis x;  ///< never logarithmic
    Axis y;
    std::vector<std::string> categories;
    std::vector<Series> series;
};

/// Counts of values between edges: bucket i reaches from edges[i] to edges[i + 1].
struct HistogramFigure {
    struct Series {
        std::string name;
        std::vector<double> counts;  ///< one per bucket
    };
    FigureText text;
    Axis x;
    Axis y;
    std::vector<double> edges;  ///< ascending, one more than buckets
    std::vector<Series> series;
};

/// One value per pair of categories.
struct HeatmapFigure {
    FigureText text;
    Axis x;
    Axis y;
    std::vector<std::string> x_categories;
    std::vector<std::string> y_categories;
    std::vector<std::vector<std::optional<double>>> cells;  ///< cells[y][x]
    std::string unit;                                       ///< unit of the cells, for example "MB/s" or "%"
    std::optional<std::pair<double, double>> range;  ///< range of the colour scale; absent: from the cells.
                                                     ///< Maps that are to be compared need the same range
};

using Figure = std::variant<LineFigure, CategoryFigure, HistogramFigure, HeatmapFigure>;

/// Throws std::invalid_argument ("figure ID: ...") if lengths do not match or the id is invalid.
[[nodiscard]] Json to_json(const Figure& figure);

/// Appends the figures to those of a result. Throws as to_json(), and if an id occurs twice.
void add_figures(Json& result, std::span<const Figure> figures);

}  // namespace solidtlm::testbench
