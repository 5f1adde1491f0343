// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/result_values.h"

namespace solidtlm::testbench {

double mean_of(const Json& values) {
    double sum = 0.0;
    for (const Json& value : values) {
        sum += value.get<double>();
    }
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

WaitShare wait_share(const Json& stages, const std::string& resource, double latency_us) {
    WaitShare wait;
    for (const std::string_view holder : hal::kHolderNames) {
        const double share =
            100.0 * stages[resource + "_wait_" + std::string(holder)].get<double>() / latency_us;
        wait.total += share;
        wait.host += holder == "host" ? share : 0.0;
        wait.map += holder == "map" ? share : 0.0;
        wait.gc += holder == "gc" ? share : 0.0;
    }
    return wait;
}

}  // namespace solidtlm::testbench
