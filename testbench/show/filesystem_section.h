// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/show/result.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// The section `filesystem` of a result: counters of the benchmark and of the file system.
[[nodiscard]] Json filesystem_section(const SourceFeedback& source);

}  // namespace solidtlm::testbench
