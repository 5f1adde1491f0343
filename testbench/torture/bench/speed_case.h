// SPDX-License-Identifier: Apache-2.0
//
// The cases of bench_speed: devices, workloads, and how to run one of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/sim/simulation.h"

namespace solidtlm::testbench {

struct SpeedCase {
    std::string name;                    ///< device/workload
    std::vector<std::string> settings;   ///< "key=value" of the device, on top of the configuration
    std::string workload;                ///< without the number of requests
    Preconditioning precondition;        ///< steady state for random writes, otherwise full
    std::uint64_t request_bytes = 4096;  ///< size of every request
};

/// Every case, in the order of the table. Devices: as configured ("default"), and with small pages (planes of
/// 1024 blocks of 256 pages of 4 KiB). Workloads: random reads and writes of 4 KiB, sequential ones of 128
/// KiB.
[[nodiscard]] const std::vector<SpeedCase>& speed_cases();

/// The configuration of a case on top of `base`. Throws ConfigurationError.
[[nodiscard]] platform::Configuration configuration_of(const SpeedCase& speed_case,
                                                       const platform::Configuration& base);

/// A case of 128 KiB requests has fewer of them than one of 4 KiB requests, so both take about as long.
[[nodiscard]] std::uint64_t requests_of(const SpeedCase& speed_case, std::uint64_t requests);

/// One run in this process: `requests` requests are measured, after a tenth of that number as warm-up. The
/// result is an object with the simulation's own `result` and with `sample`: `requests`, `wall_s`, `cpu_s`,
/// `simulated_s`, `entries` by module and `kernel_events`. Throws ConfigurationError.
[[nodiscard]] SimulationOutcome run_speed_case(const SpeedCase& speed_case,
                                               const platform::Configuration& base, std::uint64_t requests);

/// `writes` random writes of 4 KiB to a full device: memory in use after a tenth of them and after all of
/// them. The result has `writes` and `resident_bytes` (both). Throws ConfigurationError.
[[nodiscard]] SimulationOutcome run_memory_case(const platform::Configuration& base, std::uint64_t writes);

}  // namespace solidtlm::testbench
