// SPDX-License-Identifier: Apache-2.0
#include "platform/sata_front_end.h"

#include <fmt/format.h>

namespace solidtlm::platform {

SataFrontEnd::SataFrontEnd(const Configuration& configuration, hw::ProtocolCheckers& checkers)
    : link("link", configuration.sata), device("device", configuration.sata), checkers_(checkers) {
    checkers.join(link.device.init, device.link.target);
    checkers.join(device.link.init, link.device.target);
    if (!checkers.on()) {
        device.link.call(link.device);
    }
    device.join(link);
    link.sleep_if([this] { return device.outstanding() == 0; });
}

void SataFrontEnd::bind_host(hw::LinkPlug& host) {
    bind_host(host.init, host.target);
    if (!checkers_.on() && !link.host.border()) {
        host.call(link.host);
    }
}

void SataFrontEnd::power_cut() {
    link.end_sleep();
    device.power_cut();
    link.power_cut();
}

void SataFrontEnd::set_probe(hal::Probe* probe) {
    link.set_probe(probe);
    device.set_probe(probe);
}

std::string SataFrontEnd::queues() const {
    return fmt::format("link {} frames; device {} commands that firmware has not taken", link.pending(),
                       device.not_fetched());
}

}  // namespace solidtlm::platform
