// SPDX-License-Identifier: Apache-2.0
//
// The parts of the report on one run. Each begins with a heading; a part with nothing to report is empty.
#pragma once

#include <string>

#include "testbench/show/result.h"
#include "testbench/show/text_table.h"

namespace solidtlm::testbench {

constexpr std::size_t kLongestBar = 40;
constexpr double kShownShare = 0.001;  ///< shares below this are summed in one line

[[nodiscard]] std::string throughput_section(const Json& result, const TextStyle& style);
/// Counters of a benchmark on a file system.
[[nodiscard]] std::string filesystem_lines(const Json& result, const TextStyle& style);
/// What was deduplicated, and how long each step took.
[[nodiscard]] std::string dedup_lines(const Json& result, const TextStyle& style);
[[nodiscard]] std::string latency_section(const Json& result, const TextStyle& style);
/// Stages of the mean request, longest first, with bars.
[[nodiscard]] std::string stage_section(const Json& result, const TextStyle& style);
[[nodiscard]] std::string nand_section(const Json& result, const TextStyle& style);
[[nodiscard]] std::string utilization_section(const Json& result, const TextStyle& style);
/// Energy that the drive used, by purpose.
[[nodiscard]] std::string energy_section(const Json& result, const TextStyle& style);
/// The effects of power cuts.
[[nodiscard]] std::string power_section(const Json& result, const TextStyle& style);
/// Whether the data was right and the model's own checks held.
[[nodiscard]] std::string verdict_section(const Json& result, const TextStyle& style);

[[nodiscard]] std::string heading(const std::string& title, const TextStyle& style);
[[nodiscard]] std::string percent(double fraction);
/// A bar of `share` (0 to 1) of `width` columns; with Unicode, in eighths of a column.
[[nodiscard]] std::string bar(double share, std::size_t width, bool unicode);
[[nodiscard]] double number(const Json& value);           ///< NaN for null
[[nodiscard]] std::string value_text(const Json& value);  ///< strings without quotes, null as "-"
[[nodiscard]] std::string seconds_text(double seconds);   ///< with a suitable unit
[[nodiscard]] std::string latency_text(const Json& latency_us, const char* field);
[[nodiscard]] std::string ratio_text(const Json& value);
/// Number of failed commands, wrong sectors and refused NAND operations: 0 in a good run.
[[nodiscard]] double count_of_faults(const Json& result);

}  // namespace solidtlm::testbench
