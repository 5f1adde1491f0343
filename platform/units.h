// SPDX-License-Identifier: Apache-2.0
//
// Sizes, durations, counts and numbers as people write them. The syntax is the same wherever a user can write
// one: configuration files, --set, workloads, --precondition, options.
//
//  A number is digits with at most one point, no sign and no exponent. Blanks may stand around it and before
//  the unit. Units are not case-sensitive. Sizes: B, KiB MiB GiB TiB are powers of 1024, KB MB GB TB powers
//  of 1000; a bare K, M, G or T is a power of 1024, as fio has it; no unit means bytes. Durations: ps, ns,
//  us, ms, s; the unit is required. Counts: a bare K, M or G is a power of 1000.
//
// Values are exact: parsed and printed as integers, never through floating point. A value that is not a whole
// number of bytes, picoseconds or things is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::platform {

/// "4096", "4k", "4KiB", "1.5 GiB", "8GB": bytes. Nothing if malformed or above 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);
/// The shortest exact form, powers of two first: "16MiB", "40GB", "1872".
[[nodiscard]] std::string format_size(std::uint64_t bytes);

/// "250ns", "20us", "3.5 ms", "2s". Nothing if malformed or above 2^63 - 1 ps (106 days).
[[nodiscard]] std::optional<hal::Ps> parse_duration(std::string_view text);
/// The shortest exact form: "13.75ns".
[[nodiscard]] std::string format_duration(hal::Ps duration);

/// An age, which may be longer than a simulation can last: "1y", "90d", "12 h", "30s", in seconds; a year has
/// 365 days. None if malformed, not a whole number of seconds, or above 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> parse_age(std::string_view text);
/// The shortest exact form: "90d".
[[nodiscard]] std::string format_age(std::uint64_t seconds);

/// "100000", "100k", "2M", "1e6", "1.5e+6". Nothing if malformed, above 2^64 - 1, or with a power above
/// 10^12.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

/// A plain number, finite.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// The shortest form that reads back as the same value.
[[nodiscard]] std::string format_number(double value);
/// A number above 0, without unit or with k, M, G for thousands: "50000", "50k", "1.2M".
[[nodiscard]] std::optional<double> parse_rate(std::string_view text);
/// A share from 0 to 1: "0.3" or "30%".
[[nodiscard]] std::optional<double> parse_share(std::string_view text);

/// The parts between commas, as they are; one if there is none.
[[nodiscard]] std::vector<std::string_view> comma_separated(std::string_view text);
/// The text without the blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The text without the blanks around it and one pair of quotes.
[[nodiscard]] std::string_view without_quotes(std::string_view text);

}  // namespace solidtlm::platform
