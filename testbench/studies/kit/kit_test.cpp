// SPDX-License-Identifier: Apache-2.0
//
// The parts that studies declare, on made-up points.
#include <gtest/gtest.h>

#include <cmath>

#include "testbench/studies/kit/claims.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench {
namespace {

/// Two colours in three sizes; the largest blue one failed.
std::vector<Measured> points() {
    std::vector<Measured> made;
    each_combination({{"colour", {"red", "blue"}}, {"size", {4, 1, 2}}}, [&made](const Json& at) {
        if (at["colour"] == "red" || at["size"] != 4) {
            const double value = at["size"].get<double>() * (at["colour"] == "red" ? 1000.0 : 1.5);
            made.push_back({at, {{"value", value}}, {{"value", -1.0}, {"hidden", value / 2.0}}});
        }
    });
    return made;
}

TEST(Measured, IsFoundByNameAndParameters) {
    const std::vector<Measured> all = points();
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0].find("value"), 4000.0) << "derived before more";
    EXPECT_EQ(all[0].find("hidden"), 2000.0);
    EXPECT_EQ(all[0].find("size"), 4.0) << "a parameter";
    EXPECT_EQ(all[0].find("colour"), std::nullopt) << "no number";
    EXPECT_EQ(all[0].text("colour"), "red");
    EXPECT_EQ(all[0].text("shape"), "-");
    EXPECT_EQ(select(all, {{"colour", "blue"}}).size(), 2U);
    EXPECT_EQ(find(all, {{"colour", "blue"}, {"size", 4}}), nullptr);
    EXPECT_EQ(select(all, {{"colour", "blue"}, {"shape", nullptr}}).size(), 2U) << "null: has none";
    EXPECT_TRUE(select(all, {{"colour", nullptr}}).empty());
    EXPECT_EQ(values_of(select(all), "size"), (std::vector<Json>{4, 1, 2}));
    EXPECT_EQ(sorted_values_of(select(all), "size"), (std::vector<Json>{1, 2, 4}));
    const auto groups = groups_of(select(all), {"size"});
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(groups[1].size(), 2U) << "both colours of size 1";
    EXPECT_EQ(*sum_of({"value", "hidden"})(all[0]), 6000.0);
}

TEST(Tables, LinesAndMatrix) {
    const std::vector<Measured> all = points();
    const std::string lines =
        titled_table(select(all, {{"size", 4}}), "Largest",
                     {text("colour", "colour"), number("grouped", "value", 1), plain("plain", "value", 1),
                      percent("share", [](const Measured&) { return 0.25; }), number("none", "nothing", 0)},
                     TextStyle{});
    EXPECT_NE(lines.find("red     4,000.0  4000.0     25     -"), std::string::npos) << lines;
    EXPECT_EQ(titled_table({}, "Nothing", {text("colour", "colour")}, TextStyle{}), "");
    const auto dump = [](const Json& value) { return value.dump(); };
    const std::string matrix = matrix_table(
        Matrix(select(all), "colour", "size", Matrix::Order::ascending),
        {"colour", dump, dump, [](const Measured& point) { return point.text("size") + "!"; }}, TextStyle{});
    EXPECT_NE(matrix.find("\"blue\"  1!  2!  failed"), std::string::npos) << matrix;
    EXPECT_LT(matrix.find("blue"), matrix.find("red")) << "ascending";
    const Matrix mixed(select(all), "colour", "size", Matrix::Order::columns_ascending);
    EXPECT_EQ(mixed.rows(), (std::vector<Json>{"red", "blue"}));
    EXPECT_EQ(mixed.columns(), (std::vector<Json>{1, 2, 4}));
    EXPECT_EQ(counted(1, "channel") + counted(2, "channel"), "1 channel2 channels");
}

TEST(Figures, ShowWhatIsThere) {
    const std::vector<Measured> all = points();
    const Json lines = to_json(
        line_figure({figure_id("A b,C"), "t", ""}, {"x"}, {"y"}, select(all), "colour", "size", "value"));
    EXPECT_EQ(lines["id"], "a-b-c");
    ASSERT_EQ(lines["series"].size(), 2U);
    EXPECT_EQ(lines["series"][1]["name"], "blue");
    const CategoryFigure bars = category_figure({"bars", "t", ""}, CategoryFigure::Look::bars, {}, {"y"},
                                                select(all), "size", "colour", "value");
    EXPECT_EQ(bars.categories, (std::vector<std::string>{"4", "1", "2"}));
    EXPECT_EQ(bars.series[0].values, (std::vector<double>{4000.0, 1000.0, 2000.0}));
    EXPECT_TRUE(std::isnan(bars.series[1].values[0])) << "the point that failed";
    const CategoryFigure stacked = stacked_figure({"stack", "t", ""}, {}, {"y"}, select(all), "size",
                                                  {{"hidden", "hidden"}, {"nothing", "nothing"}});
    ASSERT_EQ(stacked.series.size(), 1U) << "a layer that is 0 everywhere is left out";
    EXPECT_EQ(stacked.categories.size(), 5U);
    const auto dump = [](const Json& value) { return value.dump(); };
    const HeatmapFigure map = heat_figure({{"map", "t", ""}, "x", "y", "%", std::nullopt, dump, dump},
                                          Matrix(select(all), "colour", "size"), "value");
    EXPECT_EQ(map.cells[1][0], std::nullopt);
    EXPECT_EQ(map.cells[1][2], 3.0);
    std::vector<Figure> figures;
    add_unless_empty(figures, LineFigure{});
    EXPECT_TRUE(figures.empty());
}

TEST(Claims, AreJudgedByTheirRule) {
    const auto at = [](double value, std::optional<std::string> reason = {}) {
        return [value, reason](Points) -> std::optional<Finding> {
            return Finding{value, verdict_of(value > 2.0, value > 1.0), reason};
        };
    };
    const std::vector<Claim> claims =
        judge({{"A", "a", 3, at(3.0), "why"},
               {"B", "b", 3, [](Points) { return std::optional<Finding>(); }, "why"},
               {"C", "c", 3, at(1.5), "why"},
               {"D", "d", 3, at(0.5, "this time")}},
              {});
    ASSERT_EQ(claims.size(), 3U) << "nothing was measured for B";
    EXPECT_EQ(claims[0].verdict, Verdict::reproduced);
    EXPECT_EQ(claims[0].reason, "");
    EXPECT_EQ(claims[1].verdict, Verdict::partly);
    EXPECT_EQ(claims[1].reason, "why");
    EXPECT_EQ(claims[2].verdict, Verdict::not_reproduced);
    EXPECT_EQ(claims[2].reason, "this time");
    EXPECT_EQ(median({5.0, 1.0, 3.0}), 3.0);
}

TEST(Grid, TheLastDimensionVariesFastest) {
    std::vector<std::string> seen;
    each_combination({{"a", {1, 2}}, {"b", {"x", "y"}}}, [&seen](const Json& at) {
        seen.push_back(at["a"].dump() + at["b"].get<std::string>());
    });
    EXPECT_EQ(seen, (std::vector<std::string>{"1x", "1y", "2x", "2y"}));
}

}  // namespace
}  // namespace solidtlm::testbench
