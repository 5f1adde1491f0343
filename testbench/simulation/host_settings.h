// SPDX-License-Identifier: Apache-2.0
//
// How the host drives the device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "testbench/host/pacing.h"
#include "testbench/run/spec.h"

namespace solidtlm::testbench {

/// The given pacing; by default open for traces and workloads with arrival times, closed for other workloads.
/// REQUIRES: the run has a trace or a workload.
[[nodiscard]] std::string pacing_of(const RunSpec& run);
[[nodiscard]] std::uint32_t queue_depth_of(const RunSpec& run);

/// What is wrong with the run's queue depth if it counts tags, because the pacing is not closed; empty:
/// nothing.
[[nodiscard]] std::string tags_error(const RunSpec& run);

/// What is wrong with --pacing, --speed and --queue-depth together: a speed where no arrival times are looked
/// at, and more than the tags outstanding where the pacing is not closed. REQUIRES: as pacing_of(). Throws
/// InputError where the workload cannot be read.
[[nodiscard]] Errors check_pacing(const RunSpec& run);

/// The pacing of pacing_of() and queue_depth_of(). Throws InputError as check_pacing() does.
[[nodiscard]] std::unique_ptr<Pacing> make_pacing(const RunSpec& run);

}  // namespace solidtlm::testbench
