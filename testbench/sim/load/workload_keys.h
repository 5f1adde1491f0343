// SPDX-License-Identifier: Apache-2.0
//
// The keys in the text form of a workload, and the patterns that accept them.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/sim/load/pattern.h"
#include "testbench/sim/load/spec_items.h"

namespace solidtlm::testbench {

/// A workload while its keys are being read.
struct ParsedWorkload {
    WorkloadConfig config;
    std::uint64_t device_sectors = 0;
};

/// The patterns that accept a key, in addition to those that name it (PatternTraits::keys).
enum class KeyScope : std::uint8_t { all, plain, published, named };

struct WorkloadKey : platform::Key<ParsedWorkload> {
    KeyScope scope;
};

[[nodiscard]] const std::vector<WorkloadKey>& workload_keys();
[[nodiscard]] bool knows(const Pattern& pattern, const WorkloadKey& key);

/// Benchmarks on a file system, which read their keys themselves (fs/fs_workload_spec.h).
[[nodiscard]] platform::Names filesystem_patterns();

/// A scale; 0 stands for the scale that fits the device.
[[nodiscard]] platform::Kind<double> scale_kind();

}  // namespace solidtlm::testbench
