// SPDX-License-Identifier: Apache-2.0
//
// What the runs of a study measured, and how to find it.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "testbench/results/result.h"

namespace solidtlm::testbench {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Measured {
    Json parameters;
    Json derived;
    Json
        stages;  ///< of the kind of command that the study is about, us each, by name; null if there was none

    [[nodiscard]] double value(const char* name) const {
        const auto found = derived.find(name);
        return found == derived.end() || !found->is_number() ? 0.0 : found->get<double>();
    }
    [[nodiscard]] std::string text(const char* name) const { return parameters.at(name).get<std::string>(); }
    /// Has every parameter of `wanted`, an object, with the same value.
    [[nodiscard]] bool matches(const Json& wanted) const {
        for (const auto& [name, value] : wanted.items()) {
            const auto found = parameters.find(name);
            if (found == parameters.end() || *found != value) {
                return false;
            }
        }
        return true;
    }
};

/// Those with the parameters of `wanted`, in their order.
[[nodiscard]] inline std::vector<const Measured*> select(std::span<const Measured> points,
                                                         const Json& wanted) {
    std::vector<const Measured*> selected;
    for (const Measured& point : points) {
        if (point.matches(wanted)) {
            selected.push_back(&point);
        }
    }
    return selected;
}

/// The different values of a parameter, in the order in which they come first.
[[nodiscard]] inline std::vector<Json> values_of(std::span<const Measured* const> points, const char* name) {
    std::vector<Json> values;
    for (const Measured* point : points) {
        const Json& value = point->parameters.at(name);
        if (std::find(values.begin(), values.end(), value) == values.end()) {
            values.push_back(value);
        }
    }
    return values;
}

/// `wanted` with one parameter more.
[[nodiscard]] inline Json with(Json wanted, const char* name, const Json& value) {
    wanted[name] = value;
    return wanted;
}

}  // namespace solidtlm::testbench
