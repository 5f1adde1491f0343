// SPDX-License-Identifier: Apache-2.0
//
// Where a test finds the project's files.
#pragma once

#include <string>
#include <string_view>

namespace solidtlm {

/// Path of a file or folder of the sources, relative to their root: source_path("traces/sample.nbd.xz").
std::string source_path(std::string_view below);

/// Path of another executable of this build: built_path("tb_replay").
std::string built_path(std::string_view executable);

}  // namespace solidtlm
