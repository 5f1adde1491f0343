// SPDX-License-Identifier: Apache-2.0
//
// The results of bench_speed, as JSON (docs/speed.md) and as a table.
#pragma once

#include <string>
#include <vector>

#include "platform/configuration.h"
#include "testbench/show/terminal.h"
#include "testbench/torture/bench/bare_event.h"
#include "testbench/torture/bench/speed_case.h"

namespace solidtlm::testbench {

/// One timed run and the cost of a bare event right before and right after it.
struct SpeedSample {
    Json sample;  ///< as run_speed_case() returns it
    BareEventCost before;
    BareEventCost after;
    std::uint64_t peak_memory_bytes = 0;
};

/// Everything about a case.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct CaseMeasurement {
    const SpeedCase* speed_case = nullptr;
    std::uint64_t map_table_bytes = 0;  ///< 4 bytes per mapping unit of the exported capacity
    std::vector<SpeedSample> samples;   ///< at least one
};

/// The entry of a case in speed.json.
[[nodiscard]] Json speed_section(const CaseMeasurement& measurement);

/// The important columns of a speed.json document.
[[nodiscard]] std::string speed_table(const Json& document, const TextStyle& style);

}  // namespace solidtlm::testbench
