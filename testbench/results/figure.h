// SPDX-License-Identifier: Apache-2.0
//
// Figures that a scenario puts into its result for the report to draw: what is shown, as plain data. How it
// looks is the report's business. docs/result.md explains the JSON.
//
// A series whose name is that of a ledger stage or of a holder gets the colour which that has everywhere in
// the report. A value that is not finite is a gap, as is a cell without a value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "testbench/results/result.h"

namespace solidtlm::testbench {

/// `label` with its unit, for example "throughput, MB/s".
struct Axis {
    std::string label;
    bool log = false;  ///< values that are not above 0 are gaps then
};

/// `id` is unique within a result, made of a-z, 0-9, _ and -. The caption says what to see, in a sentence or
/// two; it may be empty.
struct FigureText {
    std::string id;
    std::string title;
    std::string caption;
};

/// Lines through points with numeric x; at each x of its own.
struct LineFigure {
    struct Series {
        std::string name;
        std::vector<std::pair<double, double>> points;
        bool dashed = false;  ///< for what was not measured: a formula, a published value
    };
    FigureText text;
    Axis x;
    Axis y;
    std::vector<Series> series;
};

/// Values over categories: lines, bars side by side, or bars on top of one another.
struct CategoryFigure {
    enum class Look { lines, bars, stacked_bars };
    struct Series {
        std::string name;
        std::vector<double> values;  ///< one per category
        bool dashed = false;         ///< lines only, see LineFigure
    };
    FigureText text;
    Look look = Look::bars;
    Axis x;  ///< never logarithmic
    Axis y;
    std::vector<std::string> categories;
    std::vector<Series> series;
};

/// How often values fell between edges: bucket i reaches from edges[i] to edges[i + 1].
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

/// A value for each pair of categories.
struct HeatmapFigure {
    FigureText text;
    Axis x;
    Axis y;
    std::vector<std::string> x_categories;
    std::vector<std::string> y_categories;
    std::vector<std::vector<std::optional<double>>> cells;  ///< cells[y][x]
    std::string unit;                                       ///< of the cells, for example "MB/s" or "%"
    std::optional<std::pair<double, double>> range;  ///< of the colours; absent: from the cells. Use the same
                                                     ///< range for maps that are to be compared
};

using Figure = std::variant<LineFigure, CategoryFigure, HistogramFigure, HeatmapFigure>;

/// Throws std::invalid_argument ("figure ID: ...") when lengths do not fit together or the id is unusable.
[[nodiscard]] Json to_json(const Figure& figure);

/// Puts the figures into a result, after those that it has. Throws as to_json(), and for an id given twice.
void add_figures(Json& result, std::span<const Figure> figures);

}  // namespace solidtlm::testbench
