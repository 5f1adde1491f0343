// SPDX-License-Identifier: Apache-2.0
//
// Numbers as they lie in memory of a host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace solidtlm::hw {

/// The number of all bytes of `bytes`, at most 8, the lowest first.
[[nodiscard]] constexpr std::uint64_t get_little_endian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
    }
    return value;
}

constexpr void put_little_endian(std::span<std::byte> bytes, std::uint64_t value) {
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(value);
        value >>= 8U;
    }
}

}  // namespace solidtlm::hw
