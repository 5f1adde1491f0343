// SPDX-License-Identifier: Apache-2.0
//
// The points of a sweep: combinations of values, and their configurations.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "platform/configuration.h"
#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// A dimension: a name and a list of values.
using Dimension = std::pair<std::string, Json>;
/// Calls `visit` for all combinations, with an object that has one value per name; the last dimension varies
/// fastest.
void each_combination(const std::vector<Dimension>& dimensions,
                      const std::function<void(const Json&)>& visit);

/// Settings that give `base` this number of channels and of dies per channel. A package has the greatest
/// common divisor of the base's dies per package and `dies`.
[[nodiscard]] std::vector<std::string> geometry_settings(const platform::Configuration& base,
                                                         std::uint32_t channels, std::uint32_t dies);

/// Collects the mistakes of several variants, each once.
class VariantIssues {
  public:
    /// Calls `make` and stores the mistakes of a ConfigurationError.
    template <class Make>
    void attempt(Make make) {
        try {
            make();
        } catch (const platform::ConfigurationError& error) {
            add(error);
        }
    }
    void add(const platform::ConfigurationError& error);
    /// Throws platform::ConfigurationError if there was a mistake.
    void report() const;

  private:
    std::vector<platform::ConfigurationIssue> issues_;
};

}  // namespace solidtlm::testbench
