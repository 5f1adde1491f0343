// SPDX-License-Identifier: Apache-2.0
//
// The flash array after power was lost, on the energy of a capacitor. Programs under way may end, which takes
// each die the rest of its time. Further programs go straight into the dies' arrays, and their times are
// added up: programs of one die follow each other, and so do transfers of one channel; everything else
// overlaps.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fw/hal/emergency_flash.h"
#include "hw/nand/channel.h"
#include "hw/nand/timing.h"

namespace solidtlm::hw {

class CapacitorFlash : public hal::EmergencyFlash {
  public:
    CapacitorFlash(const NandConfig& config, std::span<const std::unique_ptr<NandChannel>> channels);

    /// Called first, before the dies lose power: ends the programs under way.
    void finish_programs();
    [[nodiscard]] bool erased(const hal::FlashAddress& page) const override;
    bool program(const hal::FlashAddress& page, std::span<const std::byte> spare) override;

    [[nodiscard]] const CapacitorUse& use() const { return use_; }

  private:
    [[nodiscard]] NandArray& array(const hal::FlashAddress& page) const {
        return channels_[page.channel.value]->array(page.die);
    }

    const NandConfig& config_;
    std::span<const std::unique_ptr<NandChannel>> channels_;
    hal::Ps transfer_;               // time of a page
    std::vector<hal::Ps> bus_free_;  // by channel: time since power was lost
    std::vector<hal::Ps> die_free_;
    CapacitorUse use_;
};

}  // namespace solidtlm::hw
