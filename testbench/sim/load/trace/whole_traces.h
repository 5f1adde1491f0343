// SPDX-License-Identifier: Apache-2.0
//
// For tests of whole recordings and public traces, which are not part of the project (traces/README.md).
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

/// A file of the folder that SOLIDTLM_TRACE_FOLDER names; empty without the variable.
inline std::string whole_trace(std::string_view file) {
    const char* folder = std::getenv("SOLIDTLM_TRACE_FOLDER");
    return folder == nullptr ? std::string() : (std::filesystem::path(folder) / file).string();
}

constexpr std::string_view kNoWholeTraces =
    "whole traces are not part of the project; SOLIDTLM_TRACE_FOLDER names a folder with them "
    "(traces/README.md)";

}  // namespace solidtlm::testbench
