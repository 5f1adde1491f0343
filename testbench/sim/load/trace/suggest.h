// SPDX-License-Identifier: Apache-2.0
//
// A declaration of columns (columns.h) for a table whose heading says in plain words what its columns are,
// such as `time,op,offset,size`. Units that the heading does not name are guessed from the values, so the
// declaration is shown to the user and not taken.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

/// Nothing if the first line of `sample` is no such heading.
[[nodiscard]] std::optional<std::string> suggest_columns(std::string_view sample);

}  // namespace solidtlm::testbench
