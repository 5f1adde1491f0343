// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::hal {

/// The DRAM buffer as the firmware core sees it.
class Dram {
  public:
    virtual ~Dram() = default;

    struct Access {
        Ps wait;      ///< until the DRAM served the core
        Ps transfer;  ///< row activation and burst
    };
    /// The core loads or stores `bytes` at `address`, beginning `offset` after the current instant. The core
    /// stalls for wait + transfer; the executor adds that to the running slice.
    Access core_access(DramAddress address, std::uint32_t bytes, bool write, Ps offset) {
        return core_accesses(address, bytes, 1, write, offset);
    }
    /// `count` accesses, each after and next to the one before. Returns their sums.
    virtual Access core_accesses(DramAddress address, std::uint32_t bytes, std::uint32_t count, bool write,
                                 Ps offset) = 0;

    /// Content of the sector at `address` (a multiple of 512): content_stride() bytes, followed by the next
    /// sector's. Null if the content mode is none. Costs no time: no data moves.
    virtual std::byte* content(DramAddress address) = 0;

    [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
};

}  // namespace solidtlm::hal
