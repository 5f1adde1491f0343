// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace solidtlm::hal {

/// FNV-1a with 64 bits, for identifiers made from names. `hash`: of the text before this one.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = 0xCBF29CE484222325) {
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
    }
    return hash;
}

}  // namespace solidtlm::hal
