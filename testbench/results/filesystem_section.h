// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/host/request.h"
#include "testbench/results/result.h"

namespace solidtlm::testbench {

/// The section `filesystem` of a result: what the benchmark and the file system counted.
[[nodiscard]] Json filesystem_section(const SourceFeedback& source);

}  // namespace solidtlm::testbench
