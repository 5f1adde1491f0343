// SPDX-License-Identifier: Apache-2.0
//
// Options of a study, under "Sweep" in its help unless told otherwise: lists of values, each of which is a
// dimension, and others.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace solidtlm::testbench {

/// What is wrong with a command line, in words: all of it at once.
using Errors = std::vector<std::string>;

/// A value given twice is a mistake.
template <typename Value>
void check_once(const std::string& name, std::vector<Value> values, Errors& errors) {
    std::ranges::sort(values);
    const auto twice = std::ranges::adjacent_find(values);
    if (twice != values.end()) {
        std::string text;
        if constexpr (std::is_arithmetic_v<Value>) {
            text = std::to_string(*twice);
        } else {
            text = *twice;
        }
        errors.push_back(name + ": found " + text + " twice; allowed: each value once");
    }
}

class OptionSet {
  public:
    explicit OptionSet(CLI::App& app) : app_(app) {}

    /// The heading of what is added from now on.
    void group(const std::string& name) { group_ = name; }

    /// `NAME V,V,...`
    template <typename Value>
    CLI::Option* list(const char* name, std::vector<Value>& values, const char* text) {
        return value(name, values, text)->delimiter(',')->allow_extra_args(false);
    }
    /// The same; check_once() of this set looks at it.
    template <typename Value>
    CLI::Option* dimension(const char* name, std::vector<Value>& values, const char* text) {
        dimensions_.emplace_back(
            [name, &values](Errors& errors) { testbench::check_once(name, values, errors); });
        return list(name, values, text);
    }
    template <typename Value>
    CLI::Option* value(const char* name, Value& value, const char* text) {
        return unset(name, value, text)->capture_default_str();
    }
    /// Without a default in the help.
    template <typename Value>
    CLI::Option* unset(const char* name, Value& value, const char* text) {
        return app_.add_option(name, value, text)->group(group_);
    }
    void flag(const char* name, bool& value, const char* text) {
        app_.add_flag(name, value, text)->group(group_);
    }

    /// Values of dimensions that were given twice.
    void check_once(Errors& errors) const {
        for (const auto& check : dimensions_) {
            check(errors);
        }
    }

  private:
    CLI::App& app_;
    std::string group_ = "Sweep";
    std::vector<std::function<void(Errors&)>> dimensions_;
};

[[nodiscard]] inline bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
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
