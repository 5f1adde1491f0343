// SPDX-License-Identifier: Apache-2.0
//
// For tests: random values that a key allows according to its Allowed (kinds.h), also those that no user
// would write.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include "platform/kinds.h"

namespace solidtlm::platform {

/// Narrower limits than the key's own, written as its values are; empty: the key's own.
struct DrawBounds {
    std::string_view low;
    std::string_view high;
};

/// Whether plausible_value() knows what is allowed: names, or a range; not free text.
[[nodiscard]] bool can_draw(const Allowed& allowed);

/// Draws limits and their neighbours, small values and powers of two more often than others. Returns a TOML
/// literal, which `--set` takes, too. The value may still be illegal: rules between keys, and what a kind
/// demands beyond its range, are left to the reader of the configuration.
/// REQUIRES: can_draw(allowed).
[[nodiscard]] std::string plausible_value(const Allowed& allowed, std::mt19937_64& random,
                                          const DrawBounds& bounds = {});

}  // namespace solidtlm::platform
