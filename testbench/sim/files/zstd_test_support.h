// SPDX-License-Identifier: Apache-2.0
//
// For tests of compressed files.
#pragma once

#include <istream>
#include <iterator>
#include <string>

#include "testbench/sim/files/zstd_stream.h"

namespace solidtlm::testbench {

/// The contents of a zstd frame, up to its end or to the first error.
inline std::string decompressed(const std::string& frame) {
    std::size_t at = 0;
    ZstdInput input([&](std::span<char> room) {
        const std::size_t count = frame.copy(room.data(), room.size(), at);
        at += count;
        return count;
    });
    std::istream stream(&input);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace solidtlm::testbench
