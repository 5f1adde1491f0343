// SPDX-License-Identifier: Apache-2.0
//
// For tests: random values that a key allows according to its Allowed (kinds.h), including values that no
// user would write.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include "platform/kinds.h"

namespace solidtlm::platform {

/// Narrower limits than the key's own, in the syntax of its values; empty: the key's own limits.
struct DrawBounds {
    std::string_view low;
    std::string_view high;
};

/// True if plausible_value() can draw an allowed value: from names or a range, but not free text.
[[nodiscard]] bool can_draw(const Allowed& allowed);

/// Draws limits and their neighbours, small values and powers of two more often than others. Returns a TOML
/// literal, which `--set` accepts, too. The value may still be illegal, because of rules between keys or
/// demands of its kind beyond the range, which the reader of the configuration checks. REQUIRES:
/// can_draw(allowed).
[[nodiscard]] std::string plausible_value(const Allowed& allowed, std::mt19937_64& random,
                                          const DrawBounds& bounds = {});

}  // namespace solidtlm::platform
