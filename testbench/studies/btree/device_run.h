// SPDX-License-Identifier: Apache-2.0
//
// The tree on the simulated drive: what it counts, and how long it takes.
#pragma once

#include "platform/configuration.h"
#include "testbench/run/simulation.h"
#include "testbench/studies/btree/counting.h"

namespace solidtlm::testbench::btree {

/// The device with a translation layer. Throws ConfigurationError.
[[nodiscard]] platform::Configuration with_layer(const platform::Configuration& device,
                                                 const LayerSetting& setting);

/// Simulates; one call a process. The tree is read back at the end; what is wrong becomes a fault.
[[nodiscard]] SimulationOutcome run_on_drive(const platform::Configuration& configuration, const Load& load);

/// Page programs and block erases of a result.
[[nodiscard]] Counts counts_of(const Json& result);

}  // namespace solidtlm::testbench::btree
