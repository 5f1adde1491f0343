// SPDX-License-Identifier: Apache-2.0
//
// Keys of the write buffer.
#pragma once

#include <cstdint>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

using hal::Ps;

enum class WriteCachePolicy : std::uint8_t { write_back, write_through };
/// Whether a write takes buffer slots as soon as there are any, or at the rate at which the buffer drains.
enum class WriteAdmission : std::uint8_t { burst, even };

struct WriteBufferConfig {
    SOLIDTLM_KEYS(WriteBufferConfig);
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 16ULL << 20, key.size(512, 1024 * hal::kGiB),
                    "Write buffer in DRAM; at least one superpage and one write segment.");
    SOLIDTLM_KEY(WriteCachePolicy, policy, WriteCachePolicy::write_back,
                 key.enumerator({"write_back", "write_through"}),
                 "write_back: a write completes in the buffer; write_through: in flash.");
    SOLIDTLM_KEY(WriteAdmission, admission, WriteAdmission::burst, key.enumerator({"burst", "even"}),
                 "burst: writes enter the buffer when it has room; even: at the rate at which it drains, if "
                 "the buffer is larger than what flash takes at once.");
    SOLIDTLM_KEY(Ps, idle_flush, 0, key.duration(Ps{0}, 3'600s),
                 "Write a partly filled superpage after this much idle time; 0s: never.");
};

}  // namespace solidtlm::fw
