// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/power_cut_options.h"

#include <algorithm>

namespace solidtlm::testbench {

void PowerCutOptions::add_to(OptionSet& options, PowerCuts& cuts) {
    const Kind<Ps> time = kinds::duration(Ps{1});
    options.group("Power cuts");
    options.list("--power-cut-at", cuts.at, time,
                 "Instants of simulated time at which the drive loses power");
    options.unset("--power-cut-every", cuts.every, time,
                  "It loses power so long after each time it is ready, until the run ends");
    off_ = options.value("--power-off", cuts.off, time, "It stays without power so long");
}

Errors PowerCutOptions::check(const platform::Configuration& configuration, PowerCuts& cuts) const {
    std::ranges::sort(cuts.at);
    if (cuts.any() && configuration.firmware.by_block()) {
        return {
            "found power cuts with a block-mapped firmware.translation; allowed: page_map, the others do not "
            "find their state on flash again"};
    }
    if (cuts.any() && configuration.host.interface == platform::HostInterface::ahci) {
        return {
            "found power cuts with host.interface = \"ahci\"; allowed: link, an adapter is not told of them"};
    }
    if (off_->count() > 0 && !cuts.any()) {
        return {"--power-off: found without a power cut; allowed: with --power-cut-at or --power-cut-every"};
    }
    return {};
}

}  // namespace solidtlm::testbench
