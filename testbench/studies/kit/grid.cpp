// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/grid.h"

#include <algorithm>
#include <numeric>

namespace solidtlm::testbench {

void each_combination(const std::vector<Dimension>& dimensions,
                      const std::function<void(const Json&)>& visit) {
    std::vector<Json> combinations{Json::object()};
    for (const auto& [name, values] : dimensions) {
        std::vector<Json> longer;
        for (const Json& combination : combinations) {
            for (const Json& value : values) {
                longer.push_back(combination);
                longer.back()[name] = value;
            }
        }
        combinations = std::move(longer);
    }
    std::ranges::for_each(combinations, visit);
}

std::vector<std::string> geometry_settings(const platform::Configuration& base, std::uint32_t channels,
                                           std::uint32_t dies) {
    const std::uint32_t dies_per_way = std::gcd(base.nand.geometry.dies_per_way, dies);
    return {"nand.geometry.channels=" + std::to_string(channels),
            "nand.geometry.dies=" + std::to_string(dies),
            "nand.geometry.dies_per_way=" + std::to_string(dies_per_way)};
}

void VariantIssues::add(const platform::ConfigurationError& error) {
    for (const platform::ConfigurationIssue& issue : error.issues()) {
        const bool known = std::ranges::any_of(
            issues_, [&issue](const auto& other) { return other.text() == issue.text(); });
        if (!known) {
            issues_.push_back(issue);
        }
    }
}

void VariantIssues::report() const {
    if (!issues_.empty()) {
        throw platform::ConfigurationError(issues_);
    }
}

}  // namespace solidtlm::testbench
