// SPDX-License-Identifier: Apache-2.0
//
// For tests: runs of the whole drive that age it first.
#pragma once

#include <string>

#include "testbench/sim/age/ageing.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {

inline SimulationOutcome aged_run(const platform::Configuration& configuration, const std::string& spec,
                                  RequestSource& source) {
    RunSpec settings = run_of(configuration);
    settings.precondition = parse_preconditioning(spec);
    const ClosedLoop pacing(32);
    return simulate(settings, source, pacing);
}

}  // namespace solidtlm::testbench
