// SPDX-License-Identifier: Apache-2.0
//
// The flash array on the energy of a capacitor: power is lost, all operations under way have stopped, and
// firmware can program a few more pages. This takes no simulated time.
#pragma once

#include <cstddef>
#include <span>

#include "fw/hal/types.h"

namespace solidtlm::hal {

class EmergencyFlash {
  public:
    virtual ~EmergencyFlash() = default;
    /// True if `page` can still be programmed. False after an interrupted program.
    [[nodiscard]] virtual bool erased(const FlashAddress& page) const = 0;
    /// Programs one of firmware's own pages with metadata `spare`; its data area goes to the page store.
    /// False if the program has failed.
    virtual bool program(const FlashAddress& page, std::span<const std::byte> spare) = 0;
};

}  // namespace solidtlm::hal
