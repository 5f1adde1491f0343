// SPDX-License-Identifier: Apache-2.0
//
// How the host drives the device, as the command line says.
#pragma once

#include <memory>

#include "testbench/cli/command_line.h"
#include "testbench/host/config.h"
#include "testbench/host/pacing.h"

namespace solidtlm::testbench {

struct HostSettings {
    HostConfig config;
    std::unique_ptr<Pacing> pacing;
};

/// Pacing not given: traces, and workloads with arrival times, open; other workloads closed.
[[nodiscard]] HostSettings host_settings(const CommandLine& line);

}  // namespace solidtlm::testbench
