// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd.h"

#include <algorithm>
#include <stdexcept>

#include "fw/hal/check.h"
#include "fw/needs.h"
#include "platform/flash_times.h"
#include "platform/lay_down_rules.h"

namespace solidtlm::platform {
namespace {

/// Adds what the firmware must know about the flash besides its layout.
Configuration with_flash_facts(Configuration configuration) {
    configuration.firmware.map_cache.times = flash_times(configuration);
    configuration.firmware.reliability.prior_cycles = configuration.nand.faults.cycles;
    return configuration;
}

/// Adds how much the blocks must be able to hold for what the firmware has outstanding at most.
Configuration with_limits(Configuration configuration) {
    const fw::FirmwareConfig& firmware = configuration.firmware;
    const std::size_t operations = fw::most_flash_operations(firmware, fw::media_layout(firmware));
    configuration.core.most_operations = configuration.nand.most_operations = operations;
    // Each access moves at least a sector of a page; parity is the sum of the pages of the other dies.
    const hw::NandGeometry& flash = configuration.nand.geometry;
    const std::size_t pages = std::size_t{flash.planes} * firmware.flash.pages_per_program *
                              (std::max(2U, firmware.reliability.parity_dies) - 1);
    configuration.nand.most_accesses = operations * pages * (flash.page_bytes / hal::kSectorBytes);
    constexpr std::size_t kOthers = 3;  // device, hash unit and core wait for one access at a time
    configuration.dram.most_requests = configuration.nand.most_accesses + kOthers;
    return configuration;
}

std::unique_ptr<FrontEnd> make_front_end(const Configuration& configuration, hw::ProtocolCheckers& checkers) {
    if (configuration.has_nvme()) {
        return std::make_unique<NvmeFrontEnd>(configuration, checkers);
    }
    return std::make_unique<SataFrontEnd>(configuration, checkers);
}

}  // namespace

Ssd::Ssd(const sc_core::sc_module_name& name, const Configuration& configuration, ProtocolChecks checks,
         const hw::DieBinding& bind_die)
    : AgendaModule(name),
      configuration_(with_limits(with_flash_facts(configuration))),
      checkers_(checks == ProtocolChecks::on),
      front_end_(make_front_end(configuration_, checkers_)),
      dram("dram", configuration_.dram, configuration_.nand.geometry.channels),
      hash("hash", configuration_.hash),
      core("core", configuration_.core, configuration_.dram, configuration_.nand.geometry.channels,
           configuration_.nand.geometry.dies) {
    SOLIDTLM_CHECK(sc_core::sc_get_time_resolution() == sc_core::sc_time(1.0, sc_core::SC_PS),
                   "the kernel counts picoseconds");
    for (std::uint16_t i = 0; i < configuration.nand.geometry.channels; ++i) {
        const std::string channel_name = "channel_" + std::to_string(i);
        channels_.push_back(std::make_unique<hw::NandChannel>(channel_name.c_str(), configuration_.nand,
                                                              hal::Channel{i}, bind_die));
    }
    agenda().set_quantum(configuration_.run_ahead);
    bind_blocks();
    if (configuration_.nand.bad_blocks.factory_fraction > 0) {
        core.set_factory_bad([this](const hal::FlashAddress& block) {
            return hw::factory_bad(configuration_.nand.bad_blocks, block);
        });
    }
    if (!fw::Firmware::fits_on(configuration_.firmware, core)) {
        throw ConfigurationError({ConfigurationIssue{
            "built-in", 0, "nand.bad_blocks",
            "the factory-bad blocks that this seed draws leave too few good ones for the exported capacity; "
            "allowed: "
            "a smaller nand.bad_blocks.factory_fraction, more over-provisioning, or another seed"}});
    }
}

void Ssd::bind_blocks() {
    join_dram(front_end_->dram_init(), dram.host_target, dram.port(hal::DramPort::host));
    join_dram(hash.dram_init, dram.hash_target, dram.port(hal::DramPort::hash));
    join_dram(core.dram_init, dram.core_target, dram.port(hal::DramPort::core));
    for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        core.flash_init[i].bind(channels_[i]->controller.core_target);
        join_dram(channels_[i]->controller.dram_init, dram.flash_target[i],
                  dram.port(hal::DramPort::flash, i));
    }
}

