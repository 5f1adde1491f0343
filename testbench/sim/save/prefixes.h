// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace solidtlm::testbench {

/// Whether the path of a key, such as "/nand/timing/read", begins with one of the prefixes.
[[nodiscard]] bool begins_with_any(std::string_view key, const auto& prefixes) {
    return std::ranges::any_of(prefixes, [key](std::string_view one) { return key.starts_with(one); });
}

}  // namespace solidtlm::testbench
