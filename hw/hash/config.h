// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// Time of the hash unit for 4 KiB; other sizes in proportion (study C: CRC32 13 us, MD5 100 us).
struct HashConfig {
    SOLIDTLM_KEYS(HashConfig);
    SOLIDTLM_KEY(hal::Ps, crc32_per_4k, 13'000'000, key.duration(Ps{0}, 1s),
                 "CRC32 of 4 KiB in the hash unit; other sizes in proportion.");
    SOLIDTLM_KEY(hal::Ps, md5_per_4k, 100'000'000, key.duration(Ps{0}, 1s),
                 "MD5 of 4 KiB in the hash unit; other sizes in proportion.");
    hal::ContentMode content = hal::ContentMode::tags;
};

}  // namespace solidtlm::hw
