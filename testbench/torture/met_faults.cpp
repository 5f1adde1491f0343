// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/met_faults.h"

#include <algorithm>

#include "hw/sata/ata.h"
#include "hw/tlm/time.h"
#include "platform/ssd.h"

namespace solidtlm::testbench {

namespace ata = hw::ata;

void MetFaults::completed(Command& command) {
    if (command.ata_status == 0) {
        return;
    }
    ++(command.status == CommandStatus::ok              ? ok_
       : (command.ata_error & ata::kUncorrectable) != 0 ? uncorrectable_
       : (command.ata_status & ata::kDeviceFault) != 0  ? write_faults_
                                                        : other_);
}

void MetFaults::finished() {
    const auto& script = ssd_->configuration().nand.faults.script.faults;
    dead_ = static_cast<std::uint64_t>(std::ranges::count_if(script, [](const hw::ScriptedFault& fault) {
        using Kind = hw::ScriptedFault::Kind;
        return (fault.kind == Kind::plane || fault.kind == Kind::die) && fault.at <= hw::now();
    }));
    read_only_ = ssd_->powered() && ssd_->firmware().translation().read_only();
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
    return faults;
}

}  // namespace solidtlm::testbench
