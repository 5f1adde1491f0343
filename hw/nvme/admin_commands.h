// SPDX-License-Identifier: Apache-2.0
//
// Admin commands: checks their fields, carries out what concerns the controller alone, and says what else
// they want.
#pragma once

#include <functional>

#include "hw/nvme/config.h"
#include "hw/nvme/events.h"
#include "hw/nvme/features.h"
#include "hw/nvme/logs.h"
#include "hw/nvme/queues.h"
#include "hw/nvme/slot.h"

namespace solidtlm::hw::nvme {

/// What admin commands read and change.
struct ControllerState {
    explicit ControllerState(const NvmeConfig& config)
        : features(config), queues(config.queues, config.command_slots + kAdminSlots) {}
    Features features;
    Queues queues;
    Events events;
    ErrorLog errors;
    bool weighted = false;  ///< CC.AMS: weighted round robin
};

class AdminCommands {
  public:
    /// `time` is now; `abort` ends a command that waits for an event.
    struct Services {
        std::function<hal::Ps()> time;
        std::function<bool(std::uint16_t queue, std::uint16_t id)> abort;
    };
    AdminCommands(const NvmeConfig& config, ControllerState& state, Services services)
        : config_(config), state_(state), services_(std::move(services)) {}

    /// Sets what `slot` wants next.
    void begin(Slot& slot);
    /// The data that it wanted have come: the timestamp.
    void received(Slot& slot);
    /// Firmware has filled in slot.report: the SMART log page is ready to be sent.
    void reported(Slot& slot);

  private:
    void create_sq(Slot& slot);
    void create_cq(Slot& slot);
    void delete_sq(Slot& slot);
    void delete_cq(Slot& slot);
    void identify(Slot& slot);
    void get_log_page(Slot& slot);
    void get_features(Slot& slot);
    void set_features(Slot& slot);
    /// Copies the part of a log page that was asked for into slot.data.
    static void fill(Slot& slot, std::span<const std::byte> page);

    const NvmeConfig config_;
    ControllerState& state_;
    Services services_;
};

}  // namespace solidtlm::hw::nvme
