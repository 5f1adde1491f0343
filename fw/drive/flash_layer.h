// SPDX-License-Identifier: Apache-2.0
//
// Flash on top of flash: the rest of the firmware sees what the layer makes of the flash below.
#pragma once

#include "fw/hal/flash.h"

namespace solidtlm::fw {

/// By default it looks like the flash below, which must outlive it.
class FlashLayer : public hal::Flash {
  public:
    explicit FlashLayer(hal::Flash& below) : below_(&below) {}

    [[nodiscard]] std::uint32_t pending(hal::Channel channel, hal::Die die) const override {
        return below_->pending(channel, die);
    }
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& block) const override {
        return below_->factory_bad(block);
    }
    [[nodiscard]] bool all_good() const override { return below_->all_good(); }

    /// Switches to other hardware that drives the same flash array.
    void move_to(hal::Flash& below) { below_ = &below; }

  protected:
    [[nodiscard]] hal::Flash& below() const { return *below_; }

  private:
    hal::Flash* below_;
};

}  // namespace solidtlm::fw
