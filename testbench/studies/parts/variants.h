// SPDX-License-Identifier: Apache-2.0
//
// Configurations of the points of a sweep.
#pragma once

#include <string>
#include <vector>

#include "platform/configuration.h"

namespace solidtlm::testbench {

/// Settings that give `base` so many channels and dies a channel; packages as large as in the base, unless
/// there are fewer dies than that.
[[nodiscard]] std::vector<std::string> geometry_settings(const platform::Configuration& base,
                                                         std::uint32_t channels, std::uint32_t dies);

/// `base` with `settings` on top. Throws platform::ConfigurationError.
[[nodiscard]] platform::Configuration variant_of(const platform::Configuration& base,
                                                 const std::vector<std::string>& settings);

/// Mistakes of several variants, each once.
class VariantIssues {
  public:
    void add(const platform::ConfigurationError& error);
    /// Throws platform::ConfigurationError if there was a mistake.
    void report() const;

  private:
    std::vector<platform::ConfigurationIssue> issues_;
};

}  // namespace solidtlm::testbench
