// SPDX-License-Identifier: Apache-2.0
//
// Values drawn at random from what a key allows, as its words say it (kinds.h): for tests that try what
// nobody would write down.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "platform/kinds.h"

namespace solidtlm::platform {

/// Narrower limits than the key's own, written as its values are; empty: the key's own.
struct DrawBounds {
    std::string_view low;
    std::string_view high;
};

/// Whether plausible_value() knows what is allowed: names, or a range; not free text.
[[nodiscard]] bool can_draw(const Allowed& allowed);

/// The limits themselves and their neighbours more often than others, small values more often than large
/// ones, powers of two more often than others. As a TOML literal, which `--set` takes, too. Not every value
/// is legal: rules between keys, and what a kind demands beyond its range, are for whoever reads it.
/// REQUIRES: can_draw(allowed).
[[nodiscard]] std::string plausible_value(const Allowed& allowed, std::mt19937_64& random,
                                          const DrawBounds& bounds = {});

/// What a key allows ("integer from 1 to 64"), cut into words.
[[nodiscard]] std::vector<std::string> words(std::string range);

}  // namespace solidtlm::platform
