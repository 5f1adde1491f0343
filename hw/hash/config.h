// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/hal/types.h"

namespace solidtlm::hw {

/// Time of the hash unit for 4 KiB; other sizes in proportion (study C: CRC32 13 us, MD5 100 us).
struct HashConfig {
    hal::Ps crc32_per_4k{13'000'000};
    hal::Ps md5_per_4k{100'000'000};
    hal::ContentMode content = hal::ContentMode::tags;
};

}  // namespace solidtlm::hw
