// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/measured.h"

#include <algorithm>

#include "testbench/show/summary_sections.h"

namespace solidtlm::testbench {

std::optional<double> Measured::find(const std::string& name) const {
    for (const Json* values : {&derived, &more, &parameters}) {
        const auto found = values->find(name);
        if (found != values->end() && found->is_number()) {
            return found->get<double>();
        }
    }
    return std::nullopt;
}

std::string Measured::text(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "-" : value_text(*found);
}

bool Measured::matches(const Json& wanted) const {
    return std::ranges::all_of(wanted.items(), [this](const auto& item) {
        const auto found = parameters.find(item.key());
        return found == parameters.end() ? item.value().is_null() : *found == item.value();
    });
}

Selected select(Points points, const Json& wanted) {
    Selected selected;
    for (const Measured& point : points) {
        if (point.matches(wanted)) {
            selected.push_back(&point);
        }
    }
    return selected;
}

Selected select(const Selected& points, const Json& wanted) {
    Selected selected = points;
    std::erase_if(selected, [&wanted](const Measured* point) { return !point->matches(wanted); });
    return selected;
}

const Measured* find(Points points, const Json& wanted) {
    const auto found =
        std::ranges::find_if(points, [&](const Measured& each) { return each.matches(wanted); });
    return found == points.end() ? nullptr : &*found;
}

std::vector<Json> values_of(const Selected& points, const std::string& name) {
    std::vector<Json> values;
    for (const Measured* point : points) {
        const auto value = point->parameters.find(name);
        if (value != point->parameters.end() && std::ranges::find(values, *value) == values.end()) {
            values.push_back(*value);
        }
    }
    return values;
}

std::vector<Json> sorted_values_of(const Selected& points, const std::string& name) {
    std::vector<Json> values = values_of(points, name);
    std::ranges::sort(values);
    return values;
}

std::vector<Selected> groups_of(const Selected& points, const std::vector<std::string>& names) {
    std::vector<std::string> keys;
    std::vector<Selected> groups;
    for (const Measured* point : points) {
        Json values = Json::array();
        for (const std::string& name : names) {
            values.push_back(point->parameters.value(name, Json()));
        }
        const std::string key = values.dump();
        const auto group = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
        if (group == keys.size()) {
            keys.push_back(key);
            groups.emplace_back();
        }
        groups[group].push_back(point);
    }
    return groups;
}

Json with(Json wanted, const std::string& name, const Json& value) {
    wanted[name] = value;
    return wanted;
}

Value sum_of(std::vector<std::string> names) {
    return {[names = std::move(names)](const Measured& point) -> std::optional<double> {
        double sum = 0.0;
        for (const std::string& name : names) {
            sum += point.value(name);
        }
        return sum;
    }};
}

Matrix::Matrix(Selected points, std::string row, std::string column, Order order)
    : points_(std::move(points)), row_(std::move(row)), column_(std::move(column)) {
    rows_ = (order == Order::ascending ? sorted_values_of : values_of)(points_, row_);
    columns_ = (order == Order::as_they_come ? values_of : sorted_values_of)(points_, column_);
}

const Measured* Matrix::at(const Json& row, const Json& column) const {
    const auto found = std::ranges::find_if(points_, [&](const Measured* point) {
        return point->parameters.at(row_) == row && point->parameters.at(column_) == column;
    });
    return found == points_.end() ? nullptr : *found;
}

}  // namespace solidtlm::testbench
