// SPDX-License-Identifier: Apache-2.0
//
// The runs of the study, what they are about, and what is read from their results.
#pragma once

#include <string>
#include <vector>

#include "testbench/studies/dedup/load.h"
#include "testbench/studies/dedup/power_loss.h"
#include "testbench/studies/parts/study.h"

namespace solidtlm::testbench::dedup {

/// A drive to run on: what deduplicates, and settings that make it so.
struct System {
    std::string name;
    std::vector<std::string> settings = {};
};
[[nodiscard]] System system_named(const std::string& name);
/// `online` with one of the ways to keep duplicates over a power loss.
[[nodiscard]] System online_with(const std::string& protection);

/// What the runs have in common.
struct Drive {
    const platform::Configuration& base;
    double used = 1.0;   ///< of the exported capacity, by the load
    double speed = 1.0;  ///< divides arrival times
};

/// The load on the system, arrivals as recorded; part `systems`. The load must outlive the job. Throws
/// platform::ConfigurationError.
[[nodiscard]] StudyJob system_job(const Load& load, const System& system, const Drive& drive);

/// The same with `parameter` at `value`, part `sensitivity`; `settings` on top, for what is no property of
/// the load.
struct Variation {
    std::string parameter;  ///< duplicates, idle, speed, md5, byte_time or table
    double value = 0;
    std::vector<std::string> settings = {};
    double speed = 1.0;  ///< divides arrival times, too
};
[[nodiscard]] StudyJob sensitivity_job(const Load& load, const System& system, const Drive& drive,
                                       const Variation& variation);

/// C6; part `power`.
[[nodiscard]] StudyJob power_job(const System& system, Moment moment, const Drive& drive);

/// Point::derived of a run, explained in docs/dedup-study.md.
[[nodiscard]] Json derived_of(const Json& parameters, const Json& result);

}  // namespace solidtlm::testbench::dedup
