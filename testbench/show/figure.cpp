// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "testbench/show/json_number.h"

namespace solidtlm::testbench {
namespace {

[[noreturn]] void refuse(const FigureText& text, const std::string& why) {
    throw std::invalid_argument(fmt::format("figure {}: {}", text.id, why));
}

void check_length(const FigureText& text, const std::string& what, std::size_t found, std::size_t wanted) {
    if (found != wanted) {
        refuse(text, fmt::format("{} has {} values, expected {}", what, found, wanted));
    }
}

bool usable_id(const std::string& id) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    return !id.empty() && id.find_first_not_of(kAllowed) == std::string::npos;
}

Json finite_list(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) {
        list.push_back(finite(value));
    }
    return list;
}

Json head(const FigureText& text, std::string_view kind) {
    if (!usable_id(text.id)) {
        refuse(text, "allowed in an id: a-z, 0-9, _ and -");
    }
    return {{"id", text.id}, {"kind", kind}, {"title", text.title}, {"caption", text.caption}};
}

Json axis(const Axis& axis) {
    return {{"label", axis.label}, {"log", axis.log}};
}

Json axis(const Axis& labels, const std::vector<std::string>& categories) {
    return {{"label", labels.label}, {"log", false}, {"categories", categories}};
}

std::string_view kind_of(CategoryFigure::Look look) {
    switch (look) {
        case CategoryFigure::Look::lines:
            return "line";
        case CategoryFigure::Look::bars:
            return "bar";
        case CategoryFigure::Look::stacked_bars:
            break;
    }
    return "stacked_bar";
}

Json document(const LineFigure& figure) {
    Json json = head(figure.text, "line");
    json["x"] = axis(figure.x);
    json["y"] = axis(figure.y);
    json["series"] = Json::array();
    for (const LineFigure::Series& series : figure.series) {
        Json points = Json::array();
        for (const auto& [x, y] : series.points) {
            if (!std::isfinite(x)) {
                refuse(figure.text, fmt::format("series {} has an x that is not finite", series.name));
            }
            points.push_back(Json::array({x, finite(y)}));
        }
        json["series"].push_back(
            {{"name", series.name}, {"dashed", series.dashed}, {"values", std::move(points)}});
    }
    return json;
}

Json document(const CategoryFigure& figure) {
    Json json = head(figure.text, kind_of(figure.look));
    json["x"] = axis(figure.x, figure.categories);
    json["y"] = axis(figure.y);
    json["series"] = Json::array();
    for (const CategoryFigure::Series& series : figure.series) {
        check_length(figure.text, "series " + series.name, series.values.size(), figure.categories.size());
        json["series"].push_back(
            {{"name", series.name}, {"dashed", series.dashed}, {"values", finite_list(series.values)}});
    }
    return json;
}

Json document(const HistogramFigure& figure) {
    Json json = head(figure.text, "histogram");
    json["x"] = axis(figure.x);
    json["y"] = axis(figure.y);
    const bool ascending =
        std::adjacent_find(figure.edges.begin(), figure.edges.end(),
                           [](double a, double b) { return !(a < b); }) == figure.edges.end();
    if (figure.edges.size() < 2 || !ascending || !std::isfinite(figure.edges.front()) ||
        !std::isfinite(figure.edges.back())) {
        refuse(figure.text, "edges must be at least two finite numbers, ascending");
    }
    json["edges"] = figure.edges;
    json["series"] = Json::array();
    for (const HistogramFigure::Series& series : figure.series) {
        check_length(figure.text, "series " + series.name, series.counts.size(), figure.edges.size() - 1);
        json["series"].push_back({{"name", series.name}, {"values", finite_list(series.counts)}});
    }
    return json;
}

Json document(const HeatmapFigure& figure) {
    Json json = head(figure.text, "heatmap");
    json["x"] = axis(figure.x, figure.x_categories);
    json["y"] = axis(figure.y, figure.y_categories);
    json["unit"] = figure.unit;
    if (figure.range) {
        const auto [low, high] = *figure.range;
        if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
            refuse(figure.text, fmt::format("range from {} to {}", low, high));
        }
        json["range"] = Json::array({low, high});
    }
    check_length(figure.text, "the matrix", figure.cells.size(), figure.y_categories.size());
    json["cells"] = Json::array();
    for (const auto& row : figure.cells) {
        check_length(figure.text, "a row of the matrix", row.size(), figure.x_categories.size());
        Json values = Json::array();
        for (const std::optional<double>& cell : row) {
            values.push_back(cell ? finite(*cell) : Json(nullptr));
        }
        json["cells"].push_back(std::move(values));
    }
    return json;
}

}  // namespace

Json to_json(const Figure& figure) {
    return std::visit([](const auto& each) { return document(each); }, figure);
}

void add_figures(Json& result, std::span<const Figure> figures) {
    Json list = result.value("figures", Json::array());
    for (const Figure& figure : figures) {
        Json added = to_json(figure);
        for (const Json& other : list) {
            if (other.at("id") == added.at("id")) {
                throw std::invalid_argument(
                    fmt::format("figure {}: the id is taken", added.at("id").get<std::string>()));
            }
        }
        list.push_back(std::move(added));
    }
    result["figures"] = std::move(list);
}

}  // namespace solidtlm::testbench
