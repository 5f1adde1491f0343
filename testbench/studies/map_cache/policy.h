// SPDX-License-Identifier: Apache-2.0
//
// Cache policies by the names that the study gives them, and the points of a sweep over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"

namespace solidtlm::testbench::map_cache {

struct Policy {
    std::string name;  ///< "full_page", "tafp_64", ...
    fw::MapCachePolicy kind = fw::MapCachePolicy::full_page;
    std::uint32_t tafp_bytes = 0;  ///< tafp alone

    /// Those that the study compares before it proposes its own: a window that never changes.
    [[nodiscard]] bool fixed() const;
};

/// Every policy, in the order of docs/map-cache.md; of tafp the windows of the study.
[[nodiscard]] const std::vector<std::string>& policy_names();
/// "tafp_N" with any N; whether N is possible is checked with the configuration. Empty: unknown.
[[nodiscard]] std::optional<Policy> parse_policy(std::string_view name);

/// One cache: a policy in a size.
struct Cache {
    Policy policy;
    std::uint64_t size_bytes = 0;
    platform::Configuration configuration;
};

/// Every policy in every size, size by size in each policy. Throws platform::ConfigurationError with what is
/// impossible about any of them, each mistake once.
[[nodiscard]] std::vector<Cache> caches_of(const std::vector<Policy>& policies,
                                           const std::vector<std::uint64_t>& sizes,
                                           const platform::Configuration& base);

}  // namespace solidtlm::testbench::map_cache
