// SPDX-License-Identifier: Apache-2.0
//
// The keys of a workload's text form, one table: name, which patterns know it, what is allowed, how it is
// read.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "testbench/workload/pattern.h"

namespace solidtlm::testbench {

/// Benchmarks on a file system, which read their keys themselves (fs/fs_workload_spec.h).
inline constexpr std::array<std::string_view, 2> kFilesystemPatternNames{"postmark", "filebench_delete"};
inline constexpr std::string_view kScaleOfDevice = "device";

/// A workload while its keys are read.
struct ParsedWorkload {
    WorkloadConfig config;
    std::uint64_t device_sectors = 0;
    bool has_align = false;
    bool has_arrival = false;
};

/// Patterns that know a key; besides, those that name it (PatternTraits::keys).
enum class KeyScope : std::uint8_t { all, plain, published, named };

struct WorkloadKey {
    std::string_view name;
    KeyScope scope;
    std::string_view expected;
    std::string_view help;
    bool (*set)(std::string_view value, ParsedWorkload& parsed);
};

[[nodiscard]] std::span<const WorkloadKey> workload_keys();
[[nodiscard]] bool knows(const Pattern& pattern, const WorkloadKey& key);

/// Takes the value that the text names, if it does.
template <std::size_t N, class Enum>
[[nodiscard]] bool keep_name(std::string_view text, const std::array<std::string_view, N>& names,
                             Enum& target) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) {
        target = static_cast<Enum>(found - names.begin());
    }
    return found != names.end();
}

}  // namespace solidtlm::testbench
