// SPDX-License-Identifier: Apache-2.0
//
// What the power states of the SATA link need.
#include <fmt/format.h>

#include <array>

#include "platform/configuration_rules.h"

namespace solidtlm::platform {
namespace {

constexpr std::array<std::string_view, hw::kLinkPowerStates> kAfter{
    "sata.power.partial_after", "sata.power.slumber_after", "sata.power.devsleep_after"};

}  // namespace

void check_link_power(const Configuration& c, Rules& rules) {
    const auto& states = c.sata.power;
    for (std::size_t deep = 1; deep < states.size(); ++deep) {
        for (std::size_t light = 0; light < deep; ++light) {
            rules.require(!states[deep].used() || states[light].after < states[deep].after,
                          {kAfter[deep], kAfter[light]},
                          fmt::format("found {}; allowed: 0, or later than {} ({})",
                                      format_duration(states[deep].after), kAfter[light],
                                      format_duration(states[light].after)));
        }
    }
}

}  // namespace solidtlm::platform
