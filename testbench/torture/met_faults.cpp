// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/met_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "fw/longest_turn.h"
#include "fw/needs.h"
#include "hw/tlm/time.h"
#include "platform/ssd.h"
#include "testbench/sim/host/failure_kind.h"

namespace solidtlm::testbench {

void MetFaults::built(const BuiltDrive& drive) {
    ssd_ = &drive.ssd;
    if (ssd_->powered()) {
        erases_before_ = ssd_->firmware().translation().wear().erases;
    }
}

void MetFaults::completed(Command& command) {
    if (command.status == CommandStatus::ok) {
        ++ok_;
        return;
    }
    switch (command.failure) {
        case FailureKind::power_lost:
            return;
        case FailureKind::uncorrectable:
            ++uncorrectable_;
            return;
        case FailureKind::write_fault:
            ++write_faults_;
            return;
        case FailureKind::id_not_found:
        case FailureKind::aborted:
            ++other_;
    }
}

void MetFaults::finished() {
    const auto& script = ssd_->configuration().nand.faults.script.faults;
    dead_ = static_cast<std::uint64_t>(std::ranges::count_if(script, [](const hw::ScriptedFault& fault) {
        using Kind = hw::ScriptedFault::Kind;
        return (fault.kind == Kind::plane || fault.kind == Kind::die) && fault.at <= hw::now();
    }));
    longest_turn_ = ssd_->core.statistics().longest_turn;
    read_only_ = ssd_->powered() && ssd_->firmware().translation().read_only();
    if (erases_before_ && ssd_->powered() && ssd_->firmware().translation().at_rest()) {
        compare_erases();
    }
}

/// Compares erases of the flash for data: SMART and wear levelling rely on the firmware's count.
void MetFaults::compare_erases() {
    const platform::Configuration& configuration = ssd_->configuration();
    std::uint64_t erased = 0;  // erases, one per plane
    for (std::size_t i = 0; i < ssd_->channels(); ++i) {
        const hw::FlashControllerStatistics statistics = ssd_->channel(i).controller.statistics();
        for (const hal::Cause cause : {hal::Cause::gc, hal::Cause::wear, hal::Cause::merge}) {
            erased += statistics.erases.at(static_cast<std::size_t>(cause));
        }
    }
    const hw::NandGeometry& nand = configuration.nand.geometry;
    const std::uint64_t planes = std::uint64_t{nand.total_dies()} * nand.planes;
    const std::uint64_t counted = ssd_->firmware().translation().wear().erases - *erases_before_;
    const std::uint64_t pus = fw::media_layout(configuration.firmware).pus();
    if (counted * (planes / pus) != erased) {
        miscounted_ = fmt::format("the firmware counts {} erases of {} planes each, the flash {} of a plane",
                                  counted, planes / pus, erased);
    }
}

std::string MetFaults::kept_core(const platform::Configuration& configuration, bool marks) const {
    const fw::FirmwareConfig& firmware = configuration.firmware;
    const auto cycles =
        static_cast<double>(fw::longest_turn_cycles(firmware, fw::media_layout(firmware), marks));
    const double most_us = cycles / configuration.core.frequency_mhz;
    const double us = static_cast<double>(longest_turn_.count()) / 1e6;
    constexpr double kRounding = 1e-6;  // a period need not be whole picoseconds
    return us <= most_us + kRounding
               ? std::string()
               : fmt::format("a coroutine kept the core for {} us while others were ready, longer than {} us",
                             us, most_us);
}

Json MetFaults::endings() const {
    return {
        {"ok", ok_}, {"uncorrectable", uncorrectable_}, {"write fault", write_faults_}, {"refused", other_}};
}

Json MetFaults::faults(const Json& result) const {
    Json faults{{"dies and planes dead", dead_}, {"drives read-only", read_only_ ? 1 : 0}};
    const auto count = [&faults](const Json& section, const char* metric, const char* name) {
        if (section.contains(metric)) {
            faults[name] = section[metric];
        }
    };
    const Json& hardware = result.at("hardware");
    count(hardware, "flash.faults.program_failures", "programs failed");
    count(hardware, "flash.faults.erase_failures", "erases failed");
    count(hardware, "flash.faults.failed_codewords", "codewords not corrected");
    count(hardware, "flash.retries.reads", "reads tried again");
    count(hardware, "flash.retries.recovered", "of these corrected");
    const Json& firmware = result.at("firmware");
    count(firmware, "parity.rebuilt_pages", "pages rebuilt by parity");
    count(firmware, "parity.lost_pages", "pages not rebuilt");
    count(firmware, "slc_cache.folded_units", "units folded");
    count(firmware, "slc_cache.long_units", "units of long writes past the SLC cache");
    return faults;
}

}  // namespace solidtlm::testbench
