// SPDX-License-Identifier: Apache-2.0
//
// The flash array after power was lost, as long as a capacitor lasts. Programs go straight into the dies'
// arrays, and their times are added up: programs of one die follow each other, and so do transfers of one
// channel; everything else overlaps.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fw/hal/emergency_flash.h"
#include "hw/nand/channel.h"
#include "hw/nand/timing.h"

namespace solidtlm::hw {

/// What a capacitor was used for.
struct CapacitorUse {
    std::uint64_t pages = 0;  ///< programmed
    hal::Ps time{0};          ///< that it had to last
};

class CapacitorFlash : public hal::EmergencyFlash {
  public:
    CapacitorFlash(const NandConfig& config, std::span<const std::unique_ptr<NandChannel>> channels);

    [[nodiscard]] bool erased(const hal::FlashAddress& page) const override;
    bool program(const hal::FlashAddress& page, std::span<const std::byte> spare) override;

    [[nodiscard]] const CapacitorUse& use() const { return use_; }

  private:
    [[nodiscard]] NandArray& array(const hal::FlashAddress& page) const {
        return channels_[page.channel.value]->array(page.die);
    }

    const NandConfig& config_;
    std::span<const std::unique_ptr<NandChannel>> channels_;
    hal::Ps transfer_;               // of a page
    std::vector<hal::Ps> bus_free_;  // since power was lost, by channel
    std::vector<hal::Ps> die_free_;
    CapacitorUse use_;
};

}  // namespace solidtlm::hw
