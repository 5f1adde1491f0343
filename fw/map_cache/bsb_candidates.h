// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace solidtlm::fw {

/// Entries of each candidate window of "full,tafp_64,...": the whole translation page of `entries`, or N
/// bytes of entries onwards. Empty if the text is wrong: an unknown or repeated name, no name, or a window
/// that is longer than a translation page or not a whole number of entries.
[[nodiscard]] std::vector<std::uint32_t> bsb_windows(std::string_view candidates, std::uint32_t entries);

}  // namespace solidtlm::fw
