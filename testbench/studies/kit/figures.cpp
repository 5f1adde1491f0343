// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/figures.h"

#include <algorithm>

namespace solidtlm::testbench {
namespace {

std::size_t index_in(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
        names.push_back(name);
    }
    return index;
}

}  // namespace

std::string figure_id(std::string text) {
    for (char& letter : text) {
        const bool upper = letter >= 'A' && letter <= 'Z';
        const bool plain =
            (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
        letter = upper ? static_cast<char>(letter - 'A' + 'a') : plain ? letter : '-';
    }
    return text;
}

LineFigure line_figure(FigureText text, Axis x, Axis y, const Selected& points, const Label& series,
                       const Value& x_of, const Value& y_of) {
    LineFigure figure{std::move(text), std::move(x), std::move(y), {}};
    for (const Measured* point : points) {
        const auto at = x_of(*point);
        const auto value = y_of(*point);
        if (!at || !value) {
            continue;
        }
        const std::string name = series(*point);
        if (figure.series.empty() || figure.series.back().name != name) {
            figure.series.push_back({name, {}});
        }
        figure.series.back().points.emplace_back(*at, *value);
    }
    return figure;
}

CategoryFigure category_figure(FigureText text, CategoryFigure::Look look, Axis x, Axis y,
                               const Selected& points, const Label& category, const Label& series,
                               const Value& value) {
    CategoryFigure figure{std::move(text), look, std::move(x), std::move(y), {}, {}};
    std::vector<std::string> names;
    for (const Measured* point : points) {
        (void)index_in(figure.categories, category(*point));
        (void)index_in(names, series(*point));
    }
    for (const std::string& name : names) {
        figure.series.push_back({name, std::vector<double>(figure.categories.size(), kGap)});
    }
    for (const Measured* point : points) {
        std::vector<double>& values = figure.series[index_in(names, series(*point))].values;
        values[index_in(figure.categories, category(*point))] = value(*point).value_or(kGap);
    }
    return figure;
}

CategoryFigure stacked_figure(FigureText text, Axis x, Axis y, const Selected& points, const Label& category,
                              const std::vector<Layer>& layers, Layers wanted) {
    CategoryFigure figure{
        std::move(text), CategoryFigure::Look::stacked_bars, std::move(x), std::move(y), {}, {}};
    for (const Measured* point : points) {
        figure.categories.push_back(category(*point));
    }
    for (const Layer& layer : layers) {
        CategoryFigure::Series series{layer.name, {}};
        for (const Measured* point : points) {
            series.values.push_back(layer.value(*point).value_or(0.0));
        }
        const auto seen = [](double value) { return value > 0.0; };
        if (wanted == Layers::all || std::ranges::any_of(series.values, seen)) {
            figure.series.push_back(std::move(series));
        }
    }
    return figure;
}

HeatmapFigure heat_figure(const HeatText& text, const Matrix& matrix, const Value& value) {
    HeatmapFigure figure;
    figure.text = text.text;
    figure.x.label = text.x;
    figure.y.label = text.y;
    figure.unit = text.unit;
    figure.range = text.range;
    for (const Json& column : matrix.columns()) {
        figure.x_categories.push_back(text.x_name(column));
    }
    for (const Json& row : matrix.rows()) {
        figure.y_categories.push_back(text.y_name(row));
        std::vector<std::optional<double>>& cells = figure.cells.emplace_back();
        for (const Json& column : matrix.columns()) {
            const Measured* point = matrix.at(row, column);
            cells.push_back(point != nullptr ? value(*point) : std::nullopt);
        }
    }
    return figure;
}

}  // namespace solidtlm::testbench
