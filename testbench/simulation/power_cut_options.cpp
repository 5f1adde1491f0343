// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/power_cut_options.h"

#include <algorithm>

namespace solidtlm::testbench {

void PowerCutOptions::add_to(OptionSet& options, PowerCuts& cuts) {
    const Kind<Ps> time = kinds::duration(Ps{1});
    options.group("Power cuts");
    at_ = options.list("--power-cut-at", cuts.at, time,
                       "Instants of simulated time at which the drive loses power");
    every_ = options.unset("--power-cut-every", cuts.every, time,
                           "It loses power so long after each time it is ready, until the run ends");
    off_ = options.value("--power-off", cuts.off, time, "It stays without power so long");
}

Errors PowerCutOptions::check_options(PowerCuts& cuts) const {
    std::ranges::sort(cuts.at);
    if (off_->count() > 0 && at_->count() == 0 && every_->count() == 0) {
        return {"--power-off: found without a power cut; allowed: with --power-cut-at or --power-cut-every"};
    }
    return {};
}

Errors PowerCutOptions::check(const platform::Configuration& configuration) const {
    Errors errors;
    for (const CLI::Option* option : {at_, every_}) {
        if (std::string error = power_cut_error(option->get_name(), configuration);
            option->count() > 0 && !error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    return errors;
}

std::string power_cut_error(const std::string& option, const platform::Configuration& configuration) {
    if (configuration.firmware.by_block()) {
        return option + ": found with firmware.translation = \"" +
               std::string(configuration.firmware.translation.name) +
               "\"; allowed: with page_map, because block-mapped layers do not find their state on flash "
               "again";
    }
    if (configuration.host.interface == platform::HostInterface::ahci) {
        return option +
               ": found with host.interface = \"ahci\"; allowed: with link, because an adapter is not told "
               "of power cuts";
    }
    return "";
}

}  // namespace solidtlm::testbench
