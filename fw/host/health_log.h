// SPDX-License-Identifier: Apache-2.0
//
// Keeps the counts for SMART data and the Device Statistics log (docs/reliability.md). They are in DRAM and
// start at 0 after a loss of power; erase counts come back with the media scan.
#pragma once

#include "fw/drive/services.h"
#include "fw/hal/health.h"
#include "fw/hal/host.h"
#include "fw/hal/state_archive.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

class HealthLog {
  public:
    /// Power comes on for the first time. `spare_superblocks`: of each parallel unit, those that could be
    /// lost and the exported capacity would still fit.
    HealthLog(const Services& services, const Translation& translation, std::uint32_t spare_superblocks);

    /// Power was lost, and with it the earlier counts.
    void power_came_back() { counts_.power_on_resets.reset(); }
    /// Counts a command that ends with this status.
    void ended(const hal::HostCommand& command, hal::HostStatus status);
    [[nodiscard]] hal::HealthReport report() const;

    void serialize(hal::StateArchive& archive);

  private:
    const Services& services_;
    const Translation& translation_;
    std::uint32_t spare_superblocks_;
    Ps power_on_;
    hal::HealthReport counts_;
};

}  // namespace solidtlm::fw