hw::UntimedStatistics Ssd::age(hw::UntimedFeed& feed, fw::AgedFlash* laid) {
    SOLIDTLM_CHECK(!sc_core::sc_start_of_simulation_invoked() && !firmware_,
                   "a drive is aged once, before it runs");
    SOLIDTLM_CHECK(laid == nullptr || !why_not_laid_down(configuration_), "the drive can be laid down");
    return run_untimed(laid == nullptr ? fw::Boot::factory : fw::Boot::laid, {}, feed, nullptr, laid);
}

hw::UntimedStatistics Ssd::run_untimed(fw::Boot how, hal::Completion ready, hw::UntimedFeed& feed,
                                       hal::StateArchive* saved, fw::AgedFlash* laid) {
    hw::UntimedHardware instant(configuration_.nand, arrays(), dram.content(hal::DramAddress{0}),
                                configuration_.dram.size_bytes);
    const fw::Hardware timeless{instant, instant, instant, instant, nullptr, &pages_, &instant, true};
    firmware_ = std::make_unique<fw::Firmware>(configuration_.firmware, timeless, how);
    firmware_->on_ready(ready);
    if (saved != nullptr) {
        firmware_->serialize(*saved);
    }
    if (laid != nullptr) {
        firmware_->lay_down(*laid, instant);
    }
    instant.run(*firmware_, feed);
    if (!firmware_->at_rest()) {
        std::string text = "the firmware has not come to rest without time";
        for (const std::string& wait : firmware_->waits()) {
            text += "\n" + wait;
        }
        throw std::logic_error(text);
    }
    firmware_->reset_counters();
    for (hw::NandArray* array : arrays()) {
        if (array->faults() != nullptr) {
            array->faults()->reset_statistics();
        }
    }
    firmware_->move_to(timed_hardware());
    return instant.statistics();
}

std::vector<hw::NandArray*> Ssd::arrays() const {
    std::vector<hw::NandArray*> arrays;
    for (const auto& channel : channels_) {
        for (std::size_t die = 0; die < channel->dies(); ++die) {
            arrays.push_back(&channel->array(hal::Die{static_cast<std::uint16_t>(die)}));
        }
    }
    return arrays;
}

fw::Hardware Ssd::timed_hardware() {
    return {core, core, core, front_end_->host(), probe_, &pages_, &hash};
}

void Ssd::set_probe(hal::Probe* probe) {
    probe_ = probe;
    if (firmware_) {  // the drive was aged
        firmware_->move_to(timed_hardware());
    }
    front_end_->set_probe(probe);
    dram.set_probe(probe);
    core.set_probe(probe);
    for (const auto& channel : channels_) {
        channel->controller.set_probe(probe);
    }
}

/// The hardware forgets first, so that it cannot call a completion of a destroyed firmware.
hw::CapacitorUse Ssd::power_cut() {
    SOLIDTLM_CHECK(powered() && firmware_->recoverable(),
                   "the drive has power, and its firmware is recoverable");
    core.power_cut();
    front_end_->power_cut();
    hash.power_cut();
    hw::CapacitorFlash flash(configuration_.nand, channels_);
    if (configuration_.firmware.word_lines.protect == fw::WordLineProtection::capacitor) {
        flash.finish_programs();
    }
    for (const auto& channel : channels_) {
        channel->power_cut();
    }
    firmware_->save(flash);
    dram.power_cut();
    checkers_.power_cut();
    firmware_.reset();
    off_since_ = hw::now();
    return flash.use();
}

void Ssd::power_on(hal::Completion ready) {
    SOLIDTLM_CHECK(!powered(), "the drive has no power");
    off_time_ += hw::now() - off_since_;
    off_since_ = hal::Ps{-1};
    boot(ready);
    front_end_->power_on();
}

/// Boots a firmware that finds its state on flash.
void Ssd::boot(hal::Completion ready) {
    firmware_ = std::make_unique<fw::Firmware>(configuration_.firmware, timed_hardware(), fw::Boot::scan);
    firmware_->on_ready(ready);
    core.load(*firmware_);
}

void Ssd::start_of_simulation() {
    if (loaded_) {
        boot(*loaded_);
        return;
    }
    if (!firmware_) {
        firmware_ = std::make_unique<fw::Firmware>(configuration_.firmware, timed_hardware());
    }
    core.load(*firmware_);
}

}  // namespace solidtlm::platform
