// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fw/hal/completion.h"
#include "fw/hal/ledger.h"
#include "fw/hal/types.h"

namespace solidtlm::hal {

enum class HashFunction : std::uint8_t { crc32, md5 };

/// A request to the hash unit: `bytes` (a multiple of 512) of DRAM content. The caller owns it and keeps it
/// unchanged until `done`.
struct HashJob {
    HashFunction function = HashFunction::crc32;
    DramAddress source;
    std::uint32_t bytes = 4096;
    Cause cause = Cause::dedup;
    bool priority = false;  ///< for a host command: overtakes waiting jobs without priority
    Ledger* ledger = nullptr;
    std::array<std::byte, 16> digest{};  ///< crc32: the first four bytes, little endian
    Completion done;
};

class Hash {
  public:
    virtual ~Hash() = default;
    virtual void submit(HashJob& job) = 0;
};

}  // namespace solidtlm::hal
