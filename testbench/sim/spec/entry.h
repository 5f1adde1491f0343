// SPDX-License-Identifier: Apache-2.0
//
// Entries of `[run]` in a run file, which are also `parameters` in a result: everything the user asked for
// apart from the configuration, under the names of the options.
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
    std::vector<std::string> values;  ///< one value, or several if the option is a list; never empty

    [[nodiscard]] bool operator==(const RunEntry&) const = default;
};
using RunEntries = std::vector<RunEntry>;

[[nodiscard]] nlohmann::ordered_json to_json(const RunEntries& entries);
/// A text as a TOML value.
[[nodiscard]] std::string in_toml(const std::string& text);
/// The entries under the heading `[run]`; an empty string if there are none.
[[nodiscard]] std::string to_toml(const RunEntries& entries);

}  // namespace solidtlm::testbench
