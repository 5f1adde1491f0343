// SPDX-License-Identifier: Apache-2.0
//
// Numbers with units as people write them. Units are exact: KiB MiB GiB TiB are powers of 1024, kB MB GB TB
// powers of 1000; a bare k, m, g or t is a power of 1024, as fio has it. Letters are not case-sensitive.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

/// Bytes: "4096", "4k", "4KiB", "1.5GiB", "8GB". Nothing when malformed, no whole number of bytes, or too
/// large.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

/// Durations: "250ns", "20us", "1.5ms", "2s"; the unit is required. A whole number of picoseconds.
[[nodiscard]] std::optional<hal::Ps> parse_duration(std::string_view text);

/// A number without unit or with k, M, G for thousands: "50000", "50k", "1.2M".
[[nodiscard]] std::optional<double> parse_rate(std::string_view text);

/// A share from 0 to 1: "0.3" or "30%".
[[nodiscard]] std::optional<double> parse_share(std::string_view text);

/// A plain number, finite.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

/// A whole number, with k, M, G for thousands: "100000", "100k", "2M".
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

constexpr std::string_view kSizeExample = "a size such as 4096, 4k, 4KiB, 1.5GiB or 8GB";
constexpr std::string_view kDurationExample = "a duration such as 250ns, 20us, 1.5ms or 2s";

}  // namespace solidtlm::testbench
