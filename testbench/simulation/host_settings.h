// SPDX-License-Identifier: Apache-2.0
//
// How the host drives the device, as the command line says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "testbench/cli/command_line.h"
#include "testbench/host/config.h"
#include "testbench/host/pacing.h"

namespace solidtlm::testbench {

struct HostSettings {
    HostConfig config;
    std::unique_ptr<Pacing> pacing;
};

/// Pacing as given, or else: traces, and workloads with arrival times, open; other workloads closed.
/// REQUIRES: the line names a trace or a workload.
[[nodiscard]] std::string pacing_of(const CommandLine& line);
[[nodiscard]] std::uint32_t queue_depth_of(const CommandLine& line);

/// A queue depth counts tags where the pacing is not closed: what is wrong with it then; empty: nothing.
[[nodiscard]] std::string tags_error(std::uint32_t depth);

/// What is wrong with --pacing, --speed and --queue-depth together: a speed where no arrival times are looked
/// at, and more than the tags outstanding where the pacing is not closed. REQUIRES: as pacing_of(). Throws
/// InputError where the workload cannot be read.
[[nodiscard]] Errors check_pacing(const CommandLine& line);

/// Of pacing_of() and queue_depth_of(). Throws InputError as check_pacing() says.
[[nodiscard]] HostSettings host_settings(const CommandLine& line);

}  // namespace solidtlm::testbench
