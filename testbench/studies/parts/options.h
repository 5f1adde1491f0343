// SPDX-License-Identifier: Apache-2.0
//
// Options of scenarios that sweep: lists of values, each of which is a dimension.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace solidtlm::testbench {

constexpr const char* kSweepGroup = "Sweep";

/// `NAME V,V,...`
template <typename Value>
CLI::Option* add_list(CLI::App& app, const char* name, std::vector<Value>& values, const char* text) {
    return app.add_option(name, values, text)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str()
        ->group(kSweepGroup);
}

/// A value given twice is a mistake.
template <typename Value>
void check_once(const char* name, std::vector<Value> values, std::vector<std::string>& errors) {
    std::ranges::sort(values);
    const auto twice = std::ranges::adjacent_find(values);
    if (twice != values.end()) {
        std::string text;
        if constexpr (std::is_integral_v<Value>) {
            text = std::to_string(*twice);
        } else {
            text = *twice;
        }
        errors.push_back(std::string(name) + ": found " + text + " twice; allowed: each value once");
    }
}

/// Striping orders.
inline CLI::Validator permutation_of_cwdp() {
    return CLI::Validator(
        [](const std::string& text) {
            std::string letters = text;
            std::ranges::sort(letters);
            return letters == "CDPW"
                       ? std::string()
                       : "found " + text + "; allowed: each of the letters C, W, D and P once, as in PCWD";
        },
        "");
}

}  // namespace solidtlm::testbench
