// SPDX-License-Identifier: Apache-2.0
//
// The flash array as firmware sees it while a capacitor lasts: power is lost, all operations under way have
// stopped, and a few more pages can be programmed. The model's work for this takes no simulated time.
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
