// SPDX-License-Identifier: Apache-2.0
//
// Entries of `[run]` in a run file, which are `parameters` in a result: everything that was asked for apart
// from the configuration, by the names of the options.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "platform/kinds.h"

namespace solidtlm::testbench {

struct RunEntry {
    std::string key;  ///< "queue_depth"
    platform::ValueType type = platform::ValueType::text;
    bool list = false;
    std::vector<std::string> values;  ///< not empty; one, unless it is a list

    [[nodiscard]] bool operator==(const RunEntry&) const = default;
};
using RunEntries = std::vector<RunEntry>;

[[nodiscard]] nlohmann::ordered_json to_json(const RunEntries& entries);
/// A text as a value.
[[nodiscard]] std::string in_toml(const std::string& text);
/// Under the heading `[run]`; empty: there are none.
[[nodiscard]] std::string to_toml(const RunEntries& entries);

}  // namespace solidtlm::testbench
