// SPDX-License-Identifier: Apache-2.0
//
// The parts of the tar format (POSIX.1-1988 ustar) that traces use.
#pragma once

#include <cstddef>
#include <string_view>

namespace solidtlm::testbench {

constexpr std::size_t kTarBlock = 512;  ///< bytes of a header; files are padded to a multiple of it

/// Whether `bytes` begin with the header of a file.
[[nodiscard]] inline bool is_tar_header(std::string_view bytes) {
    constexpr std::size_t kMagicAt = 257;
    return bytes.size() >= kTarBlock && bytes.substr(kMagicAt, 5) == "ustar";
}

}  // namespace solidtlm::testbench
