// SPDX-License-Identifier: Apache-2.0
//
// The runs of the study, what they are about, and what is read from their results.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbench/run/simulation.h"
#include "testbench/studies/trim/devices.h"
#include "testbench/studies/trim/mixed_source.h"
#include "testbench/studies/trim/shape.h"

namespace solidtlm::testbench::trim {

/// One run: one point of the result.
struct Job {
    std::string name;
    Json parameters;  ///< `part` says which kind: ranges, filesystem, latency or ageing
    std::function<SimulationOutcome()> run;
};

/// One TRIM at a time on an idle drive whose region was written.
[[nodiscard]] Job ranges_job(const Device& device, const ShapePlan& plan);

/// A benchmark on a file system. `spec` without discard, as in --workload. Throws InputError.
[[nodiscard]] Job filesystem_job(const Device& device, const std::string& spec, const std::string& discard);

/// Reads at a queue depth of kMixedDepth with TRIMs among them.
constexpr std::uint32_t kMixedDepth = 8;
[[nodiscard]] Job latency_job(const Device& device, Sending sending, std::uint64_t region_bytes,
                              std::uint64_t reads);

/// Random writes to a drive that the same writes have worn, with `trim_share` of all requests being TRIMs.
struct Wear {
    double trim_share = 0;
    double rounds = 3;           ///< times the capacity written while ageing
    std::uint64_t count = 0;     ///< requests after that
    std::uint64_t bytes = 4096;  ///< of a request
};
[[nodiscard]] Job ageing_job(const Device& device, const Wear& wear);

/// Point::derived of a run, explained in docs/trim.md.
[[nodiscard]] Json derived_of(const Json& parameters, const Json& result);

}  // namespace solidtlm::testbench::trim
