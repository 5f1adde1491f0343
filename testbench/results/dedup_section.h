// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/results/result.h"

namespace solidtlm::testbench {

/// The section `dedup` of a result.
[[nodiscard]] Json dedup_section(const DedupTelemetry& dedup);

}  // namespace solidtlm::testbench
