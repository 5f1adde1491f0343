// SPDX-License-Identifier: Apache-2.0
//
// What an NVMe controller needs of the world: host memory, firmware, interrupts, time. A module with sockets
// implements it, and so does a test with an array.
#pragma once

#include "hw/nvme/slot.h"

namespace solidtlm::hw::nvme {

class Surroundings {
  public:
    virtual ~Surroundings() = default;
    // None of these may call the controller back at once.

    /// Moves bytes; then calls Controller::ended(). What is asked for first is visible first.
    virtual void start(Access& access) = 0;
    /// Hands a command to firmware; its data lie at slot.pages. Then Controller::completed().
    virtual void submit(Slot& slot) = 0;
    /// Sends a message of MSI-X, behind all accesses that were asked for before.
    virtual void message(std::uint64_t address, Word data) = 0;
    /// Level of the interrupt pin; told when it changes.
    virtual void pin(bool level) = 0;
    /// Calls Controller::alarm() at `at`, unless it was asked for another time meanwhile.
    virtual void wake(hal::Ps at) = 0;
    [[nodiscard]] virtual hal::Ps time() const = 0;
};

}  // namespace solidtlm::hw::nvme
