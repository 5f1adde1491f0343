// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of the hash unit: CRC-32 as in ISO-HDLC and zlib (polynomial 04C11DB7h, reflected, initial
// and final value FFFFFFFFh) and MD5 (RFC 1321).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <openssl/evp.h>

#include "fw/hal/hash.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// Computes a digest of data that comes in pieces. Reusable: begin() drops earlier data.
class Digest {
  public:
    using Value = std::array<std::byte, 16>;

    Digest();
    void begin(hal::HashFunction function);
    void add(std::span<const std::byte> data);
    /// The digest: 16 bytes of MD5, or four bytes of CRC-32, little endian, and zeros.
    [[nodiscard]] Value end();
    /// The digest of `bytes` bytes (a multiple of 512) whose content lies at `content`, in a mode other than
    /// none. With tags, the digest of the sectors that the identities expand to.
    [[nodiscard]] Value of(hal::HashFunction function, hal::ContentMode mode, const std::byte* content,
                           std::uint32_t bytes);

  private:
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    hal::HashFunction function_ = hal::HashFunction::crc32;
    std::uint32_t crc_ = 0;
    std::unique_ptr<EVP_MD_CTX, Free> md5_;
};

}  // namespace solidtlm::hw
