// SPDX-License-Identifier: Apache-2.0
//
// The end of a --dry-run: everything was read and checked, and the simulation would begin next.
#pragma once

#include <string>

#include "platform/configuration.h"

namespace solidtlm::testbench {

/// Builds the drive to prove that this works, and throws DryRunEnd. `planned` says what would have run, as in
/// "240 points, 2 at a time". REQUIRES: no module was elaborated in this process.
[[noreturn]] void end_dry_run(const platform::Configuration& configuration, const std::string& planned);

}  // namespace solidtlm::testbench
