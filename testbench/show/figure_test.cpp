// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/figure.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <stdexcept>

#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

TEST(Figure, LineKeepsItsPointsAndGaps) {
    const LineFigure figure{{"rate", "Rate", "Up."},
                            {"channels", true},
                            {"MB/s", false},
                            {{"measured", {{1, 40.0}, {2, kGap}}, false}, {"formula", {{1, 41.0}}, true}}};
    EXPECT_EQ(to_json(figure), Json::parse(R"({"id":"rate","kind":"line","title":"Rate","caption":"Up.",
        "x":{"label":"channels","log":true},"y":{"label":"MB/s","log":false},
        "series":[{"name":"measured","dashed":false,"values":[[1.0,40.0],[2.0,null]]},
                  {"name":"formula","dashed":true,"values":[[1.0,41.0]]}]})"));
}

TEST(Figure, HeatmapKeepsEmptyCellsAndItsRange) {
    const HeatmapFigure figure{{"map", "Map", ""},    {"channels"}, {"dies"},           {"1", "2"}, {"1"},
                               {{0.5, std::nullopt}}, "MB/s",       std::pair{0.0, 2.0}};
    EXPECT_EQ(to_json(figure), Json::parse(R"({"id":"map","kind":"heatmap","title":"Map","caption":"",
        "x":{"label":"channels","log":false,"categories":["1","2"]},
        "y":{"label":"dies","log":false,"categories":["1"]},
        "unit":"MB/s","range":[0.0,2.0],"cells":[[0.5,null]]})"));
}

TEST(Figure, KindsOfCategoriesAndHistograms) {
    CategoryFigure figure{{"c", "C", ""}, CategoryFigure::Look::bars, {"x"}, {"y"},
                          {"a"},          {{"s", {1.0}, false}}};
    EXPECT_EQ(to_json(figure).at("kind"), "bar");
    figure.look = CategoryFigure::Look::stacked_bars;
    EXPECT_EQ(to_json(figure).at("kind"), "stacked_bar");
    figure.look = CategoryFigure::Look::lines;
    EXPECT_EQ(to_json(figure).at("kind"), "line");
    const HistogramFigure histogram{
        {"h", "H", ""}, {"us", true}, {"commands"}, {1, 2, 4}, {{"read", {3, 0}}}};
    EXPECT_EQ(to_json(histogram).at("edges"), Json::parse("[1.0,2.0,4.0]"));
    EXPECT_EQ(to_json(histogram).at("series").at(0).at("values"), Json::parse("[3.0,0.0]"));
}

TEST(Figure, RefusesInconsistentLengths) {
    const auto refused = [](const Figure& figure) {
        EXPECT_THROW((void)to_json(figure), std::invalid_argument);
    };
    refused(LineFigure{{"Bad id", "", ""}, {}, {}, {}});
    refused(LineFigure{{"x", "", ""}, {}, {}, {{"s", {{kGap, 1.0}}, false}}});
    refused(CategoryFigure{{"c", "", ""}, {}, {}, {}, {"a", "b"}, {{"s", {1.0}, false}}});
    refused(HistogramFigure{{"h", "", ""}, {}, {}, {1, 1}, {}});
    refused(HistogramFigure{{"h", "", ""}, {}, {}, {1, 2}, {{"s", {1, 2}}}});
    refused(HeatmapFigure{{"m", "", ""}, {}, {}, {"a"}, {"b"}, {{1.0, 2.0}}, "", std::nullopt});
    refused(HeatmapFigure{{"m", "", ""}, {}, {}, {"a"}, {"b"}, {}, "", std::nullopt});
    refused(HeatmapFigure{{"m", "", ""}, {}, {}, {"a"}, {"b"}, {{1.0}}, "", std::pair{2.0, 1.0}});
}

TEST(Figure, OneIdOnce) {
    Json result = testing::sample_study();
    const std::array<Figure, 1> figures{LineFigure{{"a", "A", ""}, {}, {}, {}}};
    add_figures(result, figures);
    EXPECT_EQ(result.at("figures").size(), 1U);
    EXPECT_THROW(add_figures(result, figures), std::invalid_argument);
}

}  // namespace
}  // namespace solidtlm::testbench
