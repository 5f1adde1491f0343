// SPDX-License-Identifier: Apache-2.0
//
// Numbers that studies read from the result of a point.
#pragma once

#include <string>

#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// The mean of a list; 0 for an empty one.
[[nodiscard]] double mean_of(const Json& values);

/// Times of waiting for a resource, in percent of the latency: while other host operations, the map, or
/// garbage collection hold it, and all of these together.
struct WaitShare {
    double host = 0.0;
    double map = 0.0;
    double gc = 0.0;
    double total = 0.0;
};
/// `resource` is channel or die; `stages` are those of a ledger.
[[nodiscard]] WaitShare wait_share(const Json& stages, const std::string& resource, double latency_us);

}  // namespace solidtlm::testbench
