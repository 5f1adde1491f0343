// SPDX-License-Identifier: Apache-2.0
//
// The measurements of a study's runs, with functions to find them: tables, figures and claims are made only
// from these.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "testbench/show/result.h"

namespace solidtlm::testbench {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Measured {
    Json parameters;                ///< Point::parameters
    Json derived = Json::object();  ///< Point::derived
    Json more = Json::object();     ///< values that are shown or judged but are not part of the result

    /// A number from `derived`, otherwise from `more`, otherwise a parameter; nothing if none of them has it.
    [[nodiscard]] std::optional<double> find(const std::string& name) const;
    /// The number that find() returns, or 0.
    [[nodiscard]] double value(const std::string& name) const { return find(name).value_or(0.0); }
    /// A parameter; text without quotes, "-" if there is no such parameter.
    [[nodiscard]] std::string text(const std::string& name) const;
    /// Whether the point has every parameter of `wanted`, an object, with the same value, and lacks those
    /// that are null there.
    [[nodiscard]] bool matches(const Json& wanted) const;
};
using Points = std::span<const Measured>;
using Selected = std::vector<const Measured*>;

/// The points that match `wanted`, in order.
[[nodiscard]] Selected select(Points points, const Json& wanted = Json::object());
[[nodiscard]] Selected select(const Selected& points, const Json& wanted);
/// The first point that matches; null if there is none.
[[nodiscard]] const Measured* find(Points points, const Json& wanted);

/// The distinct values of a parameter, in order of first appearance. Points without it are skipped.
[[nodiscard]] std::vector<Json> values_of(const Selected& points, const std::string& name);
/// The distinct values in ascending order: numbers, then text.
[[nodiscard]] std::vector<Json> sorted_values_of(const Selected& points, const std::string& name);

/// The points of each combination of values of the parameters `names`, in order of first appearance.
[[nodiscard]] std::vector<Selected> groups_of(const Selected& points, const std::vector<std::string>& names);

/// `wanted` with one more parameter.
[[nodiscard]] Json with(Json wanted, const std::string& name, const Json& value);

/// A number of a point, either by its name (Measured::find) or computed; a point may lack it.
class Value {
  public:
    Value(const char* name) : get_([name](const Measured& point) { return point.find(name); }) {}
    template <std::invocable<const Measured&> Compute>
    Value(Compute compute) : get_(std::move(compute)) {}
    [[nodiscard]] std::optional<double> operator()(const Measured& point) const { return get_(point); }

  private:
    std::function<std::optional<double>(const Measured&)> get_;
};

/// The sum of these numbers, added in this order.
[[nodiscard]] Value sum_of(std::vector<std::string> names);

/// A text of a point, either a parameter by its name or computed.
class Label {
  public:
    Label(const char* name) : get_([name](const Measured& point) { return point.text(name); }) {}
    template <std::invocable<const Measured&> Make>
    Label(Make make) : get_(std::move(make)) {}
    [[nodiscard]] std::string operator()(const Measured& point) const { return get_(point); }

  private:
    std::function<std::string(const Measured&)> get_;
};

/// Points in rows and columns by two parameters. A point that failed or was not run leaves an empty place.
class Matrix {
  public:
    enum class Order : std::uint8_t { as_they_come, ascending, columns_ascending };
    Matrix(Selected points, std::string row, std::string column, Order order = Order::as_they_come);

    [[nodiscard]] const std::vector<Json>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<Json>& columns() const { return columns_; }
    /// The point at this place, or null.
    [[nodiscard]] const Measured* at(const Json& row, const Json& column) const;

  private:
    Selected points_;
    std::string row_;
    std::string column_;
    std::vector<Json> rows_;
    std::vector<Json> columns_;
};

}  // namespace solidtlm::testbench
