// SPDX-License-Identifier: Apache-2.0
//
// The text form of a benchmark on a file system: "postmark,files=2000,transactions=20k,discard=batched".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "testbench/sim/load/fs/config.h"

namespace solidtlm::testbench::fs {

/// Whether the pattern is one of these benchmarks.
[[nodiscard]] bool is_fs_workload(std::string_view spec);

/// Throws InputError that lists all mistakes. The file system covers the device (`device_sectors`) unless the
/// text says otherwise; `option` is the option that has the text, for messages. REQUIRES:
/// is_fs_workload(spec).
[[nodiscard]] FsWorkloadConfig parse_fs_workload(std::string_view spec, std::uint64_t device_sectors,
                                                 std::string_view option = "--workload");

/// One line per key, for --help.
[[nodiscard]] std::string fs_workload_help();

}  // namespace solidtlm::testbench::fs
