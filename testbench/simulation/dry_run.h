// SPDX-License-Identifier: Apache-2.0
//
// Where --dry-run ends: everything has been read and checked, and the next thing would be to simulate.
#pragma once

#include <string>

#include "platform/configuration.h"

namespace solidtlm::testbench {

/// Builds the drive, which proves that it can be built, and throws DryRunEnd; `planned` says what would have
/// been run, as in "240 points, 2 at a time". REQUIRES: no module was elaborated in this process.
[[noreturn]] void end_dry_run(const platform::Configuration& configuration, const std::string& planned);

}  // namespace solidtlm::testbench
