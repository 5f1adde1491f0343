// SPDX-License-Identifier: Apache-2.0
//
// A run as a file: a configuration, and in `[run]` everything else, under the names of the options
// (docs/command-line.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/spec/spec.h"

namespace solidtlm::testbench {

/// The text that parse_run() reads back. Contains only those keys of the configuration that differ from the
/// preset.
[[nodiscard]] std::string to_toml(const RunSpec& run);

/// `name` is the file's name in messages. Throws platform::ConfigurationError with all mistakes.
[[nodiscard]] RunSpec parse_run(std::string_view toml, std::string_view name);

}  // namespace solidtlm::testbench
