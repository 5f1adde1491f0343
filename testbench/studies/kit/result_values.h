// SPDX-License-Identifier: Apache-2.0
//
// Numbers that studies read from the result of a point.
#pragma once

#include <string>

#include "testbench/results/result.h"

namespace solidtlm::testbench {

/// 0 for an empty list.
[[nodiscard]] double mean_of(const Json& values);

/// Stages that wait for a resource, in percent of the latency: held by other host operations, by the map, by
/// garbage collection, by any of them.
struct WaitShare {
    double host = 0.0;
    double map = 0.0;
    double gc = 0.0;
    double total = 0.0;
};
/// `resource` is channel or die, `stages` as in a ledger.
[[nodiscard]] WaitShare wait_share(const Json& stages, const std::string& resource, double latency_us);

}  // namespace solidtlm::testbench
