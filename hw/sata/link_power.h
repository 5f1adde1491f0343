// SPDX-License-Identifier: Apache-2.0
//
// Power states of the idle link: Partial and Slumber (Serial ATA 3.x, clause 8), DevSleep (Serial ATA 3.2).
// The host's adapter lets the link sleep while no command is outstanding, as AHCI's aggressive link power
// management does; the time without a frame decides how deeply. The next frame waits until the link is up.
#pragma once

#include <array>
#include <cstdint>

#include "fw/hal/metrics.h"
#include "hw/sata/config.h"

namespace solidtlm::hw {

/// How the link has slept.
struct LinkSleep {
    std::array<hal::Ps, kLinkPowerStates> asleep{};  ///< in each state
    std::uint64_t wakeups = 0;

    void tell(hal::Metrics& metrics) const;
};

class LinkPower {
  public:
    explicit LinkPower(const std::array<LinkPowerState, kLinkPowerStates>& states);

    /// Some state is in use.
    [[nodiscard]] bool any() const { return any_; }
    /// The link, idle since `since`, is wanted at `at`. Returns how long it takes to come up, and counts its
    /// sleep.
    hal::Ps wake(hal::Ps since, hal::Ps at);
    /// Something other than a frame ends the sleep of a link that is idle since `since`.
    void end(hal::Ps since, hal::Ps at) { add_sleep(since, at, slept_); }
    [[nodiscard]] const LinkSleep& slept() const { return slept_; }
    /// slept(), and the sleep of a link that is idle since `since` until `at`.
    [[nodiscard]] LinkSleep slept_until(hal::Ps since, hal::Ps at) const {
        LinkSleep sleep = slept_;
        add_sleep(since, at, sleep);
        return sleep;
    }

  private:
    void add_sleep(hal::Ps since, hal::Ps at, LinkSleep& sleep) const;

    std::array<LinkPowerState, kLinkPowerStates> states_;
    bool any_ = false;
    LinkSleep slept_;
};

}  // namespace solidtlm::hw
