// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace solidtlm::platform {

/// What is wrong in a line that is not TOML, if it is the most frequent mistake: a value without quotes, or
/// without the closing one. Otherwise what the parser `said`. Lines count from 1.
[[nodiscard]] std::string toml_mistake(std::string_view toml, std::size_t line, std::string_view said);

/// The name of another kind of file that a text is, by its beginning or by lines that only such files have;
/// empty: none that is known.
[[nodiscard]] std::string foreign_format(std::string_view text);

}  // namespace solidtlm::platform
