// SPDX-License-Identifier: Apache-2.0
//
// The flash array as firmware sees it while a capacitor lasts: power is lost, everything that was under way
// has stopped, and a few pages more can be programmed. What the model does with this takes no simulated time.
#pragma once

#include <cstddef>
#include <span>

#include "fw/hal/types.h"

namespace solidtlm::hal {

class EmergencyFlash {
  public:
    virtual ~EmergencyFlash() = default;
    /// Can `page` still be programmed? Not where a program was interrupted.
    [[nodiscard]] virtual bool erased(const FlashAddress& page) const = 0;
    /// Programs a page of firmware's own with metadata `spare`; its data area goes to the page store. False:
    /// the program has failed.
    virtual bool program(const FlashAddress& page, std::span<const std::byte> spare) = 0;
};

}  // namespace solidtlm::hal
