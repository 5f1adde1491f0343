// SPDX-License-Identifier: Apache-2.0
//
// Results of earlier runs: --rerun, and --compare-result.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "testbench/programs/cli/option_set.h"
#include "testbench/show/result.h"
#include "testbench/show/terminal.h"

namespace solidtlm::testbench {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct SavedResult {
    std::string file;
    Json document;
};

/// Null if no file is named. Reports an error if the file is not a result, or if another executable wrote it.
[[nodiscard]] std::shared_ptr<const SavedResult> read_saved_result(const std::string& option,
                                                                   const std::filesystem::path& file,
                                                                   const std::string& program,
                                                                   Errors& errors);

/// "FILE is of 0.1.0, this is 0.2.0"; empty if both have the same version.
[[nodiscard]] std::string version_note(const SavedResult& saved);

/// The differences between two results, except wall times and versions: "host.iops: found 12, saved 13".
/// Empty if there are none.
[[nodiscard]] Errors differences(const Json& saved, const Json& found);

/// For --rerun: reports the differences or, unless `quiet`, prints that the result is the same. Returns
/// whether it is.
[[nodiscard]] bool same_again(const SavedResult& saved, const Json& result, bool quiet);

/// For --compare-result: both results side by side, and the inputs that differ.
[[nodiscard]] std::string beside(const SavedResult& saved, const Json& result, const TextStyle& style);

}  // namespace solidtlm::testbench
