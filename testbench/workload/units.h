// SPDX-License-Identifier: Apache-2.0
//
// Numbers with units as people write them: sizes, durations and counts (platform/units.h), rates and shares.
#pragma once

#include <optional>
#include <string_view>

#include "platform/units.h"

namespace solidtlm::testbench {

using platform::kDurationExample;
using platform::kSizeExample;
using platform::parse_count;
using platform::parse_duration;
using platform::parse_size;

/// A number without unit or with k, M, G for thousands: "50000", "50k", "1.2M".
[[nodiscard]] std::optional<double> parse_rate(std::string_view text);

/// A share from 0 to 1: "0.3" or "30%".
[[nodiscard]] std::optional<double> parse_share(std::string_view text);

/// A plain number, finite.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

}  // namespace solidtlm::testbench
