// SPDX-License-Identifier: Apache-2.0
//
// Reads the device's counters into the plain numbers of a result.
#pragma once

#include <string_view>

#include "platform/ssd.h"
#include "testbench/show/device_telemetry.h"
#include "testbench/show/round_log.h"
#include "testbench/show/time_series.h"

namespace solidtlm::testbench {

/// Counters of `ssd` so far; utilisations are fractions of the time since the start of simulation.
[[nodiscard]] DeviceTelemetry collect_telemetry(const platform::Ssd& ssd);

/// Telemetry of the time from `begin` to `end`: counts, and shares of the time. Violations and metrics that
/// describe a state are those at `end`. REQUIRES: both are snapshots of one device, begin_at <= end_at.
[[nodiscard]] DeviceTelemetry telemetry_between(const DeviceTelemetry& begin, hal::Ps begin_at,
                                                const DeviceTelemetry& end, hal::Ps end_at);

/// Stores the counters of `ssd` so far in a sample.
void sample_device(const platform::Ssd& ssd, DeviceSample& sample);

/// All work of its flash so far, for the host or not.
[[nodiscard]] FlashWork flash_work(const platform::Ssd& ssd);

/// Number of violations of the NAND's rules; 0 for correct firmware.
[[nodiscard]] std::uint64_t count_violations(const platform::Ssd& ssd);
/// Description of one of the first violations; empty if there was none.
[[nodiscard]] std::string first_violation(const platform::Ssd& ssd);

}  // namespace solidtlm::testbench
