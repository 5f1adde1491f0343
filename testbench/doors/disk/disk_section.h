// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/doors/disk/disk_source.h"
#include "testbench/show/result.h"

namespace solidtlm::testbench::disk {

/// The section `disk` of a result: how simulated time followed wall time, and what clients requested.
[[nodiscard]] Json disk_section(const DiskSource& source, const Timing& timing);
/// The section as text.
[[nodiscard]] std::string disk_lines(const Json& section);

}  // namespace solidtlm::testbench::disk
