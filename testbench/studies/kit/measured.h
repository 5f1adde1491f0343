// SPDX-License-Identifier: Apache-2.0
//
// What the runs of a study measured, and how to find it: tables, figures and claims are made of this alone.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "testbench/results/result.h"

namespace solidtlm::testbench {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Measured {
    Json parameters;                ///< Point::parameters
    Json derived = Json::object();  ///< Point::derived
    Json more = Json::object();     ///< what is shown or judged, but stays out of the result

    /// A number of `derived`, or else of `more`, or a parameter; none: none of them has it.
    [[nodiscard]] std::optional<double> find(const std::string& name) const;
    /// As find(); 0 if there is no such number.
    [[nodiscard]] double value(const std::string& name) const { return find(name).value_or(0.0); }
    /// A parameter; text without quotes, "-" if there is no such parameter.
    [[nodiscard]] std::string text(const std::string& name) const;
    /// Whether the point has every parameter of `wanted`, an object, with the same value, and none that is
    /// null there.
    [[nodiscard]] bool matches(const Json& wanted) const;
};
using Points = std::span<const Measured>;
using Selected = std::vector<const Measured*>;

/// The points with the parameters of `wanted`, in their order.
[[nodiscard]] Selected select(Points points, const Json& wanted = Json::object());
[[nodiscard]] Selected select(const Selected& points, const Json& wanted);
/// The first of them; null: there is none.
[[nodiscard]] const Measured* find(Points points, const Json& wanted);

/// The different values of a parameter, in the order in which they come first. Points without it have none.
[[nodiscard]] std::vector<Json> values_of(const Selected& points, const std::string& name);
/// The same, ascending: numbers, then text.
[[nodiscard]] std::vector<Json> sorted_values_of(const Selected& points, const std::string& name);

/// The points of each combination of values of the parameters `names`, combinations as they come first.
[[nodiscard]] std::vector<Selected> groups_of(const Selected& points, const std::vector<std::string>& names);

/// `wanted` with one parameter more.
[[nodiscard]] Json with(Json wanted, const std::string& name, const Json& value);

/// A number of a point: by its name (Measured::find), or computed; a point may have none.
class Value {
  public:
    Value(const char* name) : get_([name](const Measured& point) { return point.find(name); }) {}
    template <std::invocable<const Measured&> Compute>
    Value(Compute compute) : get_(std::move(compute)) {}
    [[nodiscard]] std::optional<double> operator()(const Measured& point) const { return get_(point); }

  private:
    std::function<std::optional<double>(const Measured&)> get_;
};

/// Numbers added up, in this order.
[[nodiscard]] Value sum_of(std::vector<std::string> names);

/// A text of a point: a parameter by its name, or made up.
class Label {
  public:
    Label(const char* name) : get_([name](const Measured& point) { return point.text(name); }) {}
    template <std::invocable<const Measured&> Make>
    Label(Make make) : get_(std::move(make)) {}
    [[nodiscard]] std::string operator()(const Measured& point) const { return get_(point); }

  private:
    std::function<std::string(const Measured&)> get_;
};

/// Points in rows and columns, each by a parameter. A place without a point: it failed or was not run.
class Matrix {
  public:
    enum class Order : std::uint8_t { as_they_come, ascending, columns_ascending };
    Matrix(Selected points, std::string row, std::string column, Order order = Order::as_they_come);

    [[nodiscard]] const std::vector<Json>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<Json>& columns() const { return columns_; }
    /// Null: no such point.
    [[nodiscard]] const Measured* at(const Json& row, const Json& column) const;

  private:
    Selected points_;
    std::string row_;
    std::string column_;
    std::vector<Json> rows_;
    std::vector<Json> columns_;
};

}  // namespace solidtlm::testbench
