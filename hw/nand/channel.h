// SPDX-License-Identifier: Apache-2.0
//
// One channel of the NAND back end: the flash controller and its dies, bound. The platform binds
// controller.core_target and controller.dram_init.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hw/nand/die.h"
#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

/// Binds a controller to a die, with foreign modules between them.
using DieBinding = std::function<void(NandInitiatorSocket& controller, NandTargetSocket<Die>& die)>;

class NandChannel : public sc_core::sc_module {
  public:
    FlashController controller;

    /// `bind_die`: empty if no module stands between the controller and its dies.
    NandChannel(const sc_core::sc_module_name& name, const NandConfig& config, hal::Channel channel,
                const DieBinding& bind_die = {})
        : sc_module(name), controller("controller", config, channel) {
        if (bind_die) {
            controller.set_border();
        }
        for (std::uint16_t i = 0; i < config.geometry.dies; ++i) {
            const std::string die_name = "die_" + std::to_string(i);
            dies_.push_back(std::make_unique<Die>(die_name.c_str(), config, channel, hal::Die{i}));
            if (config.geometry.blocks_of(config.geometry.die_index(channel, hal::Die{i})) > 0) {
                present_.push_back(hal::Die{i});
            }
            if (bind_die) {
                bind_die(controller.die_init[i], dies_.back()->channel_target);
            } else {
                controller.die_init[i].bind(dies_.back()->channel_target);
            }
        }
    }

    [[nodiscard]] Die& die(hal::Die index) { return *dies_[index.value]; }
    [[nodiscard]] const Die& die(hal::Die index) const { return *dies_[index.value]; }
    [[nodiscard]] std::size_t dies() const { return dies_.size(); }
    /// The dies that exist (NandGeometry::die_blocks).
    [[nodiscard]] const std::vector<hal::Die>& present() const { return present_; }
    [[nodiscard]] NandArray& array(hal::Die index) { return dies_[index.value]->array(); }
    [[nodiscard]] const NandArray& array(hal::Die index) const { return dies_[index.value]->array(); }

    /// Reports the effects of the dies' faults, if there are any.
    void tell_faults(hal::Metrics& metrics) const {
        for (const auto& each : dies_) {
            if (const FaultModel* faults = each->array().faults()) {
                faults->statistics().tell(metrics);
            }
        }
    }

    /// Breaches of the rules, of dies and controller together.
    [[nodiscard]] std::uint64_t violations() const {
        std::uint64_t sum = controller.violations().total();
        for (const auto& each : dies_) {
            sum += each->array().violations().total();
        }
        return sum;
    }
    /// Description of the first breach of a die or the controller; empty if there was none.
    [[nodiscard]] std::string first_violation() const {
        for (const auto& each : dies_) {
            if (each->array().violations().total() != 0) {
                return each->array().violations().first();
            }
        }
        return controller.violations().first();
    }

    /// Power is lost now: pages being programmed and blocks being erased are torn, everything else is
    /// forgotten.
    void power_cut() {
        controller.power_cut();
        for (const auto& each : dies_) {
            each->power_cut();
        }
    }

  private:
    std::vector<hal::Die> present_;
    std::vector<std::unique_ptr<Die>> dies_;
};

}  // namespace solidtlm::hw
