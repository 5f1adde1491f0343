// SPDX-License-Identifier: Apache-2.0
//
// The runs of the study, what they are about, and what is read from their results.
#pragma once

#include <string>
#include <vector>

#include "testbench/studies/parts/study.h"
#include "testbench/studies/trim/devices.h"
#include "testbench/studies/trim/mixed_source.h"
#include "testbench/studies/trim/shape.h"

namespace solidtlm::testbench::trim {

/// Its parameter `part` says which kind it is: ranges, filesystem, latency or ageing.
using Job = StudyJob;

/// One TRIM at a time on an idle drive whose region was written.
[[nodiscard]] Job ranges_job(const Device& device, const ShapePlan& plan);

/// A benchmark on a file system. `spec` as in --workload, without discard. Throws InputError.
[[nodiscard]] Job filesystem_job(const Device& device, const std::string& spec, const std::string& discard);

/// Reads with TRIMs among them.
[[nodiscard]] Job latency_job(const Device& device, Sending sending, const MixedSource::Load& load);

/// Writes of a unit at random to a drive that was filled, a share of the requests being TRIMs of a unit; the
/// last tenth is measured.
struct Churn {
    double trim_share = 0;
    double rounds = 3;  ///< times the capacity that is written
};
[[nodiscard]] Job ageing_job(const Device& device, const Churn& churn);

/// Point::derived of a run, explained in docs/trim.md.
[[nodiscard]] Json derived_of(const Json& parameters, const Json& result);

}  // namespace solidtlm::testbench::trim
