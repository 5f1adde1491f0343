// SPDX-License-Identifier: Apache-2.0
//
// A page of 512 bytes, little endian: a log page, IDENTIFY DEVICE data or SMART data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fw/hal/types.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw {

using LogPage = std::array<std::byte, hal::kSectorBytes>;

/// Writes the low `bytes` bytes of `value` from byte `at` on.
inline void put_bytes(LogPage& page, std::size_t at, std::size_t bytes, std::uint64_t value) {
    put_little_endian(std::span(page).subspan(at, bytes), value);
}

/// Sum of all bytes, modulo 256.
inline std::uint8_t byte_sum(std::span<const std::byte> page) {
    unsigned total = 0;
    for (const std::byte value : page) {
        total += std::to_integer<unsigned>(value);
    }
    return static_cast<std::uint8_t>(total);
}

/// Sets byte 511 so that the sum of all bytes is 0.
inline void put_checksum(LogPage& page) {
    page.back() = std::byte{0};
    page.back() = static_cast<std::byte>(256U - byte_sum(page));
}

}  // namespace solidtlm::hw
