// SPDX-License-Identifier: Apache-2.0
//
// How the host drives the device: pacing and queue depth.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "testbench/sim/host/pacing.h"
#include "testbench/sim/spec/spec.h"

namespace solidtlm::testbench {

/// The pacing as given; by default, open for traces and for workloads with arrival times, and closed for
/// other workloads. REQUIRES: the run has a trace or a workload.
[[nodiscard]] std::string pacing_of(const RunSpec& run);
[[nodiscard]] std::uint32_t queue_depth_of(const RunSpec& run);

/// The mistake if the run's queue depth counts tags although the pacing is not closed; empty: no mistake.
[[nodiscard]] std::string tags_error(const RunSpec& run);

/// Mistakes in the combination of --pacing, --speed and --queue-depth: a speed where arrival times are not
/// used, and a depth above the number of tags where the pacing is not closed. REQUIRES: as for pacing_of().
/// Throws InputError if the workload must be read for its pacing, and cannot be.
[[nodiscard]] Errors check_pacing(const RunSpec& run);

/// Says that a workload would last longer than time does at its --speed; empty if it does not. REQUIRES: as
/// for pacing_of(). Throws InputError if the workload cannot be read.
[[nodiscard]] std::string speed_error(const RunSpec& run);

/// The pacing of pacing_of() and queue_depth_of(). Throws InputError with the mistakes of both.
[[nodiscard]] std::unique_ptr<Pacing> make_pacing(const RunSpec& run);

}  // namespace solidtlm::testbench
